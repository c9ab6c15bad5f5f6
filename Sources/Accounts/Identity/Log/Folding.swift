internal import Primitives
internal import Secrets

/// Applies the records of a log in order.
struct Folding {
    private(set) var state = AccountState()
    private let keys: FoldingKeys
    /// Unreadable accounts without a deletion record so far.
    private var forgotten: [AccountID: Forgotten] = [:]
    private var forgottenSessions: [SessionID: AccountID] = [:]
    /// Deleted accounts with an existing key, because the deletion was interrupted.
    private(set) var undestroyed: [AccountID] = []

    private enum Forgotten {
        case destroyed
        /// The slot contains neither a key nor the mark of a destroyed one.
        case damaged
    }

    init(keys: KeyFile) { self.keys = FoldingKeys(file: keys) }

    /// Applies the next record.
    mutating func fold(_ bytes: Span<UInt8>, as record: UInt64) throws {
        let decoded: AccountRecord
        do { decoded = try AccountRecordCodec.decode(bytes, as: record, openedBy: keys) } catch let fault as CodecError {
            throw AccountDatabaseError.unreadable(record: record, fault)
        } catch let unopened as FoldingKeys.UnopenedError {
            throw AccountDatabaseError.unopened(record: record, unopened.account)
        }
        do {
            guard decoded.time >= state.time else { throw AccountFoldingError("its time \(decoded.time) is before \(state.time)") }
            for event in decoded.events { try fold(event, at: decoded.time) }
            state.time = decoded.time
        } catch let misfit as AccountFoldingError {
            throw AccountDatabaseError.misfit(record: record, misfit.text)
        }
    }

    /// Returns the final state.
    ///
    /// - Throws: ``AccountDatabaseError/keyDamaged(_:path:)`` for an account that is neither readable nor deleted.
    func finish() throws -> AccountState {
        let damaged = forgotten.filter { $0.value == .damaged }.keys.min()
        if let damaged { throw AccountDatabaseError.keyDamaged(damaged, path: keys.file.path) }
        return state
    }

    private mutating func fold(_ event: LoggedEvent, at time: Instant) throws {
        switch event {
        case .readable(.sessionRefreshed(let id, _, _, _, _)) where forgottenSessions[id] != nil: break
        case .readable(.sessionReauthenticated(let id, _, _, _, _, _)) where forgottenSessions[id] != nil: break
        case .readable(.sessionEnded(let id, _)) where forgottenSessions[id] != nil: forgottenSessions[id] = nil
        case .readable(.identityUnlinked(let id, _)) where forgotten[id] != nil: break
        case .readable(.accountDeleted(let id)):
            if let what = forgotten.removeValue(forKey: id) {
                forgottenSessions = forgottenSessions.filter { $0.value != id }
                if what == .damaged { undestroyed.append(id) }
            } else {
                try state.apply(.accountDeleted(id), at: time)
                undestroyed.append(id)
            }
        case .readable(let event): try state.apply(event, at: time)
        case .forgotten(.accountOpened(let id)):
            forgotten[id] = if case .destroyed = try keys.slot(of: id) { .destroyed } else { .damaged }
            try state.passOver(id)
        case .forgotten(.sessionBegun(let id, let account)):
            try checkForgotten(account)
            forgottenSessions[id] = account
            try state.passOver(id)
        case .forgotten(.other(let account)): try checkForgotten(account)
        }
    }

    private func checkForgotten(_ account: AccountID) throws(AccountFoldingError) {
        guard forgotten[account] != nil else { throw AccountFoldingError("account \(account.number) does not exist") }
    }
}

/// The keys of accounts while the log is read. Each slot is read once.
final class FoldingKeys: PersonalDataCipher {
    let file: KeyFile
    private var slots: [AccountID: KeySlot] = [:]

    /// The key of an account exists, but cannot open the sealed data.
    struct UnopenedError: Error {
        let account: AccountID
    }

    init(file: KeyFile) { self.file = file }

    func slot(of account: AccountID) throws -> KeySlot {
        if let known = slots[account] { return known }
        let slot = try file.slot(of: account)
        slots[account] = slot
        return slot
    }

    func seal(_ plain: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8] {
        preconditionFailure("nothing is encrypted while the log is read")
    }

    func open(_ sealed: [UInt8], of account: AccountID, boundTo: [UInt8]) throws -> [UInt8]? {
        guard case .key(let key) = try slot(of: account) else { return nil }
        guard let plain = AuthenticatedEncryption.open(sealed, key: key, boundTo: boundTo) else {
            throw UnopenedError(account: account)
        }
        return plain
    }
}

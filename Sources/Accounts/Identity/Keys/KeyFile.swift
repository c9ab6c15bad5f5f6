internal import Files
internal import Secrets

/// The keys of all accounts. Each one is stored in a slot, sealed by the master key.
///
/// A key is destroyed by overwriting its slot. The keys are not in a database, because a database would keep deleted data in free
/// pages.
final class KeyFile: Sendable {
    private let slots: SlotFile
    var path: String { slots.path }
    private let master: MasterKey

    private static let headMark = Array("muniment account keys, format 1\n".utf8)
    private static let headBytes = headMark.count + AuthenticatedEncryption.overheadBytes
    private static let headBinding = Array("muniment account keys".utf8)

    /// Opens the file, or creates it if no account exists.
    ///
    /// - Parameter isNeeded: whether accounts exist, so that the file must exist too.
    init(path: String, master: MasterKey, isNeeded: Bool) throws {
        if try !exists(path) {
            guard !isNeeded else { throw AccountDatabaseError.keysMissing(path: path) }
            let seal = AuthenticatedEncryption.seal([], key: master.wrapping, boundTo: KeyFile.headBinding)
            _ = try createFile(path, with: KeySlot.padded(KeyFile.headMark + seal))
        }
        slots = try SlotFile(path: path, slotBytes: KeySlot.byteCount)
        self.master = master
        do { try checkHead() } catch {
            slots.close()
            throw error
        }
    }

    /// Throws if the file is not a key file, or was sealed by another master key.
    private func checkHead() throws {
        let head = try slots.read(0)
        guard head.count == KeySlot.byteCount, head.starts(with: KeyFile.headMark) else {
            throw AccountDatabaseError.keysMalformed(path: slots.path)
        }
        let (seal, rest) = (
            head.dropFirst(KeyFile.headMark.count).prefix(AuthenticatedEncryption.overheadBytes), head.dropFirst(KeyFile.headBytes)
        )
        guard rest.allSatisfy({ $0 == 0 }) else { throw AccountDatabaseError.keysMalformed(path: slots.path) }
        guard AuthenticatedEncryption.open(Array(seal), key: master.wrapping, boundTo: KeyFile.headBinding) != nil else {
            throw AccountDatabaseError.masterKeyOther(path: slots.path)
        }
    }

    func close() { slots.close() }

    func slot(of account: AccountID) throws -> KeySlot {
        KeySlot(try slots.read(try index(account)), of: account, wrappedBy: master.wrapping)
    }

    /// Returns the key of an account. Throws if it does not exist.
    func key(of account: AccountID) throws -> EncryptionKey {
        guard case .key(let key) = try slot(of: account) else {
            throw AccountDatabaseError.keyDamaged(account, path: slots.path)
        }
        return key
    }

    /// Creates the keys of new accounts; they are durable on return. A leftover key of an account that was never written is
    /// overwritten.
    func make(for accounts: [AccountID]) throws -> [AccountID: EncryptionKey] {
        var keys: [AccountID: EncryptionKey] = [:]
        for account in accounts {
            let key = EncryptionKey.random()
            try slots.write(KeySlot.bytes(of: key, for: account, wrappedBy: master.wrapping), to: try index(account))
            keys[account] = key
        }
        if !accounts.isEmpty { try slots.sync() }
        return keys
    }

    /// Overwrites the keys of accounts. On return the disk no longer contains them.
    func destroy(_ accounts: [AccountID]) throws {
        for account in accounts { try slots.write(KeySlot.destroyedBytes, to: try index(account)) }
        if !accounts.isEmpty { try slots.sync() }
    }

    /// The first slot is the header of the file.
    private func index(_ account: AccountID) throws(AccountDatabaseError) -> Int {
        guard account.number > 0, account.number <= AccountID.limit else {
            throw .keyDamaged(account, path: slots.path)
        }
        return Int(account.number)
    }
}

extension AccountID {
    /// The highest account number.
    static let limit: UInt64 = 1 << 32
}

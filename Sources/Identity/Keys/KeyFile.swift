internal import Files
internal import Secrets

/// The keys of all accounts, each in a slot of its own, sealed by the master key.
///
/// A key is destroyed by writing over its slot. That is why they are in no database: one would leave what was deleted in pages that
/// it has not come to use again.
final class KeyFile: Sendable {
    private let slots: SlotFile
    var path: String { slots.path }
    private let master: MasterKey

    private static let headMark = Array("muniment account keys, format 1\n".utf8)
    private static let headBytes = headMark.count + Sealing.overheadBytes
    private static let headBinding = Array("muniment account keys".utf8)

    /// Opens the file, or makes it where there are no accounts yet.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - master: what the keys are sealed by.
    ///   - isNeeded: whether there are accounts whose keys have to be in it.
    init(path: String, master: MasterKey, isNeeded: Bool) throws {
        if try !exists(path) {
            guard !isNeeded else { throw AccountBookError.keysMissing(path: path) }
            let seal = Sealing.seal([], key: master.wrapping, boundTo: KeyFile.headBinding)
            let head = KeyFile.headMark + seal
            let slot = head + [UInt8](repeating: 0, count: KeySlot.byteCount - head.count)
            _ = try createFile(path, with: slot)
        }
        slots = try SlotFile(path: path, slotBytes: KeySlot.byteCount)
        self.master = master
        do { try checkHead() } catch {
            slots.close()
            throw error
        }
    }

    /// Looks whether it is a file of keys, and one of this master key.
    private func checkHead() throws {
        let head = try slots.read(0)
        guard head.count == KeySlot.byteCount, head.starts(with: KeyFile.headMark) else {
            throw AccountBookError.keysMalformed(path: slots.path)
        }
        let (seal, rest) = (head.dropFirst(KeyFile.headMark.count).prefix(Sealing.overheadBytes), head.dropFirst(KeyFile.headBytes))
        guard rest.allSatisfy({ $0 == 0 }) else { throw AccountBookError.keysMalformed(path: slots.path) }
        guard Sealing.open(Array(seal), key: master.wrapping, boundTo: KeyFile.headBinding) != nil else {
            throw AccountBookError.masterKeyOther(path: slots.path)
        }
    }

    func close() { slots.close() }

    func slot(of account: AccountID) throws -> KeySlot {
        KeySlot(try slots.read(try index(account)), of: account, wrappedBy: master.wrapping)
    }

    /// The key of an account, which has to be there.
    func key(of account: AccountID) throws -> SealingKey {
        guard case .key(let key) = try slot(of: account) else {
            throw AccountBookError.keyDamaged(account, path: slots.path)
        }
        return key
    }

    /// Gives a new account a key; it is on the disk when this returns. What an account that came to nothing has left in the slot is
    /// written over.
    func make(for accounts: [AccountID]) throws -> [AccountID: SealingKey] {
        var keys: [AccountID: SealingKey] = [:]
        for account in accounts {
            let key = SealingKey.random()
            try slots.write(KeySlot.bytes(of: key, for: account, wrappedBy: master.wrapping), to: try index(account))
            keys[account] = key
        }
        if !accounts.isEmpty { try slots.sync() }
        return keys
    }

    /// Writes over the keys of accounts; nothing of them is on the disk when this returns.
    func destroy(_ accounts: [AccountID]) throws {
        for account in accounts { try slots.write(KeySlot.destroyedBytes, to: try index(account)) }
        if !accounts.isEmpty { try slots.sync() }
    }

    /// The first slot is the head of the file.
    private func index(_ account: AccountID) throws(AccountBookError) -> Int {
        guard account.number > 0, account.number <= AccountID.limit else {
            throw .keyDamaged(account, path: slots.path)
        }
        return Int(account.number)
    }
}

extension AccountID {
    /// The last number that an account can have.
    static let limit: UInt64 = 1 << 32
}

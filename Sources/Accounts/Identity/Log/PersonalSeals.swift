internal import Primitives
internal import Secrets

/// Seals and opens the personal data in events with the key of its account.
protocol PersonalSeals {
    func seal(_ plain: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8]

    /// Returns the opened data; nil if the account's key is destroyed.
    ///
    /// - Throws: if the key cannot open the data.
    func open(_ sealed: [UInt8], of account: AccountID, boundTo: [UInt8]) throws -> [UInt8]?
}

/// The position of sealed data in the log. The data is bound to its position, so that it cannot be moved to another account or
/// replayed in a later event.
struct SealedPlace {
    let record: UInt64
    /// The index of the event in the record.
    let index: Int
    let kind: UInt8
    let version: UInt8

    func binding(_ account: AccountID) -> [UInt8] {
        var writer = ByteWriter()
        writer.text("muniment account event")
        writer.varint(account.number)
        writer.varint(record)
        writer.varint(UInt64(index))
        writer.byte(kind)
        writer.byte(version)
        return writer.bytes
    }
}

/// Seals with keys in memory.
struct SealingKeys: PersonalSeals {
    let keys: [AccountID: SealingKey]

    func seal(_ plain: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8] {
        guard let key = keys[account] else { preconditionFailure("the keys of a record are looked up before it is written") }
        return Sealing.seal(plain, key: key, boundTo: boundTo)
    }

    func open(_ sealed: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8]? {
        keys[account].flatMap { Sealing.open(sealed, key: $0, boundTo: boundTo) }
    }
}

internal import Events
internal import Secrets

/// Seals what is personal in events with the key of the account that it belongs to, and opens it.
protocol PersonalSeals {
    func seal(_ plain: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8]

    /// What was sealed; nil where the account's key is destroyed.
    ///
    /// - Throws: for what its key does not open.
    func open(_ sealed: [UInt8], of account: AccountID, boundTo: [UInt8]) throws -> [UInt8]?
}

/// Where in the log something sealed stands. It is bound to its place, so that nothing personal can be moved to another account, or
/// brought back in a later event.
struct SealedPlace {
    let record: UInt64
    /// The how-many-eth event of the record.
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

/// Seals with keys that are at hand.
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

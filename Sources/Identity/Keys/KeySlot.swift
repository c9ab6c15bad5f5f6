internal import Events
internal import Secrets

/// What stands in the file of keys for one account.
enum KeySlot {
    /// Nothing was ever written there.
    case empty
    case key(SealingKey)
    /// The account was deleted.
    case destroyed
    /// None of these: damaged, another account's, or sealed by another master key.
    case damaged

    /// Bytes of a slot.
    static let byteCount = 128
    /// What a slot with a key begins with, and one whose key was destroyed. They differ in every byte, so that damage to a few bits
    /// of one never makes the other.
    private static let keyMark = Array("key of 1".utf8)
    private static let destroyedMark = Array("DESTROY!".utf8)

    /// The bytes of a slot with the key of an account.
    static func bytes(of key: SealingKey, for account: AccountID, wrappedBy wrapping: SealingKey) -> [UInt8] {
        padded(keyMark + Sealing.seal(key.bytes, key: wrapping, boundTo: binding(account)))
    }

    /// The bytes of a slot whose key was destroyed.
    static let destroyedBytes = padded(destroyedMark)

    init(_ bytes: [UInt8], of account: AccountID, wrappedBy wrapping: SealingKey) {
        if bytes.allSatisfy({ $0 == 0 }) {
            self = .empty
        } else if bytes == KeySlot.destroyedBytes {
            self = .destroyed
        } else if bytes.count == KeySlot.byteCount, bytes.starts(with: KeySlot.keyMark),
            bytes[KeySlot.sealedRange.upperBound...].allSatisfy({ $0 == 0 }),
            let plain = Sealing.open(Array(bytes[KeySlot.sealedRange]), key: wrapping, boundTo: KeySlot.binding(account)),
            let key = SealingKey(plain)
        {
            self = .key(key)
        } else {
            self = .damaged
        }
    }

    private static let sealedRange = keyMark.count..<keyMark.count + SealingKey.byteCount + Sealing.overheadBytes

    /// What a sealed key is bound to: a slot that is moved to another account opens nothing.
    private static func binding(_ account: AccountID) -> [UInt8] {
        var writer = ByteWriter()
        writer.text("muniment account key")
        writer.varint(account.number)
        return writer.bytes
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: byteCount - bytes.count)
    }
}

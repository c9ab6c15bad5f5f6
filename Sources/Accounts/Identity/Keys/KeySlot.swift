internal import Primitives
internal import Secrets

/// The slot of one account in the key file.
enum KeySlot {
    /// The slot was never written.
    case empty
    case key(EncryptionKey)
    /// The account was deleted.
    case destroyed
    /// The slot is damaged, belongs to another account, or was sealed by another master key.
    case damaged

    /// The size of a slot in bytes.
    static let byteCount = 128
    /// The prefixes of a slot with a key and of one with a destroyed key. They differ in every byte, so a few changed bits cannot
    /// turn one into the other.
    private static let keyMark = Array("key of 1".utf8)
    private static let destroyedMark = Array("DESTROY!".utf8)

    static func bytes(of key: EncryptionKey, for account: AccountID, wrappedBy wrapping: EncryptionKey) -> [UInt8] {
        padded(keyMark + AuthenticatedEncryption.seal(key.bytes, key: wrapping, boundTo: binding(account)))
    }

    static let destroyedBytes = padded(destroyedMark)

    init(_ bytes: [UInt8], of account: AccountID, wrappedBy wrapping: EncryptionKey) {
        if bytes.allSatisfy({ $0 == 0 }) {
            self = .empty
        } else if bytes == KeySlot.destroyedBytes {
            self = .destroyed
        } else if bytes.count == KeySlot.byteCount, bytes.starts(with: KeySlot.keyMark),
            bytes[KeySlot.sealedRange.upperBound...].allSatisfy({ $0 == 0 }),
            let plain = AuthenticatedEncryption.open(
                Array(bytes[KeySlot.sealedRange]), key: wrapping, boundTo: KeySlot.binding(account)),
            let key = EncryptionKey(plain)
        {
            self = .key(key)
        } else {
            self = .damaged
        }
    }

    private static let sealedRange = keyMark.count..<keyMark.count + EncryptionKey.byteCount + AuthenticatedEncryption.overheadBytes

    /// The associated data of a sealed key: a slot that is moved to another account cannot be opened.
    private static func binding(_ account: AccountID) -> [UInt8] {
        var writer = ByteWriter()
        writer.text("muniment account key")
        writer.varint(account.number)
        return writer.bytes
    }

    static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: byteCount - bytes.count)
    }
}

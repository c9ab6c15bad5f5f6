/// An email address in lowercase. Addresses are compared in this form, so that one mailbox cannot have two accounts.
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// RFC 5321, section 4.5.3.1.3: a path has 256 bytes, and two of them are angle brackets.
    public static let limitBytes = 254

    /// - Returns: nil if the address is invalid. A valid address has one `@` between a name and a domain, no blanks or control
    ///   characters, and at most ``limitBytes`` bytes. It is ASCII only, because similar letters would address different mailboxes.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count <= EmailAddress.limitBytes, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count) else { return nil }
        // These characters would start a second address, a comment or a quoted name in the header of a mail.
        guard !bytes.contains(where: { "<>()[],;:\\\"".utf8.contains($0) }) else { return nil }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 63 && $0.utf8.allSatisfy(EmailAddress.isOfHost) }) else {
            return nil
        }
        self.text = text.lowercased()
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    public var description: String { text }
}

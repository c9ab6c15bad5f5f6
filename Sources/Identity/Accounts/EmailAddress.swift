/// An email address in the form in which addresses are compared: without upper case, so that one mailbox is not two accounts.
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// RFC 5321, section 4.5.3.1.3: a path has 256 bytes, two of them angle brackets.
    public static let limitBytes = 254

    /// - Returns: nil for what no mail can be sent to: anything without one `@` between a name and a domain, with blanks or control
    ///   characters, beyond ``limitBytes``, or outside ASCII, where letters that look alike would be other mailboxes.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count <= EmailAddress.limitBytes, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count) else { return nil }
        // What would be a second address, a comment or a quoted name in the head of a mail.
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

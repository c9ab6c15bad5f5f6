public import Identity

/// The sender of mails.
public struct MailSender: Hashable, Sendable, CustomStringConvertible {
    public let address: EmailAddress
    /// The name that mail programs show instead of the address; nil for none.
    public let displayName: String?

    /// - Parameter text: `no-reply@example.com` or `Example <no-reply@example.com>`. The result is nil for any other text, and for
    ///   control characters.
    public init?(_ text: String) {
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else { return nil }
        guard text.hasSuffix(">"), let start = text.lastIndex(of: "<") else {
            guard let address = EmailAddress(text) else { return nil }
            (self.address, displayName) = (address, nil)
            return
        }
        guard let address = EmailAddress(String(text[text.index(after: start)...].dropLast())) else { return nil }
        var name = text[..<start]
        while name.last == " " { name.removeLast() }
        (self.address, displayName) = (address, name.isEmpty ? nil : String(name))
    }

    public var description: String { displayName.map { "\($0) <\(address)>" } ?? address.text }
}

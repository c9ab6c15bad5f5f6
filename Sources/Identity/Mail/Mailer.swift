/// A mail to one person, in plain text.
public struct MailMessage: Hashable, Sendable {
    public let to: EmailAddress
    public let subject: String
    public let text: String

    public init(to: EmailAddress, subject: String, text: String) {
        self.to = to
        self.subject = subject
        self.text = text
    }
}

/// Brings mails on their way.
public protocol Mailer: Sendable {
    /// Hands a mail over; returns when it was taken. May block for some seconds; never called where that would show.
    func send(_ message: MailMessage) throws(MailProblem)
}

/// A mail that was not taken. For the operator: whoever asked for it is not told.
public struct MailProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, without the address and the text.
    public let description: String
    /// Whether another try would fail too.
    public let isFinal: Bool

    /// - Parameters:
    ///   - description: What went wrong, without the address and the text.
    ///   - isFinal: Whether another try would fail too, so that the mail is given up at once.
    public init(_ description: String, isFinal: Bool = false) { (self.description, self.isFinal) = (description, isFinal) }
}

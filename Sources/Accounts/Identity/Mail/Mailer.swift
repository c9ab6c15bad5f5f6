/// A plain-text mail to one user.
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

/// Sends mails.
public protocol Mailer: Sendable {
    /// Sends a mail; returns when the server has accepted it. May block for some seconds; not called on request threads.
    func send(_ message: MailMessage) throws(MailProblem)
}

/// A mail that was not accepted. For the operator; the caller is not told.
public struct MailProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause, without the address and the text.
    public let description: String
    /// Whether another attempt would fail too.
    public let isFinal: Bool

    /// - Parameters:
    ///   - description: The cause, without the address and the text.
    ///   - isFinal: Whether another attempt would fail too, so that the mail is dropped at once.
    public init(_ description: String, isFinal: Bool = false) { (self.description, self.isFinal) = (description, isFinal) }
}

internal import Primitives

/// The texts of the mails. They contain no text from the caller: otherwise an attacker could send text to any address through this
/// service.
struct MailText {
    let service: String

    /// The same text whether or not the address has an account.
    func signUp(_ to: EmailAddress, code: OneTimeCode, minutes: Int64) -> MailMessage {
        withCode(
            to, "Your code for signing up", code, minutes,
            reason: "A sign-up at \(service) uses this address.",
            otherwise: "If you did not request this, do nothing: the address is not used without the code.")
    }

    func reset(_ to: EmailAddress, code: OneTimeCode, minutes: Int64) -> MailMessage {
        withCode(
            to, "Your code for a new password", code, minutes,
            reason: "A new password was requested for your account at \(service).",
            otherwise: "If you did not request this, do nothing: your password is unchanged. Do not share the code.")
    }

    /// Sent instead of a code if the account does not exist.
    func nobodyToReset(_ to: EmailAddress) -> MailMessage {
        MailMessage(
            to: to, subject: "No account with this address",
            text: """
                A new password was requested for an account at \(service) with this address.
                No account has this address. You may have signed up with another address.

                If you did not request this, do nothing.

                """)
    }

    /// Sent instead of a code if the account has no password.
    func noPasswordToReset(_ to: EmailAddress, providers: [ProviderID]) -> MailMessage {
        MailMessage(
            to: to, subject: "Your account has no password",
            text: """
                A new password was requested for your account at \(service).
                The account has no password. Sign in with: \(providers.map(\.text).joined(separator: ", ")).

                If you did not request this, do nothing.

                """)
    }

    func emailChange(_ to: EmailAddress, code: OneTimeCode, minutes: Int64) -> MailMessage {
        withCode(
            to, "Your code for a new address", code, minutes,
            reason: "An account at \(service) wants to use this address.",
            otherwise: "If you did not request this, do nothing: the address is not used without the code. Do not share the code.")
    }

    /// Tells a user about a change of their account, so that they notice unauthorized changes.
    func notice(_ to: EmailAddress, _ what: AccountNotice, at now: Instant) -> MailMessage {
        MailMessage(
            to: to, subject: "Your account was changed",
            text: """
                \(sentence(what)) at \(now).

                If you made this change, do nothing. If not, sign in at \(service), or request a new password there, and end
                all other sessions.

                """)
    }

    private func sentence(_ what: AccountNotice) -> String {
        switch what {
        case .passwordSet: "Your account at \(service) has a new password"
        case .emailChanged: "Your account at \(service) has another address now"
        case .linked(let provider): "A sign-in method of your account at \(service) was added (\(provider))"
        case .unlinked(let provider): "A sign-in method of your account at \(service) was removed (\(provider))"
        case .deleted: "Your account at \(service) was deleted"
        }
    }

    private func withCode(
        _ to: EmailAddress, _ subject: String, _ code: OneTimeCode, _ minutes: Int64, reason: String, otherwise: String
    ) -> MailMessage {
        MailMessage(
            to: to, subject: subject,
            text: """
                \(reason)

                The code is:  \(code.text)

                It is valid for \(minutes) minutes and can be used once, on the device that requested it.

                \(otherwise)

                """)
    }
}

/// A change that the user is notified about by mail.
enum AccountNotice: Hashable, Sendable {
    case passwordSet
    /// Sent to the previous address.
    case emailChanged
    case linked(ProviderID)
    case unlinked(ProviderID)
    case deleted
}

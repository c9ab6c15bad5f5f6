internal import Events

/// Changing the account that is signed in (CONFORMANCE I5, I6). What needs a recent sign-in asks for it, and is then done by itself.
extension AuthManager {
    /// Reads the account again: it may have been changed on another device.
    @discardableResult public func reload() async throws(AuthError) -> AuthUser { try await perform(.reload).requireUser() }

    /// Changes what the person says of themselves.
    ///
    /// - Parameters:
    ///   - displayName: what they are called; kept as it is unless it is said.
    ///   - picture: the address of a picture; kept as it is unless it is said.
    @discardableResult public func updateProfile(
        displayName: ProfileValue = .kept, picture: ProfileValue = .kept
    ) async throws(AuthError) -> AuthUser {
        var changes = JSONObject()
        changes["displayName"] = displayName.json
        changes["picture"] = picture.json
        return try await perform(.updateProfile(changes)).requireUser()
    }

    /// Adds a way into the account.
    ///
    /// - Parameter provider: what the person shows who they are with from now on, too.
    @discardableResult public func link(with provider: some IdentityProvider) async throws(AuthError) -> AuthUser {
        try await perform(.link(with: provider)).requireUser()
    }

    /// Takes a way into the account away; never the last one.
    ///
    /// - Parameter provider: which one.
    @discardableResult public func unlink(_ provider: IdentityProviderID) async throws(AuthError) -> AuthUser {
        try await perform(.unlink(provider)).requireUser()
    }

    /// Gives a password to an account that has none.
    ///
    /// - Parameter password: from 8 to 1,024 bytes.
    @discardableResult public func setPassword(_ password: String) async throws(AuthError) -> AuthUser {
        try await perform(.setPassword(password)).requireUser()
    }

    /// Gives another password to an account that has one.
    ///
    /// - Parameter password: from 8 to 1,024 bytes.
    @discardableResult public func updatePassword(_ password: String) async throws(AuthError) -> AuthUser {
        try await perform(.updatePassword(password)).requireUser()
    }

    /// Has a code sent to another address, which becomes the account's with ``confirmEmail(_:)``.
    ///
    /// - Parameter email: the address.
    @discardableResult public func updateEmail(to email: String) async throws(AuthError) -> SentCode {
        let code = try await perform(.updateEmail(to: email)).requireCode()
        emailToConfirm = email
        return code
    }

    /// Makes the address the account's for which ``updateEmail(to:)`` was called last.
    ///
    /// - Parameter code: from the mail.
    @discardableResult public func confirmEmail(_ code: String) async throws(AuthError) -> AuthUser {
        try await perform(.confirmEmail(sentCode(.email).attempt, code, as: emailToConfirm)).requireUser()
    }

    /// All devices on which the person is signed in.
    public func sessions() async throws(AuthError) -> [AuthSession] {
        let found = try await perform(.sessions).requireObject().objects("sessions") ?? []
        return found.compactMap { AuthSession($0) }
    }

    /// Signs out on another device.
    ///
    /// - Parameter id: of its session.
    public func endSession(_ id: AuthSession.ID) async throws(AuthError) { _ = try await perform(.endSession(id)) }

    /// Signs out on all other devices.
    public func endOtherSessions() async throws(AuthError) { _ = try await perform(.endOtherSessions) }
}

/// What becomes of a part of a profile.
public enum ProfileValue: Hashable, Sendable, ExpressibleByStringLiteral {
    case kept
    case removed
    case set(String)

    public init(stringLiteral value: String) { self = .set(value) }

    var json: JSONValue? {
        switch self {
        case .kept: nil
        case .removed: .null
        case .set(let text): .string(text)
        }
    }
}

extension AuthValue {
    /// An answer of another kind is none that the service gives.
    private static var unreadable: AuthError { .outcomeUnknown("the service answers what is none of its answers") }

    func requireUser() throws(AuthError) -> AuthUser {
        guard case .user(let user) = self else { throw AuthValue.unreadable }
        return user
    }

    func requireCode() throws(AuthError) -> SentCode {
        guard case .sentCode(let code) = self else { throw AuthValue.unreadable }
        return code
    }

    func requireObject() throws(AuthError) -> JSONObject {
        guard case .object(let object) = self else { throw AuthValue.unreadable }
        return object
    }

    func requireAnswer() throws(AuthError) -> AuthAnswer {
        guard case .answer(let answer) = self else { throw AuthValue.unreadable }
        return answer
    }
}

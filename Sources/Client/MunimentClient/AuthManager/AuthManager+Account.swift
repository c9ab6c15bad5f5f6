internal import Primitives

/// Changes the signed-in account (CONFORMANCE I5, I6). A change that needs a recent sign-in asks for it, and is then made
/// automatically.
extension AuthManager {
    /// Reads the account again. Another device may have changed it.
    @discardableResult public func reload() async throws(AuthError) -> AuthUser { try await perform(.reload).requireUser() }

    /// Changes the profile.
    ///
    /// - Parameters:
    ///   - displayName: the display name; unchanged by default.
    ///   - picture: the address of a picture; unchanged by default.
    @discardableResult public func updateProfile(
        displayName: ProfileValue = .kept, picture: ProfileValue = .kept
    ) async throws(AuthError) -> AuthUser {
        var changes = JSONObject()
        changes["displayName"] = displayName.json
        changes["picture"] = picture.json
        return try await perform(.updateProfile(changes)).requireUser()
    }

    /// Links a further provider to the account.
    ///
    /// - Parameter provider: the provider, with its evidence.
    @discardableResult public func link(with provider: some IdentityProvider) async throws(AuthError) -> AuthUser {
        try await perform(.link(with: provider)).requireUser()
    }

    /// Unlinks a provider from the account. The last one cannot be unlinked.
    ///
    /// - Parameter provider: the provider.
    @discardableResult public func unlink(_ provider: IdentityProviderID) async throws(AuthError) -> AuthUser {
        try await perform(.unlink(provider)).requireUser()
    }

    /// Sets a password for an account that has none.
    ///
    /// - Parameter password: 8 to 1,024 bytes.
    @discardableResult public func setPassword(_ password: String) async throws(AuthError) -> AuthUser {
        try await perform(.setPassword(password)).requireUser()
    }

    /// Replaces the password of an account that has one.
    ///
    /// - Parameter password: 8 to 1,024 bytes.
    @discardableResult public func updatePassword(_ password: String) async throws(AuthError) -> AuthUser {
        try await perform(.updatePassword(password)).requireUser()
    }

    /// Sends a code to a new address. ``confirmEmail(_:)`` then makes it the account's email.
    ///
    /// - Parameter email: the new address.
    @discardableResult public func updateEmail(to email: String) async throws(AuthError) -> SentCode {
        let code = try await perform(.updateEmail(to: email)).requireCode()
        emailToConfirm = email
        return code
    }

    /// Confirms the address of the last call of ``updateEmail(to:)`` and makes it the account's email.
    ///
    /// - Parameter code: the code from the mail.
    @discardableResult public func confirmEmail(_ code: String) async throws(AuthError) -> AuthUser {
        try await perform(.confirmEmail(sentCode(.email).attempt, code, as: emailToConfirm)).requireUser()
    }

    /// Returns all sessions of the account.
    public func sessions() async throws(AuthError) -> [AuthSession] {
        let answer = try await perform(.sessions).requireObject()
        return answer.objects("sessions").compactMap { try? AuthSession(members: $0) }
    }

    /// Ends a session on another device.
    ///
    /// - Parameter id: the identifier of the session.
    public func endSession(_ id: AuthSession.ID) async throws(AuthError) { _ = try await perform(.endSession(id)) }

    /// Ends all other sessions of the account.
    public func endOtherSessions() async throws(AuthError) { _ = try await perform(.endOtherSessions) }
}

/// How a field of the profile changes.
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
    /// The error for a response that does not match the API.
    private static var unreadable: AuthError { .outcomeUnknown("unexpected response from the service") }

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

    func requireAnswer() throws(AuthError) -> ServiceResponse {
        guard case .answer(let answer) = self else { throw AuthValue.unreadable }
        return answer
    }
}

/// A change of an account that needs a recent sign-in (CONFORMANCE I7).
public enum ProfileChangeType: Hashable, Sendable {
    case updateEmail(to: String)
    case updatePassword
    case setPassword
    case link(IdentityProviderID)
    case unlink(IdentityProviderID)
    case deleteAccount

    /// The requested value, as text for the user. Never a password.
    public var attemptedValue: String {
        switch self {
        case .updateEmail(let email): email
        case .updatePassword, .setPassword: "a new password"
        case .link(let provider), .unlink(let provider): provider.text
        case .deleteAccount: "the account with all its data"
        }
    }
}

/// A change that waits until the user has reauthenticated.
///
/// Answer it with ``AuthManager/reauthenticate(with:for:)``, after which the change is made automatically, or with
/// ``AuthManager/cancel(_:)``.
public struct ProfileChangeReauthenticationChallenge: Hashable, Sendable, Identifiable {
    /// The requested change.
    public struct Context: Hashable, Sendable {
        public let profileChangeType: ProfileChangeType
        /// The signed-in user.
        public let user: AuthUser
    }

    public let id: UInt64
    public let context: Context
}

/// Asks the user to reauthenticate before a change that needs it (CONFORMANCE I7).
public protocol AuthManagerReauthenticating: AnyObject, Sendable {
    /// Called when a change waits. Answer with ``AuthManager/reauthenticate(with:for:)`` or ``AuthManager/cancel(_:)``, now or
    /// later.
    ///
    /// - Parameters:
    ///   - manager: the manager.
    ///   - providers: the providers that the user can reauthenticate with, the preferred one first.
    ///   - challenge: the change.
    func authManager(
        _ manager: AuthManager, reauthenticateUsing providers: [IdentityProviderUserInfo],
        challenge: ProfileChangeReauthenticationChallenge
    ) async
}

/// A change of an account for which the person has to have signed in lately (CONFORMANCE I7).
public enum ProfileChangeType: Hashable, Sendable {
    case updateEmail(to: String)
    case updatePassword
    case setPassword
    case link(IdentityProviderID)
    case unlink(IdentityProviderID)
    case deleteAccount

    /// What was tried to be set, in words for the person. Never a password.
    public var attemptedValue: String {
        switch self {
        case .updateEmail(let email): email
        case .updatePassword, .setPassword: "a new password"
        case .link(let provider), .unlink(let provider): provider.text
        case .deleteAccount: "the account with everything in it"
        }
    }
}

/// A change that waits until the person has shown anew who they are.
///
/// Answer it with ``AuthManager/reauthenticate(with:for:)``, after which the change is made by itself, or with
/// ``AuthManager/cancel(_:)``.
public struct ProfileChangeReauthenticationChallenge: Hashable, Sendable, Identifiable {
    /// What is to be changed.
    public struct Context: Hashable, Sendable {
        public let profileChangeType: ProfileChangeType
        /// Who is signed in.
        public let user: AuthUser
    }

    public let id: UInt64
    public let context: Context
}

/// Whether a user is signed in (CONFORMANCE I1).
public enum AuthenticationState: Hashable, Sendable {
    /// There is a stored session, and the service has not yet confirmed it.
    case notDetermined
    case authenticated(AuthUser)
    case notAuthenticated

    /// The signed-in user; nil if unknown or signed out.
    public var user: AuthUser? { if case .authenticated(let user) = self { user } else { nil } }
}

/// Whether somebody is signed in (CONFORMANCE I1).
public enum AuthenticationState: Hashable, Sendable {
    /// There is a session from before, and the service has not said yet whether it is still good.
    case notDetermined
    case authenticated(AuthUser)
    case notAuthenticated

    /// Who is signed in; nil where nobody is, or where that is not known yet.
    public var user: AuthUser? { if case .authenticated(let user) = self { user } else { nil } }
}

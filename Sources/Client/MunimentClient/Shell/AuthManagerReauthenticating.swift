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

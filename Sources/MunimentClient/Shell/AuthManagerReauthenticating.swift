/// Asks the person to show anew who they are, before a change that needs it (CONFORMANCE I7).
public protocol AuthManagerReauthenticating: AnyObject, Sendable {
    /// A change waits. Answer with ``AuthManager/reauthenticate(with:for:)`` or ``AuthManager/cancel(_:)``, here or later.
    ///
    /// - Parameters:
    ///   - manager: who asks.
    ///   - providers: by which the person can show it, the one to be asked for first in front.
    ///   - challenge: what is to be changed.
    func authManager(
        _ manager: AuthManager, reauthenticateUsing providers: [IdentityProviderUserInfo],
        challenge: ProfileChangeReauthenticationChallenge
    ) async
}

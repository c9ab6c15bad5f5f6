import MunimentClient

/// The user of the demonstration: knows the password, and cancels if the demonstration says so.
actor DemonstrationPerson: AuthManagerReauthenticating {
    private let email: String
    private var refuses = false
    private(set) var challenges: [String] = []

    init(email: String = "ann@example.com") { self.email = email }

    func refuseNext() { refuses = true }

    func authManager(
        _ manager: AuthManager, reauthenticateUsing providers: [IdentityProviderUserInfo],
        challenge: ProfileChangeReauthenticationChallenge
    ) async {
        guard let provider = providers.first, provider.providerID == .email, !refuses else {
            return await manager.cancel(challenge)
        }
        challenges.append("\(challenge.context.profileChangeType.attemptedValue): \(provider.providerID)")
        let password = EmailIdentityProvider(email: provider.email ?? email, password: "password one")
        do { try await manager.reauthenticate(with: password, for: challenge) } catch { await manager.cancel(challenge) }
    }
}

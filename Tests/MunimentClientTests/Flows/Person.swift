import Synchronization

@testable import MunimentClient

/// A user who answers challenges as the test says, and a record of the challenges.
final class Person: AuthManagerReauthenticating {
    typealias Answer =
        @Sendable (AuthManager, [IdentityProviderUserInfo], ProfileChangeReauthenticationChallenge) async throws -> Void

    private let answer: Answer
    private let asked = Mutex<[String]>([])

    init(_ answer: @escaping Answer) { self.answer = answer }

    /// Creates a user who signs in with a password.
    static func showing(_ provider: EmailIdentityProvider) -> Person {
        Person { try await $0.reauthenticate(with: provider, for: $2) }
    }

    /// Creates a user who cancels every challenge.
    static func cancelling() -> Person { Person { manager, _, challenge in await manager.cancel(challenge) } }

    /// The challenges so far, each with its providers in order.
    var challenges: [String] { asked.withLock { $0 } }

    func authManager(
        _ manager: AuthManager, reauthenticateUsing providers: [IdentityProviderUserInfo],
        challenge: ProfileChangeReauthenticationChallenge
    ) async {
        let words =
            challenge.context.profileChangeType.attemptedValue + ": " + providers.map(\.providerID.text).joined(separator: ", ")
        asked.withLock { $0.append(words) }
        do { try await answer(manager, providers, challenge) } catch { asked.withLock { $0.append("failed: \(error)") } }
    }
}

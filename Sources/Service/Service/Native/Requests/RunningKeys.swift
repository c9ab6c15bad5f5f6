internal import Synchronization

/// The idempotency keys of running requests.
///
/// The store keeps the result of a key with the commit. Until the commit is written, this object detects a repetition that comes
/// too early.
final class RunningKeys: Sendable {
    /// A key with its scope: a key is unique for one store and one actor.
    struct Scope: Hashable, Sendable {
        let store: StoreName
        let caller: String
        let key: String
    }

    private let running = Mutex<Set<Scope>>([])

    /// Runs an operation under a key.
    ///
    /// - Throws: ``Problem`` (`key-in-use`) while another request with this key is running.
    func withKey<Result>(_ scope: Scope?, _ body: () async throws -> Result) async throws -> Result {
        guard let scope else { return try await body() }
        guard running.withLock({ $0.insert(scope).inserted }) else {
            throw Problem(.keyInUse, "a request with this idempotency key is still running: try again after it has finished")
        }
        defer { _ = running.withLock { $0.remove(scope) } }
        return try await body()
    }
}

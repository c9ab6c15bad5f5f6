internal import Synchronization

/// The idempotency keys of requests that are being carried out.
///
/// What a key stood for is kept in the store, with the commit. Until that is there, this tells a repetition that comes too early.
final class RunningKeys: Sendable {
    /// A key, within what it is unique: a store and the one who acts.
    struct Scope: Hashable, Sendable {
        let store: StoreName
        let caller: String
        let key: String
    }

    private let running = Mutex<Set<Scope>>([])

    /// Carries something out under a key.
    ///
    /// - Throws: ``Problem`` (`key-in-use`) while another request with this key is carried out.
    func withKey<Result>(_ scope: Scope?, _ body: () async throws -> Result) async throws -> Result {
        guard let scope else { return try await body() }
        guard running.withLock({ $0.insert(scope).inserted }) else {
            throw Problem(.keyInUse, "a request with this idempotency key is being carried out: ask again when it is done")
        }
        defer { _ = running.withLock { $0.remove(scope) } }
        return try await body()
    }
}

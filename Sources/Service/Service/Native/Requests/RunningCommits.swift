internal import Dispatch
internal import Permissions
internal import Synchronization

/// The commits that are being written to a store, by actor.
///
/// The caller's credential is checked in the writer's turn, and the commit is durable a moment later. The deletion of an account
/// ends its sessions first, and then waits here for that moment.
final class RunningCommits: Sendable {
    private struct Running {
        var count = 0
        var waiters: [DispatchSemaphore] = []
    }

    private let running = Mutex<[Name: Running]>([:])

    /// Runs a commit, including the check that its caller is still valid.
    func during<Result>(_ actor: Name, _ body: () async throws -> Result) async rethrows -> Result {
        running.withLock { $0[actor, default: Running()].count += 1 }
        defer { end(actor) }
        return try await body()
    }

    private func end(_ actor: Name) {
        let waiters = running.withLock { running in
            running[actor]?.count -= 1
            return running[actor]?.count == 0 ? running.removeValue(forKey: actor)?.waiters ?? [] : []
        }
        for waiter in waiters { waiter.signal() }
    }

    /// Waits until the actor has no running commits. Blocks.
    ///
    /// - Returns: false if a commit is still running after this many seconds.
    func waitForEnd(of actor: Name, seconds: Int) -> Bool {
        let waiter = running.withLock { running -> DispatchSemaphore? in
            guard running[actor] != nil else { return nil }
            let waiter = DispatchSemaphore(value: 0)
            running[actor]?.waiters.append(waiter)
            return waiter
        }
        return waiter?.wait(timeout: .now() + .seconds(seconds)) != .timedOut
    }
}

/// The idempotency keys of running requests.
///
/// The store keeps the result of a key with the commit. Until the commit is written, this object detects a repetition that comes
/// too early.
final class RunningIdempotencyKeys: Sendable {
    /// A key with its scope: a key is unique for one store and one actor.
    struct Scope: Hashable, Sendable {
        let store: StoreName
        let caller: String
        let key: String
    }

    private let running = Mutex<Set<Scope>>([])

    /// Runs an operation under a key.
    ///
    /// - Throws: ``Problem`` (`idempotency-key-in-use`) while another request with this key is running.
    func withKey<Result>(_ scope: Scope?, _ body: () async throws -> Result) async throws -> Result {
        guard let scope else { return try await body() }
        guard running.withLock({ $0.insert(scope).inserted }) else {
            throw Problem(.keyInUse, "a request with this idempotency key is still running: try again after it has finished")
        }
        defer { _ = running.withLock { $0.remove(scope) } }
        return try await body()
    }
}

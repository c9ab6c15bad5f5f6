internal import LMDB
internal import Synchronization

/// Stops questions that take too long, or that need no answer any longer.
///
/// ```swift
/// let cancellation = Cancellation(after: .seconds(5))
/// let names = try cancellation.perform { try store.read { try $0.subjects(with: ["read"], on: "doc:plan") } }
/// ```
///
/// Reads count their work and check the cancellation at intervals, so a question stops soon after ``cancel()`` or its deadline.
/// Commits are not interrupted: a commit that has begun is decided and written.
public final class Cancellation: Sendable {
    private let deadline: ContinuousClock.Instant?
    private let isCancelled = Atomic(false)
    /// Whether a read was stopped, so that an incomplete result is never returned.
    private let hasInterrupted = Atomic(false)

    /// The reason a question stopped.
    public enum Reason: Hashable, Sendable {
        /// ``Cancellation/cancel()`` was called.
        case cancelled
        /// The time limit of the answer has passed.
        case deadlinePassed
    }

    /// A question was stopped before it had an answer.
    public struct StoppedError: Error, Hashable {
        public let reason: Reason
    }

    /// Creates a cancellation.
    ///
    /// - Parameter limit: the time from now after which questions stop; nil for no limit.
    public init(after limit: Duration? = nil) { deadline = limit.map { .now + $0 } }

    /// Stops the questions that run in ``perform(_:)``. Can be called from any thread, more than once.
    public func cancel() { isCancelled.store(true, ordering: .releasing) }

    /// The reason questions should stop; nil while they may continue.
    public var reason: Reason? {
        if isCancelled.load(ordering: .acquiring) { return .cancelled }
        if let deadline, deadline <= .now { return .deadlinePassed }
        return nil
    }

    /// Throws if questions should stop. For long work between questions.
    ///
    /// - Throws: ``StoppedError``.
    public func check() throws(StoppedError) {
        if let reason { throw StoppedError(reason: reason) }
    }

    /// Runs questions that this cancellation can stop.
    ///
    /// - Parameter body: asks the questions, on this thread.
    /// - Throws: ``StoppedError``, also if `body` was not begun, and the errors of `body`.
    public func perform<R>(_ body: () throws -> R) throws -> R {
        try check()
        let result = ReadInterruption.$isRequested.withValue(interrupts) { Result { try body() } }
        // After an interrupted read the result is invalid, even if the layers above returned one.
        if hasInterrupted.load(ordering: .acquiring) { throw StoppedError(reason: reason ?? .cancelled) }
        return try result.get()
    }

    @Sendable private func interrupts() -> Bool {
        guard reason != nil else { return false }
        hasInterrupted.store(true, ordering: .releasing)
        return true
    }

    /// Throws if the work of this thread should stop: for loops that read nothing from the store.
    static func checkCurrent() throws {
        guard let isRequested = ReadInterruption.isRequested, isRequested() else { return }
        throw StoppedError(reason: .cancelled)
    }
}

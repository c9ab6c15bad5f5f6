internal import Dispatch
internal import EventLog
internal import Events
internal import Foundation
internal import Synchronization

/// The state of a node's copy of a shared log.
public struct SharedLogStatus: Sendable {
    /// When the node last had everything that the shared log had; nil if it never did since it was opened.
    public var current: ContinuousClock.Instant?
    /// Why the shared log could not be read at the last attempt; nil after a success.
    public var failure: String?
    /// The number of groups that had to be decided again, because another node appended first.
    public var conflicts: UInt64 = 0
}

/// A thread that copies and folds what other nodes append to a shared log, until it is stopped or the store stops writing.
final class SharedLogFollower: Sendable {
    private let log: EventLog
    private let shared: any SharedLog
    private let state = Mutex(SharedLogStatus())
    private let isStopped = Atomic(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// The longest wait for a change. Also how long closing a store can take.
    private static let wait = Duration.milliseconds(500)
    /// The pause after a failure, in seconds.
    private static let pause = 0.1

    /// - Parameter current: when the copy last had everything.
    init(log: EventLog, shared: any SharedLog, writer: Writer, current: ContinuousClock.Instant?) {
        self.log = log
        self.shared = shared
        state.withLock { $0.current = current }
        Thread.detachNewThread { [self] in
            while !isStopped.load(ordering: .acquiring), log.failure == nil { look(writer) }
            hasEnded.signal()
        }
    }

    var status: SharedLogStatus { state.withLock { $0 } }

    /// Waits for a change of the log, and copies it.
    private func look(_ writer: Writer) {
        do {
            guard let position = log.end else { return }
            if let current = try shared.wait(after: position, atMost: Self.wait) {
                state.withLock { ($0.current, $0.failure) = (current, nil) }
                return
            }
            // The records after the position may be this node's own.
            guard position == log.end else { return }
            try writer.follow(try shared.records(after: position, limitBytes: SharedWriting.batchBytes), after: position)
            state.withLock { $0.failure = nil }
        } catch {
            if case .diverged(let reason)? = error as? SharedLogError { writer.stop(reason) }
            state.withLock { $0.failure = "\(error)" }
            Thread.sleep(forTimeInterval: Self.pause)
        }
    }

    /// Ends the thread and waits for that.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        hasEnded.wait()
    }
}

internal import EventLog
internal import Events
internal import Foundation

/// A thread that watches the ends of the logs of this node's stores: after each notification, and twice a second without one.
final class HeadWatch: @unchecked Sendable {
    private let connection: PostgreSQLConnection
    private let condition = NSCondition()
    /// The watched logs, by store; guarded by the condition.
    private var known: [String: Known] = [:]
    private var failure: SharedLogError?
    private var looks: UInt64 = 0
    private var isStopped = false
    private var hasStarted = false

    private struct Known {
        var position: LogPosition?
        /// When a server had this position that its standbys still followed.
        var confirmed: ContinuousClock.Instant?
    }

    /// The longest time between two looks, in seconds.
    private static let interval = 0.5

    init(_ connect: @Sendable () -> PostgreSQLConnection) { connection = connect() }

    /// Waits until the log of a store ends elsewhere, or until the next confirmed look.
    ///
    /// - Returns: the time of that look; nil if the log ends elsewhere.
    func wait(for store: String, after position: LogPosition, atMost duration: Duration) throws -> ContinuousClock.Instant? {
        let begin = ContinuousClock.now
        condition.lock()
        defer { condition.unlock() }
        startOnce()
        if known[store] == nil { known[store] = Known() }
        let firstLook = looks
        while !isStopped {
            if let found = known[store], let end = found.position {
                // An end that was read before the call may be older than the position.
                if end.isAfter(position) || (end != position && looks > firstLook) { return nil }
                if end == position, let confirmed = found.confirmed, confirmed >= begin { return confirmed }
            }
            if let failure, looks > firstLook { throw failure }
            // A system clock that is set ends this wait too early or too late. Each look of the thread ends it, too.
            let left = duration - begin.duration(to: .now)
            guard left > .zero else { throw failure ?? SharedLogError.unreachable("the server has not answered in time") }
            _ = condition.wait(until: Date(timeIntervalSinceNow: left / .seconds(1)))
        }
        throw SharedLogError.unreachable("the service is stopping")
    }

    /// Whether the thread was started, by the first wait.
    var isWatching: Bool { condition.withLock { hasStarted } }

    private func startOnce() {
        guard !hasStarted else { return }
        hasStarted = true
        Thread.detachNewThread { [self] in
            var isListening = false
            while !condition.withLock({ isStopped }) { watch(&isListening) }
            connection.close()
        }
    }

    private func watch(_ isListening: inout Bool) {
        do {
            if connection.descriptor == nil { isListening = false }
            if !isListening { _ = try connection.run("LISTEN muniment") }
            isListening = true
            try look(isConfirmed: true)
            // Not the system's clock: if that were set back, no look would be confirmed for as long.
            let begin = ContinuousClock.now
            while case let left = Self.interval - begin.duration(to: .now) / .seconds(1), left > 0 {
                try connection.waitForNotification(atMost: left)
                try look(isConfirmed: false)
                if condition.withLock({ isStopped }) { return }
            }
        } catch {
            isListening = false
            connection.close()
            condition.withLock {
                failure = error as? SharedLogError ?? .unreachable("\(error)")
                looks += 1
                condition.broadcast()
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    /// Reads the ends of all logs that are watched.
    private func look(isConfirmed: Bool) throws {
        let names = condition.withLock { Array(known.keys) }
        let begin = ContinuousClock.now
        let found = try connection.run(
            "SELECT store, revision, hash, refusal, refusal_hash FROM muniment.heads WHERE store = ANY($1)", [.texts(names)])
        if isConfirmed { try connection.confirm() }
        var positions: [String: LogPosition] = [:]
        for row in found {
            guard let name = row[0] else { continue }
            positions[String(decoding: name, as: UTF8.self)] = try LogPosition(row[1...4])
        }
        condition.withLock {
            for name in names {
                known[name]?.position = positions[name]
                if isConfirmed { known[name]?.confirmed = begin }
            }
            failure = nil
            looks += 1
            condition.broadcast()
        }
    }

    func stop() {
        condition.withLock {
            isStopped = true
            condition.broadcast()
        }
    }
}

extension LogPosition {
    fileprivate func isAfter(_ other: LogPosition) -> Bool {
        revision > other.revision || (refusal?.number.rawValue ?? 0) > (other.refusal?.number.rawValue ?? 0)
    }
}

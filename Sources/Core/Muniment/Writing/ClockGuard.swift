internal import Events
internal import Files
internal import Synchronization

/// Compares the machine's clock with the newest commit and with the time since the machine started, before each commit.
///
/// Until the machine restarts, the wall clock minus the time since the start is constant, except for small corrections. The guard
/// keeps this offset in a file, so that a later process of the same start can compare. After a restart it only has the time of the
/// newest commit.
final class ClockGuard: Sendable {
    private let limits: ClockLimits
    private let mark: ClockMark
    private let isHeadImported: @Sendable () -> Bool
    /// The wall clock minus the time since the start of the machine, in microseconds, at the last commit that was allowed.
    private let offset: Mutex<Int64?>

    /// - Parameters:
    ///   - limits: how far the clock may be off.
    ///   - mark: the file that stores the offset.
    ///   - isHeadImported: whether the newest commit came from an import, so that its time is not this machine's.
    init(_ limits: ClockLimits, mark: ClockMark, isHeadImported: @escaping @Sendable () -> Bool) {
        self.limits = limits
        self.mark = mark
        self.isHeadImported = isHeadImported
        offset = Mutex(mark.offset)
    }

    /// Returns why a commit would be refused now; nil if the clock is within its limits.
    ///
    /// - Parameter head: the time of the newest commit.
    func problem(head: Instant) -> StoreError? { problem(of: limits.machine(), head: head, offset: offset.withLock { $0 }) }

    /// Allows or refuses a commit at the machine's current time.
    ///
    /// - Parameter head: the time of the newest commit.
    /// - Throws: ``StoreError/clockIsBehind(_:head:)``, ``StoreError/clockIsAhead(_:expected:)``.
    func check(head: Instant) throws(StoreError) {
        let clock = limits.machine()
        let problem = offset.withLock { offset -> StoreError? in
            if let found = self.problem(of: clock, head: head, offset: offset) { return found }
            let present = clock.wall - clock.sinceBoot
            mark.keep(present, instead: offset)
            offset = present
            return nil
        }
        if let problem { throw problem }
    }

    private func problem(of clock: MachineClock, head: Instant, offset: Int64?) -> StoreError? {
        let now = Instant(microseconds: clock.wall)
        if now.advanced(bySeconds: limits.behindSeconds) < head { return .clockIsBehind(now, head: head) }
        if clock.isSynchronized { return nil }
        if let offset {
            let expected = Instant(microseconds: clock.sinceBoot + offset)
            let isAhead = now > expected.advanced(bySeconds: limits.jumpSeconds)
            return isAhead ? .clockIsAhead(now, expected: expected) : nil
        }
        let isAhead = now > head.advanced(bySeconds: limits.idleDays * 86_400)
        return isAhead && !isHeadImported() ? .clockIsAhead(now, expected: head) : nil
    }
}

/// The file that keeps the offset of the clock for one start of the machine: the identity of the start, and microseconds in decimal.
struct ClockMark: Sendable {
    let path: String
    /// The smallest change of the offset to write, in microseconds: ten seconds.
    private static let step: Int64 = 10_000_000

    /// The offset stored since the machine started; nil if the file has none.
    var offset: Int64? {
        guard let bytes = try? readFile(path) else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count == 3, Array(lines[0]) == Self.start else { return nil }
        return Int64(String(decoding: lines[1], as: UTF8.self))
    }

    /// Writes the offset if it differs from the previous one. If the write fails, the next process has less to compare with.
    func keep(_ offset: Int64, instead before: Int64?) {
        if let before, offset.subtractingReportingOverflow(before).partialValue.magnitude < Self.step.magnitude { return }
        try? replaceFile(path, with: Self.start + Array("\n\(offset)\n".utf8))
    }

    private static var start: [UInt8] { bootIdentity().filter { $0 != UInt8(ascii: "\n") } }
}

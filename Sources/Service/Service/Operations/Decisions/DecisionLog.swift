internal import Credentials
internal import Events
internal import Files
internal import Foundation
internal import HTTPServer
internal import Permissions
internal import Synchronization

/// Records every decision of a store in files of a bounded size. Recording never blocks.
///
/// A decision is written soon after it was made, and then survives the end of the process. It is not synced, so a crash of the
/// machine can lose the last ones. If decisions are made faster than they can be written, the excess is dropped and counted, and a
/// line of the log contains the count.
final class DecisionLog: Sendable {
    /// The limits of a decision log.
    struct Limits: Sendable {
        /// The size of a file in bytes. A new file begins when it is reached.
        var fileBytes = 16 << 20
        /// The total size in bytes above which the oldest file is removed.
        var totalBytes = 1 << 30
        /// Bytes that may wait to be written.
        var queueBytes = 8 << 20
    }

    let recorded = Counter()
    var dropped: Counter { output.dropped }
    private let output: DecisionOutput
    private let lines: LineQueue
    private let state: Mutex<State>

    private struct State {
        var next: UInt64
        var isClosed = false
    }

    /// Opens the log for appending.
    ///
    /// - Parameters:
    ///   - files: the files; their folder is created if it does not exist.
    ///   - limits: the limits of the log.
    ///   - report: receives a line if the log cannot be written.
    init(_ files: DecisionFiles, limits: Limits = Limits(), report: @escaping @Sendable (String) -> Void) throws {
        try makeFolder(files.folder)
        let (file, next) = try DecisionOutput.end(of: files)
        state = Mutex(State(next: next))
        let output = try DecisionOutput(files, limits, file, report)
        self.output = output
        lines = LineQueue(label: "muniment.decisions", limitBytes: limits.queueBytes) { output.write($0) }
    }

    /// Adds a decision, from any thread. Does not block.
    func record(_ decision: Decision) {
        let tail = decision.tail
        let isTaken = state.withLock { state in
            let untold = output.untold.exchange(0, ordering: .relaxed)
            let number = untold > 0 ? state.next + 1 : state.next
            var bytes = untold > 0 ? DecisionLine.drop(state.next, decision.time, untold) : []
            bytes += "{\"number\":\(number)".utf8
            guard !state.isClosed, lines.offer(bytes + tail) else {
                output.untold.add(untold + 1, ordering: .relaxed)
                return false
            }
            state.next = number + 1
            return true
        }
        (isTaken ? recorded : dropped).add()
    }

    /// Waits until every decision that was added before is written.
    func flush() { lines.flush() }

    /// Writes the waiting decisions, and accepts no more.
    func close() {
        state.withLock { $0.isClosed = true }
        flush()
        output.close()
    }
}

/// The files that decisions are written to.
private final class DecisionOutput: Sendable {
    let dropped = Counter()
    /// The number of dropped decisions that no line contains yet.
    let untold = Atomic<UInt64>(0)
    private let files: DecisionFiles
    private let limits: DecisionLog.Limits
    private let report: @Sendable (String) -> Void
    private let current: Mutex<File>

    private struct File {
        var handle: FileHandle
        var bytes: Int
        /// Why writing failed; nil while it works.
        var failure: String?
    }

    init(
        _ files: DecisionFiles, _ limits: DecisionLog.Limits, _ file: DecisionFiles.File,
        _ report: @escaping @Sendable (String) -> Void
    ) throws {
        (self.files, self.limits, self.report) = (files, limits, report)
        current = Mutex(try DecisionOutput.open(file))
    }

    /// Returns the file to continue and the next number. Truncates an incomplete line that a killed process left.
    static func end(of files: DecisionFiles) throws -> (DecisionFiles.File, next: UInt64) {
        guard let last = try files.all().last else { return (files.file(from: 1), 1) }
        let bytes = try readFile(last.path)
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        if end < bytes.count { try replaceFile(last.path, with: Array(bytes[..<end])) }
        let lines = bytes[..<end].split(separator: UInt8(ascii: "\n"))
        let number = lines.last.flatMap { DecisionLine(Array($0)) }?.number
        return (last, number.map { $0 + 1 } ?? last.first + UInt64(lines.count))
    }

    private static func open(_ file: DecisionFiles.File) throws -> File {
        if !fileExists(file.path) { try replaceFile(file.path, with: []) }
        let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
        return File(handle: handle, bytes: Int(try handle.seekToEnd()))
    }

    /// Writes lines. Called by one thread at a time.
    func write(_ bytes: [UInt8]) {
        current.withLock { file in
            do {
                // A failed write can leave an incomplete line; ending it keeps the next line intact.
                let lineEnd: [UInt8] = file.failure == nil ? [] : [UInt8(ascii: "\n")]
                try file.handle.write(contentsOf: Data(lineEnd + bytes))
                file.bytes += lineEnd.count + bytes.count
                file.failure = nil
                if file.bytes >= limits.fileBytes { try rotate(&file, after: bytes) }
            } catch {
                giveUp(bytes)
                if file.failure == nil { report("decisions cannot be written to `\(files.folder)`: \(error)") }
                file.failure = "\(error)"
            }
        }
    }

    private static func lines(_ bytes: [UInt8]) -> [DecisionLine] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { DecisionLine(Array($0)) }
    }

    /// Counts decisions that could not be written. The next line that succeeds reports the count.
    private func giveUp(_ bytes: [UInt8]) {
        for line in DecisionOutput.lines(bytes) {
            if case .dropped(_, _, let count) = line {
                untold.add(count, ordering: .relaxed)
            } else {
                untold.add(1, ordering: .relaxed)
                dropped.add()
            }
        }
    }

    private func rotate(_ file: inout File, after bytes: [UInt8]) throws {
        guard let last = DecisionOutput.lines(bytes).last else { return }
        try file.handle.synchronize()
        let old = file.handle
        file = try DecisionOutput.open(files.file(from: last.number + 1))
        try old.close()
        var all = try files.all()
        var total = all.reduce(0) { $0 + files.bytes(of: $1) }
        while total > limits.totalBytes, all.count > 1 {
            let oldest = all.removeFirst()
            total -= files.bytes(of: oldest)
            try removeFile(oldest.path)
        }
    }

    func close() {
        current.withLock { file in
            try? file.handle.synchronize()
            try? file.handle.close()
        }
    }
}

extension RequestContext {
    /// Counts a decision, and adds it to the store's decision log, if it has one. Does not block.
    ///
    /// - Parameters:
    ///   - isAllowed: whether the check was allowed.
    ///   - subject: the subject of the check.
    ///   - action: the privilege, or the name of its action.
    ///   - resource: the object.
    ///   - revision: the revision of the decision.
    func decided(_ isAllowed: Bool, _ subject: Name, _ action: String, _ resource: Name, revision: Revision) {
        guard let hosted else { return }
        hosted.decisions.add(isAllowed)
        guard let log = hosted.decisionLog else { return }
        log.record(
            Decision(
                time: service.settings.clock(), credential: caller?.id, subject: subject.text, action: action,
                resource: resource.text,
                isAllowed: isAllowed, revision: revision, requestID: requestID))
    }
}

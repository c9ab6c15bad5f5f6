internal import Dispatch
internal import Events
internal import Files
internal import Foundation
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
    let dropped = Counter()
    private let files: DecisionFiles
    private let limits: Limits
    private let report: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "muniment.decisions")
    private let state: Mutex<State>
    /// The file that is written to. Used on the queue only.
    private let output: Mutex<Output>

    private struct State {
        var bytes: [UInt8] = []
        var next: UInt64
        /// The number of dropped decisions that no line contains yet.
        var untold: UInt64 = 0
        var isDraining = false
        var isClosed = false
    }

    private struct Output {
        var handle: FileHandle
        var bytes: Int
        /// Why writing failed; nil while it works.
        var failure: String?
    }

    /// Opens the log for appending.
    ///
    /// - Parameters:
    ///   - files: the files; their folder is created if it does not exist.
    ///   - limits: the limits of the log.
    ///   - report: receives a line if the log cannot be written.
    init(_ files: DecisionFiles, limits: Limits = Limits(), report: @escaping @Sendable (String) -> Void) throws {
        self.files = files
        self.limits = limits
        self.report = report
        try makeFolder(files.folder)
        let (file, next) = try DecisionLog.end(of: files)
        state = Mutex(State(next: next))
        output = Mutex(try DecisionLog.open(file))
    }

    /// Returns the file to continue and the next number. Truncates an incomplete line that a killed process left.
    private static func end(of files: DecisionFiles) throws -> (DecisionFiles.File, next: UInt64) {
        guard let last = try files.all().last else { return (files.file(from: 1), 1) }
        let bytes = try readFile(last.path)
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        if end < bytes.count { try replaceFile(last.path, with: Array(bytes[..<end])) }
        let lines = bytes[..<end].split(separator: UInt8(ascii: "\n"))
        let number = lines.last.flatMap { DecisionLine(Array($0)) }?.number
        return (last, number.map { $0 + 1 } ?? last.first + UInt64(lines.count))
    }

    private static func open(_ file: DecisionFiles.File) throws -> Output {
        if !fileExists(file.path) { try replaceFile(file.path, with: []) }
        let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
        return Output(handle: handle, bytes: Int(try handle.seekToEnd()))
    }

    /// Adds a decision, from any thread. Does not block.
    func record(_ decision: Decision) {
        let tail = decision.tail
        let (isTaken, begins) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed, state.bytes.count + tail.count + 32 <= limits.queueBytes else {
                state.untold += 1
                return (false, false)
            }
            if state.untold > 0 {
                state.bytes += DecisionLine.drop(state.next, decision.time, state.untold)
                (state.next, state.untold) = (state.next + 1, 0)
            }
            state.bytes += Array("{\"number\":\(state.next)".utf8)
            state.bytes += tail
            state.next += 1
            defer { state.isDraining = true }
            return (true, !state.isDraining)
        }
        (isTaken ? recorded : dropped).add()
        if begins { queue.async { self.drain() } }
    }

    private func drain() {
        while true {
            let (bytes, next) = state.withLock { state in
                let bytes = state.bytes
                state.bytes = []
                if bytes.isEmpty { state.isDraining = false }
                return (bytes, state.next)
            }
            if bytes.isEmpty { return }
            output.withLock { write(bytes, &$0, next) }
        }
    }

    /// - Parameter next: the number after the last one in `bytes`.
    private func write(_ bytes: [UInt8], _ output: inout Output, _ next: UInt64) {
        do {
            // A failed write can leave an incomplete line; ending it keeps the next line intact.
            let lineEnd: [UInt8] = output.failure == nil ? [] : [UInt8(ascii: "\n")]
            try output.handle.write(contentsOf: Data(lineEnd + bytes))
            output.bytes += lineEnd.count + bytes.count
            output.failure = nil
            if output.bytes >= limits.fileBytes { try rotate(&output, next) }
        } catch {
            giveUp(bytes)
            if output.failure == nil { report("decisions cannot be written to `\(files.folder)`: \(error)") }
            output.failure = "\(error)"
        }
    }

    /// Counts decisions that could not be written. The next line that succeeds reports the count.
    private func giveUp(_ bytes: [UInt8]) {
        var untold: UInt64 = 0
        for case let line? in bytes.split(separator: UInt8(ascii: "\n")).map({ DecisionLine(Array($0)) }) {
            switch line {
            case .decision:
                untold += 1
                dropped.add()
            case .dropped(_, _, let count): untold += count
            }
        }
        state.withLock { $0.untold += untold }
    }

    private func rotate(_ output: inout Output, _ next: UInt64) throws {
        try output.handle.synchronize()
        let old = output.handle
        output = try DecisionLog.open(files.file(from: next))
        try old.close()
        var all = try files.all()
        var total = all.reduce(0) { $0 + files.bytes(of: $1) }
        while total > limits.totalBytes, all.count > 1 {
            let oldest = all.removeFirst()
            total -= files.bytes(of: oldest)
            try removeFile(oldest.path)
        }
    }

    /// Waits until every decision that was added before is written.
    func flush() {
        queue.sync {}
        queue.sync { self.drain() }
    }

    /// Writes the waiting decisions, and accepts no more.
    func close() {
        state.withLock { $0.isClosed = true }
        flush()
        output.withLock { output in
            try? output.handle.synchronize()
            try? output.handle.close()
        }
    }
}

internal import Dispatch
internal import Synchronization

/// Accepts lines from any thread and writes them on a separate thread, so that callers never wait for a disk or a terminal. It
/// holds a bounded number of bytes; lines above the limit are rejected.
final class LineQueue: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isDraining = false
    }

    private let state = Mutex(State())
    private let limitBytes: Int
    private let queue: DispatchQueue
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameters:
    ///   - label: the name of its thread.
    ///   - limitBytes: the number of bytes that may wait.
    ///   - write: receives lines, several at once, in order; one call at a time.
    init(label: String, limitBytes: Int, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.limitBytes = limitBytes
        self.write = write
        queue = DispatchQueue(label: label)
    }

    /// Adds a line, including its line end. Returns false if the queue is full.
    func offer(_ line: [UInt8]) -> Bool {
        let (isTaken, begins) = state.withLock { state -> (Bool, Bool) in
            guard state.bytes.count + line.count <= limitBytes else { return (false, false) }
            state.bytes += line
            defer { state.isDraining = true }
            return (true, !state.isDraining)
        }
        if begins { queue.async { self.drain() } }
        return isTaken
    }

    private func drain() {
        while true {
            let bytes = state.withLock { state in
                let bytes = state.bytes
                state.bytes = []
                if bytes.isEmpty { state.isDraining = false }
                return bytes
            }
            if bytes.isEmpty { return }
            write(bytes)
        }
    }

    /// Waits until every line that was added before is written.
    func flush() {
        queue.sync {}
        queue.sync { self.drain() }
    }
}

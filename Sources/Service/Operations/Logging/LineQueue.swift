internal import Dispatch
internal import Synchronization

/// Takes lines from any thread and hands them on from one of its own, so that whoever has a line never waits for a disk or a
/// terminal. It holds a bounded number of bytes; a line for which there is no room is not taken.
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
    ///   - label: what its thread is called.
    ///   - limitBytes: how many bytes may wait.
    ///   - write: is given lines, several at once, in the order that they were taken in; one call at a time.
    init(label: String, limitBytes: Int, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.limitBytes = limitBytes
        self.write = write
        queue = DispatchQueue(label: label)
    }

    /// Takes a line, with its end. False where there is no room for it.
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

    /// Waits until every line that was taken before is handed on.
    func flush() {
        queue.sync {}
        queue.sync { self.drain() }
    }
}

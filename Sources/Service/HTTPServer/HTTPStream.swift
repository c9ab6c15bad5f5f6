internal import CMicroHTTPD
internal import Dispatch
internal import Synchronization

/// The stream was finished, or its connection was closed.
public struct HTTPStreamClosedError: Error, Hashable {
    public init() {}
}

/// A bounded buffer between the producer of a body and its connection.
///
/// A write that fits is added as a whole, so that writes of several producers do not mix. An empty buffer accepts any write: it
/// never holds more than the limit and one write. An empty stream uses no memory. If the connection waits for a write and can take it
/// at once, the write goes to its socket without the buffer.
@safe public final class HTTPStream: Sendable {
    /// Writers wait if the buffer contains this number of bytes.
    public let limitBytes: Int
    /// Whether the stream continues until the client disconnects, so that a stopping server need not wait for its end.
    public let isEndless: Bool
    private let onClose: @Sendable () -> Void
    private let state = Mutex(State())

    private struct State {
        var buffer: [UInt8] = []
        var start = 0
        var isFinished = false
        var isAborted = false
        var isClosed = false
        /// The connection, while it is suspended because the buffer is empty.
        var resting: SuspendedConnection?
        /// The bytes that were written to the socket of the suspended connection.
        var bytesPassedBy: UInt64 = 0
        var waiting: [Waiter] = []
        /// The reader without a connection, while the buffer is empty.
        var reader: CheckedContinuation<Void, Never>?

        var count: Int { buffer.count - start }
    }

    private enum Waiter {
        case task(CheckedContinuation<Void, Never>)
        case thread(DispatchSemaphore)

        func wake() {
            switch self {
            case .task(let continuation): continuation.resume()
            case .thread(let semaphore): semaphore.signal()
            }
        }
    }

    /// Creates an empty stream.
    ///
    /// - Parameters:
    ///   - limitBytes: writers wait if the buffer contains this number of bytes.
    ///   - isEndless: whether it continues until the client disconnects; a stopping server finishes it at once.
    ///   - onClose: called once, when the connection no longer needs the stream, however it ended. Called on a server thread: must
    ///     not block.
    public init(limitBytes: Int = 65_536, isEndless: Bool = false, onClose: @escaping @Sendable () -> Void = {}) {
        self.limitBytes = limitBytes
        self.isEndless = isEndless
        self.onClose = onClose
    }

    /// Whether writes can no longer reach the client.
    public var isClosed: Bool { state.withLock { $0.isClosed || $0.isFinished } }

    /// Bytes that were written and not passed to the connection yet.
    public var bufferedBytes: Int { state.withLock { $0.count } }

    /// Bytes that were written without the buffer.
    package var bytesPassedBy: UInt64 { state.withLock { $0.bytesPassedBy } }

    /// Adds bytes; waits while the buffer is full.
    public func write(_ bytes: [UInt8]) async throws(HTTPStreamClosedError) {
        while true {
            switch add(bytes) {
            case .taken: return
            case .closed: throw HTTPStreamClosedError()
            case .full: await withCheckedContinuation { wait(.task($0), for: bytes.count) }
            }
        }
    }

    /// Adds bytes; blocks the thread while the buffer is full. For producers on a separate queue.
    public func writeBlocking(_ bytes: [UInt8]) throws(HTTPStreamClosedError) {
        while true {
            switch add(bytes) {
            case .taken: return
            case .closed: throw HTTPStreamClosedError()
            case .full:
                let semaphore = DispatchSemaphore(value: 0)
                wait(.thread(semaphore), for: bytes.count)
                semaphore.wait()
            }
        }
    }

    /// Waits until the buffer is empty, so that data which is read afterwards can be added at once.
    public func drain() async throws(HTTPStreamClosedError) {
        while true {
            let (isClosed, isEmpty) = state.withLock { ($0.isClosed || $0.isFinished, $0.count == 0) }
            if isClosed { throw HTTPStreamClosedError() }
            if isEmpty { return }
            await withCheckedContinuation { wait(.task($0), for: limitBytes + 1) }
        }
    }

    /// Adds bytes only if the buffer is empty. Returns whether it did.
    public func offer(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.isClosed, !state.isFinished, state.count == 0 else { return false }
            Self.append(bytes, to: &state)
            return true
        }
    }

    /// Ends the body after the bytes that were written.
    public func finish() {
        let woken = state.withLock { state in
            state.isFinished = true
            Self.wakeConnection(&state)
            return Self.takeWaiting(&state)
        }
        for waiter in woken { waiter.wake() }
    }

    private enum Added {
        case taken, full, closed
    }

    private func add(_ bytes: [UInt8]) -> Added {
        state.withLock { state in
            if state.isClosed || state.isFinished { return .closed }
            guard Self.hasRoom(beside: state.count, for: bytes.count, limit: limitBytes) else { return .full }
            Self.append(bytes, to: &state)
            return .taken
        }
    }

    /// Adds a waiter, or wakes it if the buffer has space now.
    private func wait(_ waiter: Waiter, for count: Int) {
        let mayGoOn = state.withLock { state in
            if state.isClosed || state.isFinished || Self.hasRoom(beside: state.count, for: count, limit: limitBytes) {
                return true
            }
            state.waiting.append(waiter)
            return false
        }
        if mayGoOn { waiter.wake() }
    }

    private static func hasRoom(beside held: Int, for count: Int, limit: Int) -> Bool {
        held == 0 || held + count <= limit
    }

    private static func append(_ bytes: [UInt8], to state: inout State) {
        if bytes.isEmpty { return }
        if state.count == 0, let resting = state.resting, resting.write(bytes) {
            state.bytesPassedBy += UInt64(bytes.count)
            return
        }
        if state.start == state.buffer.count {
            state.buffer = bytes
            state.start = 0
        } else {
            state.buffer.append(contentsOf: bytes)
        }
        wakeConnection(&state)
    }

    private static func wakeConnection(_ state: inout State) {
        if let reader = state.reader.take() { reader.resume() }
        state.resting?.resume()
        state.resting = nil
    }

    private static func takeWaiting(_ state: inout State) -> [Waiter] {
        defer { state.waiting = [] }
        return state.waiting
    }

    // MARK: The connection's side

    /// The result of reading from the stream.
    enum Portion {
        case bytes(Int)
        /// The buffer is empty; the connection is suspended until a write.
        case resting
        case end
        case aborted
    }

    /// Moves bytes to the connection, or suspends it.
    func read(into room: UnsafeMutableRawBufferPointer, resting connection: SuspendedConnection) -> Portion {
        let (portion, woken) = state.withLock { state -> (Portion, [Waiter]) in
            if state.isAborted { return (.aborted, []) }
            if state.count == 0 {
                if state.isFinished { return (.end, []) }
                state.resting = connection
                connection.suspend()
                return (.resting, [])
            }
            let taken = min(room.count, state.count)
            unsafe state.buffer.withUnsafeBytes { bytes in
                unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[state.start..<(state.start + taken)]))
            }
            state.start += taken
            if state.count == 0 {
                state.buffer = []
                state.start = 0
            } else if state.start > limitBytes {
                state.buffer.removeFirst(state.start)
                state.start = 0
            }
            return (.bytes(taken), Self.takeWaiting(&state))
        }
        for waiter in woken { waiter.wake() }
        return portion
    }

    /// Returns all bytes until the stream is finished, for calling an application directly.
    package func collected() async -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let (bytes, isOver, woken) = state.withLock { state in
                defer { (state.buffer, state.start) = ([], 0) }
                return (Array(state.buffer[state.start...]), state.isFinished, Self.takeWaiting(&state))
            }
            all += bytes
            for waiter in woken { waiter.wake() }
            if isOver {
                close()
                return all
            }
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.count > 0 || state.isFinished { return true }
                    state.reader = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        }
    }

    /// Aborts the body; the client sees that it is incomplete.
    package func abort() {
        state.withLock { $0.isAborted = true }
        finish()
    }

    /// Closes the stream after its connection has ended, or if it never had one.
    func close() {
        let (isFirst, woken) = state.withLock { state in
            let isFirst = !state.isClosed
            state.isClosed = true
            state.buffer = []
            state.start = 0
            state.resting = nil
            return (isFirst, Self.takeWaiting(&state))
        }
        for waiter in woken { waiter.wake() }
        if isFirst { onClose() }
    }
}

/// A connection that can be suspended, and resumed from any thread.
@safe struct SuspendedConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    /// The connection whose socket takes chunks; nil if its bytes have another encoding.
    private let chunked: Connection?

    /// - Parameters:
    ///   - handle: the library's handle.
    ///   - chunked: the connection, if it is not encrypted and its response has the chunked encoding.
    init(_ handle: OpaquePointer, chunked: Connection?) {
        unsafe self.handle = handle
        self.chunked = chunked
    }

    /// Suspends the connection until ``resume()``. Must be called on its thread, during a callback of the library for it.
    func suspend() { unsafe MHD_suspend_connection(handle) }

    /// Resumes the connection. Must be called once for each suspension.
    func resume() { unsafe MHD_resume_connection(handle) }

    /// Writes a chunk of the body to the socket while the connection is suspended: the library has then sent every byte before it. This
    /// costs one system call. Resuming the connection costs several, and a switch to its thread.
    ///
    /// - Returns: false if nothing was written, because the bytes do not fit into the socket for certain.
    func write(_ bytes: [UInt8]) -> Bool { chunked?.writeChunk(bytes) ?? false }
}

internal import CMicroHTTPD
internal import Synchronization

/// A request. Its head can be read until its response is sent.
@safe public final class HTTPRequest: @unchecked Sendable {
    /// The method as sent; empty before the head has arrived.
    public internal(set) var method = ""
    /// The request target as sent.
    public let target: String
    /// The path of the target, percent-encoded as sent.
    public let path: String
    /// The text after the first `?` of the target; empty without one.
    public let query: String
    /// The whole body, available when the application must answer.
    public internal(set) var body: [UInt8] = []
    /// The client's address; empty for a request without a connection.
    public var peer: String { connection.peer }
    /// The owner of the memory share for bodies and responses: the client's address, unless the application sets it.
    public var memoryOwner: String
    /// Whether the response may be dropped for lack of memory. The request then gets the status 503.
    public var changesNothing = false
    /// The application's state of the request, from its head to its end.
    public var context: (any AnyObject & Sendable)?

    let connection: Connection
    /// For a request without a connection: its head, and the function that receives its response.
    private let direct: (headers: [HTTPHeader], respond: @Sendable (HTTPResponse) -> Void)?
    /// The end of its target in the library's memory.
    let targetEnd: UnsafePointer<CChar>?
    /// When its target arrived.
    let beganAt: UInt64
    /// Its stage, on the thread of its connection.
    var stage = Stage.target
    /// The status of its response; 0 before.
    var status = 0
    /// Bytes of the body that were passed to the connection.
    var bytesSent: UInt64 = 0
    /// Its reservations in the memory budget.
    var reservations: [MemoryBudget.Reservation] = []
    /// A large response, which the connection reads in parts.
    var response: [UInt8] = []
    /// The deadline for reading the first bytes of the response, on the monotonic clock; `never` while a stream has none.
    var readingDeadline = Connection.never
    /// Bytes of a stream that were passed on since `readingDeadline` was set.
    var bytesInTime = 0
    /// The time that a client has for the first bytes of a response.
    var readingNanoseconds: UInt64 = 0
    /// The stream of its response.
    var stream: HTTPStream?
    /// Its number among the requests with incomplete responses; nil if it has none.
    var unfinishedNumber: UInt64?
    private let state: Mutex<State>

    /// The stage of a request.
    enum Stage {
        /// Its target has arrived.
        case target
        /// Its body is read, up to a limit.
        case body(limitBytes: Int)
        /// Its body is discarded, and then the response is sent.
        case refused(HTTPResponse, drainBytes: Int)
        /// The request waits for a response, possibly from another thread.
        case waiting
        /// It has its response.
        case answered
    }

    /// The state of a response from another thread.
    private enum Delivery {
        case open
        case suspended
        case given(HTTPResponse)
        case over
    }

    /// The state shared by threads: the thread that responds may still read the head after the connection has closed.
    @safe private struct State: @unchecked Sendable {
        /// The library's connection; nil after the request has ended.
        var handle: OpaquePointer?
        var delivery = Delivery.open
        /// The head of a request that ended before its response.
        var kept: [HTTPHeader] = []
    }

    /// The state of a response from another thread.
    enum Arrival {
        case response(HTTPResponse)
        /// It comes later; the connection is suspended until then.
        case later
        /// It will not come.
        case none
    }

    init(target: UnsafePointer<CChar>, connection: Connection, handle: OpaquePointer, at moment: UInt64) {
        unsafe targetEnd = target + CString.length(target)
        let text = unsafe String(cString: target)
        self.target = text
        (path, query) = RequestTarget.parts(of: text)
        self.connection = connection
        unsafe state = Mutex(State(handle: handle))
        beganAt = moment
        direct = nil
    }

    /// Creates a request without a connection, for calling an application directly.
    ///
    /// - Parameters:
    ///   - method: its method.
    ///   - target: its target, as it would be sent.
    ///   - headers: its headers.
    ///   - body: its whole body.
    ///   - peer: the client address to report; empty for none.
    ///   - respond: receives the response that is sent with ``respond(_:)``.
    package init(
        method: String, target: String, headers: [HTTPHeader], body: [UInt8], peer: String = "",
        respond: @escaping @Sendable (HTTPResponse) -> Void
    ) {
        self.method = method
        self.target = target
        (path, query) = RequestTarget.parts(of: target)
        self.body = body
        connection = Connection(peer: peer)
        state = Mutex(State())
        unsafe targetEnd = nil
        beganAt = Clock.nanoseconds()
        direct = (headers, respond)
    }

    /// Returns the first header of a name, in any letter case, without the blanks around it; nil if it is missing.
    public func header(_ name: String) -> String? {
        if let direct {
            return direct.headers.first { $0.name.lowercased() == name.lowercased() }.map { HeaderText.trimmed($0.value) }
        }
        return state.withLock { state in
            guard let handle = unsafe state.handle else {
                return state.kept.first { $0.name.lowercased() == name.lowercased() }.map { HeaderText.trimmed($0.value) }
            }
            let value = unsafe MHD_lookup_connection_value(handle, .HEADER_KIND, name)
            return unsafe value.map { unsafe HeaderText.trimmed(String(cString: $0)) }
        }
    }

    /// The handle to suspend the connection; nil after the request has ended.
    var restingConnection: RestingConnection? { state.withLock { unsafe $0.handle.map { unsafe RestingConnection($0) } } }

    /// Returns all headers of a name, in any letter case, in the order of the request, without the blanks around them.
    public func headers(_ name: String) -> [String] {
        let all = direct?.headers ?? state.withLock { unsafe $0.handle.map { unsafe Callbacks.headers(of: $0) } ?? $0.kept }
        return all.filter { $0.name.lowercased() == name.lowercased() }.map { HeaderText.trimmed($0.value) }
    }

    /// Sets the deadline for reading the first bytes of a response.
    func beginReading() { readingDeadline = Clock.nanoseconds() + readingNanoseconds }

    /// Extends the deadline for reading this many bytes of a response, at the lowest rate.
    func allowTimeToRead(bytes: Int) {
        let more = UInt64(bytes) * 1_000_000_000 / UInt64(Engine.slowestBody)
        connection.deadline.store(readingDeadline + more, ordering: .relaxed)
    }

    /// Answers a request after `answer` returned ``HTTPAnswer/later``: once, from any thread. If the request has already ended,
    /// nothing is sent, and a stream is closed.
    public func respond(_ response: HTTPResponse) {
        if let direct { return direct.respond(response) }
        let isTaken = state.withLock { state in
            switch state.delivery {
            case .open: state.delivery = .given(response)
            case .suspended:
                state.delivery = .given(response)
                if let handle = unsafe state.handle { unsafe MHD_resume_connection(handle) }
            case .given, .over: return false
            }
            return true
        }
        if !isTaken, case .stream(let stream) = response.body { stream.close() }
    }

    /// Takes the response from another thread, or suspends the connection until it arrives.
    func takeDelivery() -> Arrival {
        state.withLock { state in
            switch state.delivery {
            case .given(let response):
                state.delivery = .over
                return .response(response)
            case .open:
                if let handle = unsafe state.handle {
                    unsafe MHD_suspend_connection(handle)
                    state.delivery = .suspended
                }
                return .later
            case .suspended: return .later
            case .over: return .none
            }
        }
    }

    /// Stops waiting for a response. Sends none, because the operation may or may not have happened.
    func breakOff() {
        state.withLock { state in
            if case .given = state.delivery { return }
            let isResting = if case .suspended = state.delivery { true } else { false }
            state.delivery = .over
            if isResting, let handle = unsafe state.handle { unsafe MHD_resume_connection(handle) }
        }
    }

    /// Ends the request. A later response is discarded.
    func end() {
        let late = state.withLock { state in
            defer {
                state.delivery = .over
                unsafe state.handle = nil
            }
            if case .given(let response) = state.delivery { return response as HTTPResponse? }
            // Keeps the headers for a thread that is about to respond and still reads them.
            if case .waiting = stage, let handle = unsafe state.handle { unsafe state.kept = Callbacks.headers(of: handle) }
            return nil
        }
        if case .stream(let stream)? = late?.body { stream.close() }
        stream?.close()
    }
}

internal import CMicroHTTPD
internal import Synchronization

/// One request. Its head can be read until its answer is sent.
@safe public final class HTTPRequest: @unchecked Sendable {
    /// The method, as sent; empty until the head is there.
    public internal(set) var method = ""
    /// What was asked for, as sent.
    public let target: String
    /// The path of the target, percent-encoded as sent.
    public let path: String
    /// What follows the first `?` of the target; empty where there is none.
    public let query: String
    /// The whole body, from the moment that it is asked to be answered.
    public internal(set) var body: [UInt8] = []
    /// The client's address; empty for a request that comes from no connection.
    public var peer: String { connection.peer }
    /// Whose share of the memory for bodies and responses the request takes: its client's address, unless the application sets it.
    public var memoryOwner: String
    /// Whether a response for which there is no memory may be dropped, and the request be answered 503.
    public var changesNothing = false
    /// What the application keeps of it, from looking at its head until it is over.
    public var context: (any AnyObject & Sendable)?

    let connection: Connection
    /// A request from no connection: its head, and where its answer goes.
    private let direct: (headers: [HTTPHeader], respond: @Sendable (HTTPResponse) -> Void)?
    /// The end of its target where the library keeps it.
    let targetEnd: UnsafePointer<CChar>?
    /// When its target had arrived.
    let beganAt: UInt64
    /// What has become of it, on the thread of its connection.
    var stage = Stage.target
    /// The status that it was answered with; 0 before.
    var status = 0
    /// Bytes of the body that was handed out.
    var bytesSent: UInt64 = 0
    /// What it has reserved in the budget of memory.
    var reservations: [MemoryBudget.Reservation] = []
    /// A large response, of which the connection takes one part after another.
    var response: [UInt8] = []
    /// When the first bytes of the response must have been read, on the monotonic clock; `never` while a stream has none.
    var readingDeadline = Connection.never
    /// Bytes of a stream that were handed out since `readingDeadline` was set.
    var bytesInTime = 0
    /// The time that a client has for the first bytes of a response.
    var readingNanoseconds: UInt64 = 0
    /// The stream that it is answered with.
    var stream: HTTPStream?
    /// Its number among the requests whose answers are not whole yet; nil if it is not one of them.
    var unfinishedNumber: UInt64?
    private let state: Mutex<State>

    /// How far a request is.
    enum Stage {
        /// Its target is there.
        case target
        /// Its body is read, up to a limit.
        case body(limitBytes: Int)
        /// Its body is thrown away, and then it is answered.
        case refused(HTTPResponse, drainBytes: Int)
        /// An answer may come from another thread.
        case waiting
        /// It has its answer.
        case answered
    }

    /// Where an answer from another thread is.
    private enum Delivery {
        case open
        case suspended
        case given(HTTPResponse)
        case over
    }

    /// What threads share: whoever answers may still read the head when the connection goes.
    @safe private struct State: @unchecked Sendable {
        /// The connection as the library knows it; nil once the request is over.
        var handle: OpaquePointer?
        var delivery = Delivery.open
        /// The head of a request that is over before it was answered.
        var kept: [HTTPHeader] = []
    }

    /// What there is of an answer from another thread.
    enum Arrival {
        case response(HTTPResponse)
        /// It comes later; the connection rests until then.
        case later
        /// None comes any more.
        case none
    }

    init(target: UnsafePointer<CChar>, connection: Connection, handle: OpaquePointer, at moment: UInt64) {
        unsafe targetEnd = target + CString.length(target)
        let text = unsafe String(cString: target)
        self.target = text
        (path, query) = RequestTarget.parts(of: text)
        self.connection = connection
        memoryOwner = connection.peer
        unsafe state = Mutex(State(handle: handle))
        beganAt = moment
        direct = nil
    }

    /// A request that comes from no connection, for asking an application directly.
    ///
    /// - Parameters:
    ///   - method: its method.
    ///   - target: its target, as it would be sent.
    ///   - headers: its headers.
    ///   - body: its whole body.
    ///   - peer: the address that it is to have come from; empty for none.
    ///   - respond: takes what it is answered with by ``respond(_:)``.
    package init(
        method: String, target: String, headers: [HTTPHeader], body: [UInt8], peer: String = "",
        respond: @escaping @Sendable (HTTPResponse) -> Void
    ) {
        self.method = method
        self.target = target
        (path, query) = RequestTarget.parts(of: target)
        self.body = body
        connection = Connection(peer: peer)
        memoryOwner = peer
        state = Mutex(State())
        unsafe targetEnd = nil
        beganAt = Clock.nanoseconds()
        direct = (headers, respond)
    }

    /// The first header of a name, in any letter case, without the blanks around it; nil where there is none.
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

    /// What lets the connection rest; nil once the request is over.
    var restingConnection: RestingConnection? { state.withLock { unsafe $0.handle.map { unsafe RestingConnection($0) } } }

    /// All headers of a name, in any letter case, in the order in which they were sent, without the blanks around them.
    public func headers(_ name: String) -> [String] {
        let all = direct?.headers ?? state.withLock { unsafe $0.handle.map { unsafe Callbacks.headers(of: $0) } ?? $0.kept }
        return all.filter { $0.name.lowercased() == name.lowercased() }.map { HeaderText.trimmed($0.value) }
    }

    /// Lets the client have the time for the first bytes of a response.
    func beginReading() { readingDeadline = Clock.nanoseconds() + readingNanoseconds }

    /// Lets the client have the time for so many bytes of a response, at the slowest rate.
    func allowTimeToRead(bytes: Int) {
        let more = UInt64(bytes) * 1_000_000_000 / UInt64(Engine.slowestBody)
        connection.deadline.store(readingDeadline + more, ordering: .relaxed)
    }

    /// Answers a request to which `answer` said ``HTTPAnswer/later``: once, from any thread. Where the request is over already,
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

    /// Takes the answer from another thread, or lets the connection rest until it is there.
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

    /// Gives up waiting for an answer: what was asked for may be done or not, so that none is right.
    func breakOff() {
        state.withLock { state in
            if case .given = state.delivery { return }
            let isResting = if case .suspended = state.delivery { true } else { false }
            state.delivery = .over
            if isResting, let handle = unsafe state.handle { unsafe MHD_resume_connection(handle) }
        }
    }

    /// Ends the request: an answer that comes now goes nowhere.
    func end() {
        let late = state.withLock { state in
            defer {
                state.delivery = .over
                unsafe state.handle = nil
            }
            if case .given(let response) = state.delivery { return response as HTTPResponse? }
            // Whoever is about to answer reads on in what was sent, and not in something else.
            if case .waiting = stage, let handle = unsafe state.handle { unsafe state.kept = Callbacks.headers(of: handle) }
            return nil
        }
        if case .stream(let stream)? = late?.body { stream.close() }
        stream?.close()
    }
}

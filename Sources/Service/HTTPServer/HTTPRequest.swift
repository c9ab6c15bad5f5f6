internal import CMicroHTTPD
internal import Synchronization

/// An HTTP request. Its head can be read until its response is sent.
@safe public final class HTTPRequest: @unchecked Sendable {
    /// The method, as sent; empty until the head has arrived.
    public internal(set) var method = ""
    /// The request target, as sent.
    public let target: String
    /// The path of the target, percent-encoded as sent.
    public let path: String
    /// The part of the target after the first `?`; empty if the target has no `?`.
    public let query: String
    /// The whole body. It is complete when the application is asked for a response.
    public internal(set) var body: [UInt8] = []
    /// The host of a target that is a whole address, `http://HOST/path`, as sent; nil for any other target.
    public var targetAuthority: String? { RequestTarget.authority(of: target) }
    /// Whether the client understands the chunked encoding of a response without a length.
    var isHTTP11 = false
    /// The client's address; empty for a request without a connection.
    public var peer: String { connection.peer }
    /// The owner that the request's memory for body and response is counted for: the client's address, unless the application sets it.
    public var memoryOwner: String
    /// Whether the server may drop the response and send 503 if the memory for the response is not available.
    public var changesNothing = false
    /// The application's data about the request, from the check of its head until it ends.
    public var context: (any AnyObject & Sendable)?
    /// The application's data about the connection: every request of the connection has the same. Usable from any thread.
    public var connectionState: (any AnyObject & Sendable)? {
        get { connection.applicationState.withLock { $0 } }
        set { connection.applicationState.withLock { $0 = newValue } }
    }

    let connection: Connection
    /// For a request without a connection: its headers, and the function that receives its response.
    private let direct: (headers: [HTTPHeader], respond: @Sendable (HTTPResponse) -> Void)?
    /// The end of the target in the library's buffer.
    let targetEnd: UnsafePointer<CChar>?
    /// Whether the target is UTF-8. Otherwise ``target`` has other bytes.
    let hasUTF8Target: Bool
    /// The end of the head in the library's buffer; nil unless the body is chunked.
    var chunksStart: UnsafePointer<CChar>?
    var isChunked: Bool { unsafe chunksStart != nil }
    /// When the target had arrived.
    let beganAt: UInt64
    /// The state of the request. Only the thread of its connection uses it.
    var stage = Stage.target
    /// The status of the response; 0 before there is a response.
    var status = 0
    /// Bytes of the response body that were handed to the library.
    var bytesSent: UInt64 = 0
    /// The request's reservations in the memory budget.
    var reservations: [MemoryBudget.Reservation] = []
    /// A large response. The connection sends it part by part.
    var response: [UInt8] = []
    /// The client must have read the first bytes of the response by this time of the monotonic clock; `never` while a stream has no bytes.
    var readingDeadline = Connection.never
    /// Bytes of a stream that were handed to the library since `readingDeadline` was set.
    var bytesInTime = 0
    /// The time that the client has for the first bytes of a response.
    var readingNanoseconds: UInt64 = 0
    /// The stream of the response.
    var stream: HTTPStream?
    /// The number of the request among the requests with unfinished responses; nil if it is not one of them.
    var unfinishedNumber: UInt64?
    private let state: Mutex<State>

    /// The state of a request.
    enum Stage {
        /// The target has arrived.
        case target
        /// The server reads the body, up to a limit.
        case body(limitBytes: Int)
        /// The server discards the body and then sends the response.
        case refused(HTTPResponse, drainBytes: Int)
        /// Another thread may send the response.
        case waiting
        /// The request has its response.
        case answered
    }

    /// The state of a response from another thread.
    private enum Delivery {
        case open
        case suspended
        case given(HTTPResponse)
        case over
    }

    /// State shared between threads. The thread that makes the response may still read the head when the connection closes.
    @safe private struct State: @unchecked Sendable {
        /// The library's handle of the connection; nil after the request has ended.
        var handle: OpaquePointer?
        var delivery = Delivery.open
        /// The headers of a request that ended before it had a response.
        var kept: [HTTPHeader] = []
    }

    /// Whether a response from another thread is available.
    enum Arrival {
        case response(HTTPResponse)
        /// The response comes later. The connection is suspended until then.
        case later
        /// There will be no response.
        case none
    }

    init(target: UnsafePointer<CChar>, connection: Connection, handle: OpaquePointer, at moment: UInt64) {
        unsafe targetEnd = target + CString.length(target)
        let valid = unsafe String(validatingCString: target)
        let text = unsafe valid ?? String(cString: target)
        hasUTF8Target = valid != nil
        self.target = text
        (path, query) = RequestTarget.parts(of: text)
        self.connection = connection
        memoryOwner = connection.peer
        unsafe state = Mutex(State(handle: handle))
        beganAt = moment
        direct = nil
    }

    /// Creates a request without a connection, to call an application directly.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - target: the target, as a client would send it.
    ///   - headers: the headers.
    ///   - body: the whole body.
    ///   - peer: the client's address; empty for none.
    ///   - respond: receives the response that is passed to ``respond(_:)``.
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
        hasUTF8Target = true
        beganAt = Clock.nanoseconds()
        direct = (headers, respond)
    }

    /// Returns the first header with a name, without surrounding blanks; nil without one. The case of the name is ignored.
    public func header(_ name: StaticString) -> String? { withHeader(name) { HeaderText.trimmed($0) } }

    /// Returns the bytes of the first header with a name, as sent; nil without one. The case of the name is ignored.
    public func headerBytes(_ name: StaticString) -> [UInt8]? {
        withHeader(name) { value in unsafe value.withUnsafeBufferPointer { unsafe Array($0) } }
    }

    /// Whether the first header with a name has a value, ignoring letter case in both.
    public func header(_ name: StaticString, equals value: StaticString) -> Bool { withHeader(name) { $0.equals(value) } ?? false }

    /// Calls `body` with the value of the first header with a name, as sent. Returns nil without one. The case of the name is ignored.
    public func withHeader<R: Sendable>(_ name: StaticString, _ body: (Span<UInt8>) -> R) -> R? {
        if let direct { return HTTPHeader.first(name, in: direct.headers).map { body($0.value.utf8Span.span) } }
        return state.withLock { state -> R? in
            guard let handle = unsafe state.handle else {
                return HTTPHeader.first(name, in: state.kept).map { body($0.value.utf8Span.span) }
            }
            let found = name.withUTF8Buffer { unsafe MHD_lookup_connection_value(handle, .HEADER_KIND, $0.baseAddress) }
            guard let value = unsafe found else { return nil }
            return unsafe body(Span(_unsafeBytes: UnsafeRawBufferPointer(start: value, count: CString.length(value))))
        }
    }

    /// A handle that suspends the connection; nil after the request has ended.
    var restingConnection: SuspendedConnection? {
        // The deadlines of a stream with an end count the bytes that the library takes.
        let chunked = isHTTP11 && !connection.isEncrypted && stream?.isEndless == true ? connection : nil
        return state.withLock { unsafe $0.handle.map { unsafe SuspendedConnection($0, chunked: chunked) } }
    }

    /// Returns all headers with a name, in the order sent, without surrounding blanks. The case of the name is ignored.
    public func headers(_ name: String) -> [String] {
        let all = direct?.headers ?? state.withLock { unsafe $0.handle.map { unsafe Callbacks.headers(of: $0) } ?? $0.kept }
        return all.filter { $0.name.lowercased() == name.lowercased() }.map { HeaderText.trimmed($0.value.utf8Span.span) }
    }

    /// Starts the time limit for the first bytes of a response.
    func beginReading() {
        let now = Clock.nanoseconds()
        readingDeadline = now + readingNanoseconds
        connection.sendingSince.store(now, ordering: .relaxed)
    }

    /// Extends the time limit by the time for a number of bytes at the lowest allowed rate.
    func allowTimeToRead(bytes: Int) {
        let more = UInt64(bytes) * 1_000_000_000 / UInt64(Engine.slowestBody)
        connection.deadline.store(readingDeadline + more, ordering: .relaxed)
    }

    /// Sends the response to a request for which `answer` returned ``HTTPHandling/later``. Must be called once; usable from any thread.
    /// If the request has already ended, sends nothing, and closes the response's stream.
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

    /// Takes the response from another thread, or suspends the connection until there is one.
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

    /// Stops waiting for a response. The requested change may have been made or not, so no response would be correct.
    func breakOff() {
        state.withLock { state in
            if case .given = state.delivery { return }
            let isResting = if case .suspended = state.delivery { true } else { false }
            state.delivery = .over
            if isResting, let handle = unsafe state.handle { unsafe MHD_resume_connection(handle) }
        }
    }

    /// Ends the request. A later response is dropped.
    func end() {
        let late = state.withLock { state in
            defer {
                state.delivery = .over
                unsafe state.handle = nil
            }
            if case .given(let response) = state.delivery { return response as HTTPResponse? }
            // The thread that makes the response can then still read the headers of this request.
            if case .waiting = stage, let handle = unsafe state.handle { unsafe state.kept = Callbacks.headers(of: handle) }
            return nil
        }
        if case .stream(let stream)? = late?.body { stream.close() }
        stream?.close()
    }
}

/// Parses request targets.
enum RequestTarget {
    /// Returns the path and the query of a target, both as sent. For a proxy target, `http://host/path`, returns its path.
    static func parts(of target: String) -> (path: String, query: String) {
        let bytes = target.utf8
        // The usual case: a path alone.
        if bytes.first == UInt8(ascii: "/"), target.utf8Span.span.allSatisfy({ $0 != UInt8(ascii: "?") }) { return (target, "") }
        var start = bytes.startIndex
        if bytes.first != UInt8(ascii: "/"), let authority = authorityStart(of: target) {
            start = bytes[authority...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? bytes.endIndex
        }
        guard let mark = bytes[start...].firstIndex(of: UInt8(ascii: "?")) else {
            return (start == bytes.startIndex ? target : rooted(target[start...]), "")
        }
        return (rooted(target[start..<mark]), String(target[bytes.index(after: mark)...]))
    }

    /// Returns the host and port of a whole address, as sent; nil for any other target.
    static func authority(of target: String) -> String? {
        guard target.utf8.first != UInt8(ascii: "/"), let start = authorityStart(of: target) else { return nil }
        return String(target[start...].prefix { !"/?#".contains($0) })
    }

    /// Returns whether a target has a valid form for a server: a path, a whole address, or `*`.
    static func isWellFormed(_ target: String) -> Bool {
        let bytes = target.utf8
        guard target.utf8Span.span.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
        return bytes.first == UInt8(ascii: "/") || target == "*" || authorityStart(of: target) != nil
    }

    private static func rooted(_ path: Substring) -> String { path.isEmpty ? "/" : String(path) }

    /// Returns the start of the host in a whole address.
    private static func authorityStart(of target: String) -> String.Index? {
        for scheme in ["http://", "https://"] where target.utf8.count > scheme.utf8.count {
            if target.prefix(scheme.count).lowercased() == scheme {
                return target.utf8.index(target.utf8.startIndex, offsetBy: scheme.utf8.count)
            }
        }
        return nil
    }
}

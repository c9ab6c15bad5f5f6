internal import CMicroHTTPD
internal import Dispatch
internal import Synchronization

/// Handles the library's callbacks: the course of a request from its head to its end.
@safe final class Engine: Sendable {
    /// Bytes of a refused body that are read and discarded, so that the client can read the response.
    static let drainBytes = 1 << 20
    /// The lowest rate at which a body may arrive, in bytes a second.
    static let slowestBody = 16_384
    /// A body or a response of at most this many bytes is not counted in the memory budget.
    static let smallBody = 65_536

    let application: any HTTPApplication
    let requestNanoseconds: UInt64
    let idleNanoseconds: UInt64
    let isEncrypted: Bool
    /// The largest head of a request, in bytes.
    let headerLimitBytes: Int
    let isStopping = Atomic(false)
    /// The number of certificates used before the current one. A connection with a lower number is closed after a response.
    let certificateNumber = Atomic(0)
    /// Signalled when a request ends while the server stops.
    let ended = DispatchSemaphore(value: 0)
    let connections: ConnectionTable
    private let memory: MemoryBudget
    private let unfinished = Mutex(Unfinished())

    /// The requests with unfinished responses. Only these can suspend a connection.
    private struct Unfinished {
        var requests: [UInt64: HTTPRequest] = [:]
        var lastNumber: UInt64 = 0
        var isClosed = false
    }

    private let disconnects: DisconnectWatch

    init(_ settings: HTTPServerSettings, application: any HTTPApplication) throws(HTTPServerError) {
        self.application = application
        disconnects = try DisconnectWatch()
        requestNanoseconds = UInt64(settings.requestSeconds) * 1_000_000_000
        idleNanoseconds = UInt64(settings.idleSeconds) * 1_000_000_000
        isEncrypted = settings.tls != nil
        headerLimitBytes = settings.headerLimitBytes
        connections = ConnectionTable(settings)
        memory = MemoryBudget(limitBytes: settings.memoryLimitBytes)
        disconnects.start { [weak self] in self?.clientLeft($0) }
    }

    deinit { disconnects.cancel() }

    // MARK: Connections

    func began(_ handle: OpaquePointer) -> Connection {
        let connection = unsafe Connection(
            handle, isEncrypted: isEncrypted, deadline: Clock.nanoseconds() + requestNanoseconds,
            certificateNumber: certificateNumber.load(ordering: .relaxed))
        connections.add(connection)
        return connection
    }

    func ended(_ connection: Connection) { connections.remove(connection) }

    /// Whether any request is being handled.
    var isBusy: Bool { connections.isBusy }

    /// Notes how much each client has read of its response, and ends the connections whose clients exceed a time limit.
    ///
    /// The library's own time limit is off. It would count only writes, and the library writes only when a third of the socket's buffer is
    /// free: a client that reads slowly would lose its connection.
    func endSlowConnections(at now: UInt64 = Clock.nanoseconds()) {
        connections.each { connection in
            connection.noteReading(at: now)
            guard connection.deadline.load(ordering: .relaxed) < now else { return }
            if connection.isEndless.load(ordering: .relaxed), connection.hasReadMore() {
                return connection.deadline.store(now + idleNanoseconds + requestNanoseconds, ordering: .relaxed)
            }
            connection.deadline.store(Connection.never, ordering: .relaxed)
            if !connection.isAnswered.load(ordering: .relaxed) {
                connection.send(
                    RawResponse.bytes(application.refusal(of: nil, status: 408, detail: "the request took too long to arrive")))
            }
            connection.shutDown()
        }
    }

    // MARK: Requests

    func began(target: UnsafePointer<CChar>, on connection: Connection, _ handle: OpaquePointer) -> HTTPRequest {
        let now = Clock.nanoseconds()
        connection.isBusy.store(true, ordering: .releasing)
        connection.waitingSince.store(now, ordering: .relaxed)
        connection.isAnswered.store(false, ordering: .relaxed)
        connection.deadline.store(now + requestNanoseconds, ordering: .relaxed)
        return unsafe HTTPRequest(target: target, connection: connection, handle: handle, at: now)
    }

    /// Handles the data of a request that has arrived, and responds as soon as possible.
    ///
    /// - Returns: false to close the connection without a response.
    func take(_ data: UnsafeRawBufferPointer, of request: HTTPRequest, on handle: OpaquePointer) -> Bool {
        switch request.stage {
        case .target, .answered: return true
        case .waiting: return unsafe deliver(request, on: handle)
        case .body(let limit):
            if unsafe data.isEmpty {
                guard unsafe Callbacks.hasTrailers(request, on: handle) else { return unsafe answer(request, on: handle) }
                let detail = "the body has trailers: send it without them"
                return unsafe queue(application.refusal(of: request, status: 400, detail: detail), for: request, on: handle)
            }
            if request.body.count + data.count > limit {
                request.body = []
                let response = application.refusal(of: request, status: 413, detail: "the body is larger than \(limit) bytes")
                request.stage = .refused(response, drainBytes: Self.drainBytes)
                return true
            }
            unsafe request.body.append(contentsOf: data)
            allowTime(for: request, bytes: request.body.count)
            return true
        case .refused(let response, let drainBytes):
            if unsafe data.isEmpty { return unsafe queue(response, for: request, on: handle) }
            if data.count > drainBytes { return sendRaw(response, for: request) }
            request.stage = .refused(response, drainBytes: drainBytes - data.count)
            return true
        }
    }

    /// Checks the head of a request.
    func takeHead(_ framing: Framing, of request: HTTPRequest, on handle: OpaquePointer) -> Bool {
        if let refusal = framing.refusal {
            let response = application.refusal(of: request, status: refusal.status, detail: refusal.detail)
            return unsafe refuseAtOnce(response, framing, request, on: handle)
        }
        switch application.admit(request) {
        case .refused(let response):
            return unsafe refuse(response, framing, request, on: handle)
        case .body(let limit):
            if let length = framing.contentLength, length > limit {
                let detail = "the body has \(length) bytes; no more than \(limit) are read"
                let response = application.refusal(of: request, status: 413, detail: detail)
                return unsafe refuse(response, framing, request, on: handle)
            }
            // A body of a few bytes is not a reason to reject a caller. Small requests are still handled at the limit.
            let bytes = framing.announcesBody ? framing.contentLength ?? limit : 0
            if bytes > Self.smallBody, !reserve(bytes, for: request) {
                return unsafe refuse(lacksMemory(request), framing, request, on: handle)
            }
            request.body.reserveCapacity(bytes)
            request.stage = .body(limitBytes: limit)
            return true
        }
    }

    /// Called when a request has ended.
    func ended(_ request: HTTPRequest, status: Int) {
        let connection = request.connection
        let now = Clock.nanoseconds()
        if let number = request.unfinishedNumber {
            _ = unfinished.withLock { $0.requests.removeValue(forKey: number) }
            disconnects.forget(connection.socket)
        }
        let bytes = request.bytesSent + (request.stream?.bytesPassedBy ?? 0)
        application.ended(request, status: status, bytesSent: bytes, nanoseconds: now - request.beganAt)
        request.end()
        for reservation in request.reservations { memory.release(reservation) }
        connection.deadline.store(now + idleNanoseconds, ordering: .relaxed)
        connection.waitingSince.store(now, ordering: .relaxed)
        connection.isEndless.store(false, ordering: .relaxed)
        connection.sendingSince.store(Connection.never, ordering: .relaxed)
        connection.isBusy.store(false, ordering: .releasing)
        connection.endAnswer()
        if isStopping.load(ordering: .relaxed) { ended.signal() }
    }

    /// Called when the client of an unfinished request has closed its connection. Drops the response if the application allows it.
    private func clientLeft(_ number: UInt64) {
        guard let request = unfinished.withLock({ $0.requests[number] }), application.clientLeft(request) else { return }
        request.stream?.abort()
        request.breakOff()
    }

    // MARK: Stopping

    /// Ends the streams that have no end.
    func finishEndlessStreams() {
        let streams = unfinished.withLock { $0.requests.values.compactMap { $0.stream?.isEndless == true ? $0.stream : nil } }
        for stream in streams { stream.finish() }
    }

    /// Ends every unfinished response. No connection is suspended afterwards.
    ///
    /// Changes that have begun are completed. Their connections are closed without a response, since an error response could be wrong.
    func breakOffAll() {
        let requests = unfinished.withLock { unfinished in
            unfinished.isClosed = true
            return Array(unfinished.requests.values)
        }
        for request in requests {
            request.stream?.abort()
            request.breakOff()
        }
    }

    private func stopping(_ request: HTTPRequest) -> HTTPResponse {
        application.refusal(of: request, status: 503, detail: "the server is stopping")
    }

    private func lacksMemory(_ request: HTTPRequest) -> HTTPResponse {
        application.refusal(
            of: request, status: 503,
            detail: "the requests and responses in progress take all the memory that they may: send the request again later")
    }

    /// Reserves memory for a large body or response until the request ends.
    ///
    /// - Parameter mustFit: whether the bytes are reserved even if the budget has no room.
    /// - Returns: false if the bytes are not reserved.
    private func reserve(_ bytes: Int, for request: HTTPRequest, mustFit: Bool = false) -> Bool {
        let owner = request.memoryOwner
        guard let reservation = mustFit ? memory.count(bytes, for: owner) : memory.reserve(bytes, for: owner) else { return false }
        request.reservations.append(reservation)
        return true
    }

    // MARK: Answers

    private func answer(_ request: HTTPRequest, on handle: OpaquePointer) -> Bool {
        request.connection.beginAnswer()
        request.connection.deadline.store(Connection.never, ordering: .relaxed)
        switch application.answer(request) {
        case .now(let response): return unsafe queue(response, for: request, on: handle)
        case .later:
            request.stage = .waiting
            guard keepUnfinished(request) else { return false }
            return unsafe deliver(request, on: handle)
        }
    }

    private func deliver(_ request: HTTPRequest, on handle: OpaquePointer) -> Bool {
        switch request.takeDelivery() {
        case .response(let response): unsafe queue(response, for: request, on: handle)
        case .later: true
        case .none: false
        }
    }

    /// Notes that a connection may be suspended for a request; false if the server stops and no connection may be suspended.
    private func keepUnfinished(_ request: HTTPRequest) -> Bool {
        let number = unfinished.withLock { unfinished -> UInt64? in
            if unfinished.isClosed { return nil }
            if let number = request.unfinishedNumber { return number }
            unfinished.lastNumber += 1
            unfinished.requests[unfinished.lastNumber] = request
            return unfinished.lastNumber
        }
        guard let number else { return false }
        if request.unfinishedNumber == nil {
            request.unfinishedNumber = number
            // In this case the server itself ended the reading side, so the end of the input does not mean that the client has left.
            if !request.connection.isGivingWay { disconnects.watch(request.connection.socket, request: number) }
        }
        return true
    }

    private func queue(_ response: HTTPResponse, for request: HTTPRequest, on handle: OpaquePointer, closing: Bool = false) -> Bool
    {
        var response = response
        request.connection.beginAnswer()
        request.connection.deadline.store(Connection.never, ordering: .relaxed)
        request.readingNanoseconds = idleNanoseconds + requestNanoseconds
        if case .stream(let stream) = response.body {
            request.stream = stream
            request.connection.isAnswered.store(true, ordering: .relaxed)
            request.connection.isEndless.store(stream.isEndless, ordering: .relaxed)
            if !keepUnfinished(request) {
                stream.close()
                response = stopping(request)
            } else if !stream.isEndless {
                allowTimeToRead(request)
            } else if isStopping.load(ordering: .relaxed) {
                stream.finish()
            }
        }
        if case .bytes(let bytes) = response.body {
            if bytes.count > Self.smallBody, !reserve(bytes.count, for: request, mustFit: !request.changesNothing) {
                response = lacksMemory(request)
            }
            allowTimeToRead(request)
        }
        request.stage = .answered
        request.status = response.status
        // The library accepts chunks, and lines after them, that another server may read differently. No request may follow them.
        let closes =
            closing || request.isChunked || isStopping.load(ordering: .relaxed) || request.connection.isGivingWay
            || request.connection.certificateNumber < certificateNumber.load(ordering: .relaxed)
        return unsafe LibraryResponse.queue(response, for: request, on: handle, closing: closes)
    }

    /// Sends a response without calling the application. Discards the body if it is small, so that the connection stays usable.
    private func refuse(_ response: HTTPResponse, _ framing: Framing, _ request: HTTPRequest, on handle: OpaquePointer) -> Bool {
        if !framing.expectsContinue, framing.contentLength ?? 0 <= Self.drainBytes {
            request.stage = .refused(response, drainBytes: Self.drainBytes)
            return true
        }
        return unsafe refuseAtOnce(response, framing, request, on: handle)
    }

    /// Refuses a request and closes the connection, since the start of the next request is unknown.
    private func refuseAtOnce(
        _ response: HTTPResponse, _ framing: Framing, _ request: HTTPRequest, on handle: OpaquePointer
    ) -> Bool {
        // The library stops reading for these methods only. For other methods it would read the body without a limit.
        if request.method == "POST" || request.method == "PUT" || !framing.announcesBody {
            return unsafe queue(response, for: request, on: handle, closing: true)
        }
        return sendRaw(response, for: request)
    }

    /// Writes the response directly to the socket, without the library, and closes the connection.
    private func sendRaw(_ response: HTTPResponse, for request: HTTPRequest) -> Bool {
        if case .stream(let stream) = response.body { stream.close() }
        request.connection.send(RawResponse.bytes(response))
        request.status = response.status
        request.stage = .answered
        return false
    }

    /// Limits the time to read a response: the client must read at least at the lowest rate allowed for a body.
    private func allowTimeToRead(_ request: HTTPRequest) {
        request.beginReading()
        request.connection.isAnswered.store(true, ordering: .relaxed)
        request.allowTimeToRead(bytes: Self.smallBody)
    }

    private func allowTime(for request: HTTPRequest, bytes: Int) {
        let more = UInt64(bytes / Self.slowestBody) * 1_000_000_000
        request.connection.deadline.store(request.beganAt + requestNanoseconds + more, ordering: .relaxed)
    }
}

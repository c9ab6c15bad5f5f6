internal import CMicroHTTPD
internal import Dispatch
internal import Synchronization

/// What the library's callbacks work on: the course of a request from its head to its end.
@safe final class Engine: Sendable {
    /// Bytes of a refused body that are read and thrown away, so that the client gets to read its answer.
    static let drainBytes = 1 << 20
    /// The slowest that a body may come, in bytes a second.
    static let slowestBody = 16_384
    /// Bytes up to which a body or a response is not counted in the budget of memory.
    static let smallBody = 65_536

    let application: any HTTPApplication
    let requestNanoseconds: UInt64
    let idleNanoseconds: UInt64
    let isEncrypted: Bool
    let isStopping = Atomic(false)
    /// Counts the certificates that were shown before. A connection is closed after a response if its number is lower.
    let certificateNumber = Atomic(0)
    /// Signalled when a request is over while the server stops.
    let ended = DispatchSemaphore(value: 0)
    let connections: ConnectionTable
    private let memory: MemoryBudget
    private let unfinished = Mutex(Unfinished())

    /// The answers that are not whole yet: all that can make a connection rest.
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

    /// Whether any request is being answered.
    var isBusy: Bool { connections.isBusy }

    /// Ends the connections whose clients take too long over what they have begun.
    func endSlowConnections() {
        let now = Clock.nanoseconds()
        connections.each { connection in
            guard connection.deadline.load(ordering: .relaxed) < now else { return }
            connection.deadline.store(Connection.never, ordering: .relaxed)
            if !connection.isAnswered.load(ordering: .relaxed) {
                connection.send(RawAnswer.bytes(application.refusal(status: 408, detail: "the request took too long to arrive")))
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

    /// Takes what has arrived of a request; the answer is given as soon as it can be.
    ///
    /// - Returns: false to close the connection without an answer.
    func take(_ data: UnsafeRawBufferPointer, of request: HTTPRequest, on handle: OpaquePointer) -> Bool {
        switch request.stage {
        case .target, .answered: return true
        case .waiting: return unsafe deliver(request, on: handle)
        case .body(let limit):
            if unsafe data.isEmpty { return unsafe answer(request, on: handle) }
            if request.body.count + data.count > limit {
                request.body = []
                let response = application.refusal(status: 413, detail: "the body is larger than \(limit) bytes")
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

    /// Looks at the head of a request.
    func takeHead(_ framing: Framing, of request: HTTPRequest, on handle: OpaquePointer) -> Bool {
        if let refusal = framing.refusal {
            let response = application.refusal(status: refusal.status, detail: refusal.detail)
            return unsafe refuseAtOnce(response, framing, request, on: handle)
        }
        switch application.admit(request) {
        case .refused(let response):
            return unsafe refuse(response, framing, request, on: handle)
        case .body(let limit):
            if let length = framing.contentLength, length > limit {
                let detail = "the body has \(length) bytes; no more than \(limit) are read"
                return unsafe refuse(application.refusal(status: 413, detail: detail), framing, request, on: handle)
            }
            // A body of a few bytes is no reason to keep out a caller, so that small requests go on at the limit.
            let bytes = framing.announcesBody ? framing.contentLength ?? limit : 0
            if bytes > Self.smallBody {
                guard let reservation = memory.reserve(bytes, for: request.memoryOwner) else {
                    return unsafe refuse(lacksMemory(), framing, request, on: handle)
                }
                request.reservations.append(reservation)
            }
            request.body.reserveCapacity(bytes)
            request.stage = .body(limitBytes: limit)
            return true
        }
    }

    /// A request is over.
    func ended(_ request: HTTPRequest, status: Int) {
        let connection = request.connection
        let now = Clock.nanoseconds()
        if let number = request.unfinishedNumber {
            _ = unfinished.withLock { $0.requests.removeValue(forKey: number) }
            disconnects.forget(connection.socket)
        }
        application.ended(request, status: status, bytesSent: request.bytesSent, nanoseconds: now - request.beganAt)
        request.end()
        for reservation in request.reservations { memory.release(reservation) }
        connection.deadline.store(now + idleNanoseconds + requestNanoseconds, ordering: .relaxed)
        connection.waitingSince.store(now, ordering: .relaxed)
        connection.isAnswered.store(false, ordering: .relaxed)
        connection.isBusy.store(false, ordering: .releasing)
        connection.endAnswer()
        if isStopping.load(ordering: .relaxed) { ended.signal() }
    }

    /// The client of an unfinished request has closed its connection: its answer is given up where the application says so.
    private func clientLeft(_ number: UInt64) {
        guard let request = unfinished.withLock({ $0.requests[number] }), application.clientLeft(request) else { return }
        request.stream?.abort()
        request.breakOff()
    }

    // MARK: Stopping

    /// Ends the streams that would never end by themselves.
    func finishEndlessStreams() {
        let streams = unfinished.withLock { $0.requests.values.compactMap { $0.stream?.isEndless == true ? $0.stream : nil } }
        for stream in streams { stream.finish() }
    }

    /// Ends every answer that is not whole; from now on no connection rests.
    ///
    /// What was begun goes on, so that nobody is told that it was not done: its connection is closed without an answer.
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

    private func stopping() -> HTTPResponse { application.refusal(status: 503, detail: "the server is stopping") }

    private func lacksMemory() -> HTTPResponse {
        application.refusal(
            status: 503,
            detail: "the requests and responses in progress take all the memory that they may: send the request again later")
    }

    /// Counts a large response in the budget of memory.
    ///
    /// - Returns: false if the response has no room there and can be dropped.
    private func count(_ bytes: Int, for request: HTTPRequest) -> Bool {
        guard request.changesNothing else {
            request.reservations.append(memory.count(bytes, for: request.memoryOwner))
            return true
        }
        guard let reservation = memory.reserve(bytes, for: request.memoryOwner) else { return false }
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

    /// Notes that a connection may rest for a request; false where the server stops and none may.
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
            // The end of what the client sends is the server's own doing here, and says nothing of the client.
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
            if !keepUnfinished(request) {
                stream.close()
                response = stopping()
            } else if isStopping.load(ordering: .relaxed), stream.isEndless {
                stream.finish()
            }
        }
        if case .bytes(let bytes) = response.body {
            if bytes.count > Self.smallBody, !count(bytes.count, for: request) { response = lacksMemory() }
            allowTimeToRead(request)
        }
        request.stage = .answered
        request.status = response.status
        let closes =
            closing || isStopping.load(ordering: .relaxed)
            || request.connection.certificateNumber < certificateNumber.load(ordering: .relaxed)
        return unsafe LibraryAnswer.queue(response, for: request, on: handle, closing: closes)
    }

    /// Refuses a request that the application does not want: its body is thrown away if it is small, which keeps the connection.
    private func refuse(_ response: HTTPResponse, _ framing: Framing, _ request: HTTPRequest, on handle: OpaquePointer) -> Bool {
        if !framing.expectsContinue, framing.contentLength ?? 0 <= Self.drainBytes {
            request.stage = .refused(response, drainBytes: Self.drainBytes)
            return true
        }
        return unsafe refuseAtOnce(response, framing, request, on: handle)
    }

    /// Refuses a request and closes the connection, as nobody can say where the next request begins.
    private func refuseAtOnce(
        _ response: HTTPResponse, _ framing: Framing, _ request: HTTPRequest, on handle: OpaquePointer
    ) -> Bool {
        // The library stops reading for these methods only; of others it would go on to read the body, without end.
        if request.method == "POST" || request.method == "PUT" || !framing.announcesBody {
            return unsafe queue(response, for: request, on: handle, closing: true)
        }
        return sendRaw(response, for: request)
    }

    /// Answers past the library, and closes the connection.
    private func sendRaw(_ response: HTTPResponse, for request: HTTPRequest) -> Bool {
        if case .stream(let stream) = response.body { stream.close() }
        request.connection.send(RawAnswer.bytes(response))
        request.status = response.status
        request.stage = .answered
        return false
    }

    /// The client must read a response at the slowest rate of a body at least.
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

internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// The server's state of a connection, from its beginning to its end.
@safe final class Connection: Sendable {
    /// The client's address.
    let peer: String
    /// The network of the address; nil for an address of an unknown kind.
    let network: IPAddress?
    let socket: Int32
    /// Whether the connection is encrypted. The server can then not write to the socket without the library.
    let isEncrypted: Bool
    /// On the monotonic clock, the time by which the client must begin a request, have sent the rest of it, have read the response, or have
    /// read a part of a stream without an end; `never` while the server works.
    let deadline: Atomic<UInt64>
    /// Whether a request is being handled.
    let isBusy = Atomic(false)
    /// Whether a response is being sent, or was sent and no request has begun since. Nothing else may then be written to the socket.
    let isAnswered = Atomic(false)
    /// Whether the response is a stream without an end.
    let isEndless = Atomic(false)
    /// When the server began to wait for the client, on the monotonic clock: when the client connected, its last request ended, or its
    /// current request began.
    let waitingSince: Atomic<UInt64>
    /// Until when the client has read its response at the lowest allowed rate, on the monotonic clock; `never` if no response with an end
    /// is being sent. It begins as the time when the sending began, and ``noteReading(at:)`` advances it.
    let sendingSince = Atomic(Connection.never)
    /// The bytes that the client had acknowledged at the last call of ``noteReading(at:)`` or ``hasReadMore()``.
    private let acknowledgedBytes = Atomic<UInt64>(0)
    /// The application's data about the connection.
    let applicationState = Mutex<(any AnyObject & Sendable)?>(nil)
    private let holder = Atomic(Holder.nobody)
    /// The number of the certificate that the client received.
    let certificateNumber: Int

    static let never = UInt64.max

    /// The holder of the connection. A response and a new connection compete to be the holder, and only one can succeed.
    private enum Holder: UInt8, AtomicRepresentable {
        /// The server waits for the client.
        case nobody
        /// A request has arrived in full, and its response is not complete.
        case answer
        /// The connection is closed to make room for a new one.
        case newConnection
    }

    init(_ handle: OpaquePointer, isEncrypted: Bool, deadline: UInt64, certificateNumber: Int) {
        socket = unsafe muniment_connection_info(handle, .CONNECTION_INFO_CONNECTION_FD)?.pointee.connect_fd ?? -1
        let address = unsafe muniment_connection_info(handle, .CONNECTION_INFO_CLIENT_ADDRESS)?.pointee.client_addr
        let ip = unsafe address.flatMap { unsafe SocketAddress.ip(of: $0) }
        (peer, network) = (ip?.description ?? "", ip?.network)
        waitingSince = Atomic(Clock.nanoseconds())
        self.isEncrypted = isEncrypted
        self.deadline = Atomic(deadline)
        self.certificateNumber = certificateNumber
    }

    /// Creates an address without a connection.
    init(peer: String) {
        self.peer = peer
        network = nil
        waitingSince = Atomic(0)
        (socket, isEncrypted) = (-1, false)
        deadline = Atomic(Connection.never)
        certificateNumber = 0
    }

    /// Writes bytes directly to the socket if the library cannot respond. Writes as many bytes as the socket accepts at once.
    func send(_ bytes: [UInt8]) {
        guard !isEncrypted else { return }
        _ = unsafe Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    /// A socket with at most this number of bytes that the client has not acknowledged accepts as many again.
    private static let chunkBytes = 8_192

    /// Writes a chunk of a response (RFC 9112, section 7.1). The library must not write at the same time.
    ///
    /// - Returns: false if nothing was written: the client is slow, the chunk is long, or the connection is broken.
    func writeChunk(_ bytes: [UInt8]) -> Bool {
        var waiting: Int32 = 0
        guard bytes.count <= Self.chunkBytes, unsafe ioctl(socket, UInt(TIOCOUTQ), &waiting) == 0, waiting <= Self.chunkBytes else {
            return false
        }
        var chunk = Array(String(bytes.count, radix: 16).utf8)
        chunk.reserveCapacity(bytes.count + 16)
        chunk += [0x0D, 0x0A]
        chunk += bytes
        chunk += [0x0D, 0x0A]
        let sent = unsafe Glibc.send(socket, chunk, chunk.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        guard sent > 0 else { return false }
        // The system has less memory than expected. The rest of the chunk cannot follow, and the client connects again.
        if sent < chunk.count { shutDown() }
        return true
    }

    /// Shuts the socket down in both directions. The library then closes the connection.
    func shutDown() { _ = shutdown(socket, Int32(SHUT_RDWR)) }

    /// Whether the server waits for the client, between requests or within one, and the connection was not yet asked to close.
    var canGiveWay: Bool { holder.load(ordering: .acquiring) == .nobody }

    /// Whether the connection is closed to make room for a new one.
    var isGivingWay: Bool { holder.load(ordering: .acquiring) == .newConnection }

    /// Shuts the input of the connection down, unless a request has already arrived in full. The library then closes the connection.
    ///
    /// - Returns: false if a request is being handled, so that the connection stays open.
    func giveWay() -> Bool {
        guard exchange(.nobody, for: .newConnection) else { return false }
        _ = shutdown(socket, Int32(SHUT_RD))
        return true
    }

    /// Advances ``sendingSince`` by the time for the bytes that the client has read since the last call. The socket must be open.
    ///
    /// The library cannot tell this: it writes to a socket again only after the client has read a third of the sent bytes, which can be a
    /// megabyte.
    ///
    /// - Parameter now: the current time of the monotonic clock.
    func noteReading(at now: UInt64) {
        let since = sendingSince.load(ordering: .relaxed)
        guard since < now else { return }
        let total = muniment_acknowledged_bytes(socket)
        let before = acknowledgedBytes.exchange(total, ordering: .relaxed)
        var waiting: Int32 = 0
        // If nothing waits for the client, or the system does not tell, the client is not slow.
        let code = unsafe ioctl(socket, UInt(TIOCOUTQ), &waiting)
        let isKnown = total > 0 && code == 0 && waiting > 0
        guard !isKnown || total > before else { return }
        let advanced = isKnown ? since + (total - before) * (1_000_000_000 / UInt64(Engine.slowestBody)) : now
        // It stays unchanged if the response has ended meanwhile.
        _ = sendingSince.compareExchange(expected: since, desired: min(now, advanced), ordering: .relaxed)
    }

    /// Whether the client has read since the last call. The socket must be open.
    func hasReadMore() -> Bool {
        let total = muniment_acknowledged_bytes(socket)
        return acknowledgedBytes.exchange(total, ordering: .relaxed) != total
    }

    /// Whether the client of a response with an end has not read since before a time.
    func isStalled(since limit: UInt64) -> Bool { sendingSince.load(ordering: .relaxed) < limit }

    /// Shuts a stalled connection down in both directions. The library then closes it.
    ///
    /// - Parameter limit: the client must not have read since before this time.
    /// - Returns: false if the connection stays open, because the client has read, or the response has ended.
    func giveWay(ifStalledSince limit: UInt64) -> Bool {
        noteReading(at: Clock.nanoseconds())
        let since = sendingSince.load(ordering: .relaxed)
        guard since < limit, sendingSince.compareExchange(expected: since, desired: Connection.never, ordering: .relaxed).exchanged
        else { return false }
        shutDown()
        return true
    }

    /// Notes that the request has arrived in full. The connection cannot be closed for a new one until ``endAnswer()``.
    func beginAnswer() { _ = exchange(.nobody, for: .answer) }

    /// Notes that the request has ended.
    func endAnswer() { _ = exchange(.answer, for: .nobody) }

    private func exchange(_ expected: Holder, for new: Holder) -> Bool {
        holder.compareExchange(expected: expected, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}

/// The monotonic clock.
enum Clock {
    static func nanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

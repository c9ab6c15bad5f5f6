internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// What the server knows about a connection, from its beginning to its end.
@safe final class Connection: Sendable {
    /// The client's address.
    let peer: String
    /// The network of that address; nil for an address of no known kind.
    let network: IPAddress?
    let socket: Int32
    /// Whether what goes over the socket is encrypted, so that nothing can be written past the library.
    let isEncrypted: Bool
    /// When the client must have sent what it has begun, on the monotonic clock; `never` while the server has to act.
    let deadline: Atomic<UInt64>
    /// Whether a request is being answered.
    let isBusy = Atomic(false)
    /// Whether a response is being sent, so that nothing else may be written to the socket.
    let isAnswered = Atomic(false)
    /// Since when the client is waited for, on the monotonic clock: when it connected, its last request was over, or its present
    /// request began.
    let waitingSince: Atomic<UInt64>
    private let holder = Atomic(Holder.nobody)
    /// The number of the certificate that it was shown.
    let certificateNumber: Int

    static let never = UInt64.max

    /// What decides when the connection ends: of an answer and a new connection, only one does.
    private enum Holder: UInt8, AtomicRepresentable {
        /// The client is waited for.
        case nobody
        /// A request has arrived in full, and its answer is not over.
        case answer
        /// The connection ends for a new one.
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

    /// No connection at all, only the address that one would come from.
    init(peer: String) {
        self.peer = peer
        network = nil
        waitingSince = Atomic(0)
        (socket, isEncrypted) = (-1, false)
        deadline = Atomic(Connection.never)
        certificateNumber = 0
    }

    /// Writes past the library, where it has no way to answer: as much as goes out at once.
    func send(_ bytes: [UInt8]) {
        guard !isEncrypted else { return }
        _ = unsafe Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    /// Ends what the client sends and gets; the library then closes the connection.
    func shutDown() { _ = shutdown(socket, Int32(SHUT_RDWR)) }

    /// Whether the client is waited for, in between requests or within one, and the connection was not asked to give way before.
    var canGiveWay: Bool { holder.load(ordering: .acquiring) == .nobody }

    /// Whether the connection ends for a new one.
    var isGivingWay: Bool { holder.load(ordering: .acquiring) == .newConnection }

    /// Ends what the client sends, unless a request has arrived in full by now. The library then closes the connection.
    ///
    /// - Returns: false if the connection goes on, as a request is being answered.
    func giveWay() -> Bool {
        guard exchange(.nobody, for: .newConnection) else { return false }
        _ = shutdown(socket, Int32(SHUT_RD))
        return true
    }

    /// The request has arrived in full: the connection gives way no more until ``endAnswer()``.
    func beginAnswer() { _ = exchange(.nobody, for: .answer) }

    /// The request is over.
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

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
    /// Since when no request is being answered, on the monotonic clock.
    let idleSince: Atomic<UInt64>
    private let isGivingWay = Atomic(false)
    /// The number of the certificate that it was shown.
    let certificateNumber: Int

    static let never = UInt64.max

    init(_ handle: OpaquePointer, isEncrypted: Bool, deadline: UInt64, certificateNumber: Int) {
        socket = unsafe muniment_connection_info(handle, .CONNECTION_INFO_CONNECTION_FD)?.pointee.connect_fd ?? -1
        let address = unsafe muniment_connection_info(handle, .CONNECTION_INFO_CLIENT_ADDRESS)?.pointee.client_addr
        let ip = unsafe address.flatMap { unsafe SocketAddress.ip(of: $0) }
        (peer, network) = (ip?.description ?? "", ip?.network)
        idleSince = Atomic(Clock.nanoseconds())
        self.isEncrypted = isEncrypted
        self.deadline = Atomic(deadline)
        self.certificateNumber = certificateNumber
    }

    /// No connection at all, only the address that one would come from.
    init(peer: String) {
        self.peer = peer
        network = nil
        idleSince = Atomic(0)
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

    /// Whether no request is being answered, and the connection was not asked to give way before.
    var canGiveWay: Bool { !isBusy.load(ordering: .acquiring) && !isGivingWay.load(ordering: .relaxed) }

    /// Ends what the client sends. The library closes the connection, after the answer if a request has arrived at this moment.
    func giveWay() {
        isGivingWay.store(true, ordering: .relaxed)
        _ = shutdown(socket, Int32(SHUT_RD))
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

internal import CMicroHTTPD
internal import Dispatch
internal import Glibc

/// Detects that a client closes its connection while the server works on its request.
///
/// The library does not watch a suspended connection, so its socket is watched here. A client that closes only its sending side
/// counts as disconnected, as in other servers: the two cases cannot be distinguished.
@safe final class DisconnectWatch: @unchecked Sendable {
    private let poll: Int32
    private let source: any DispatchSourceRead
    /// The number of sockets that one system call checks.
    private static let batch = 64

    /// - Throws: ``HTTPServerError`` if the process has no descriptor left.
    init() throws(HTTPServerError) {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poll >= 0 else { throw .cannotStart(isTLS: false) }
        source = DispatchSource.makeReadSource(fileDescriptor: poll, queue: DispatchQueue(label: "muniment.disconnects"))
    }

    /// Starts to report.
    ///
    /// - Parameter report: receives the number of a request after its client disconnected.
    func start(_ report: @escaping @Sendable (UInt64) -> Void) {
        let poll = poll
        source.setEventHandler {
            unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: DisconnectWatch.batch) { events in
                let count = unsafe epoll_wait(poll, events.baseAddress, Int32(DisconnectWatch.batch), 0)
                for place in 0..<Int(max(0, count)) { report(unsafe events[place].data.u64) }
            }
        }
        source.setCancelHandler { close(poll) }
        source.activate()
    }

    /// Watches the socket of a request until ``forget(_:)``; reports it once.
    func watch(_ socket: Int32, request: UInt64) {
        var event = unsafe epoll_event()
        unsafe event.events = EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue
        unsafe event.data.u64 = request
        unsafe epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event)
    }

    /// Must be called before the socket is closed or waits for another request.
    func forget(_ socket: Int32) { _ = epoll_ctl(poll, EPOLL_CTL_DEL, socket, nil) }

    func cancel() { source.cancel() }
}

/// Closes slow connections, and stops servers without connections, once a second.
struct SlowConnectionWatch: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    init(_ engine: Engine, _ daemons: DaemonRotation) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "slow connections"))
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler {
            engine.endSlowConnections()
            daemons.stopEmptied()
        }
        timer.activate()
    }

    func cancel() { timer.cancel() }
}

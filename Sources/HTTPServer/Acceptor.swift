internal import CMicroHTTPD
internal import Dispatch
internal import Glibc

/// Takes new connections from a socket and hands them to the library, on a thread of its own.
///
/// The library would do so itself, but it cannot be told to stop: its threads and whoever tells it then take the socket out of
/// their lists at the same time, and it ends the process where it is not there any more.
@safe final class Acceptor: Sendable {
    private let socket: ListeningSocket
    private let room: DispatchSemaphore
    private let isOver = DispatchSemaphore(value: 0)

    /// How long to wait where the process has no file or memory for one more connection; who waits to be accepted goes on to wait.
    private static let pauseMicroseconds: UInt32 = 10_000

    /// Begins.
    ///
    /// - Parameters:
    ///   - socket: where connections come in.
    ///   - daemons: the servers that get them; they have to run until ``stop()`` has returned.
    ///   - room: how many more there may be. Who comes meanwhile waits to be accepted.
    init(_ socket: ListeningSocket, for daemons: Daemons, room: DispatchSemaphore) {
        self.socket = socket
        self.room = room
        let isOver = isOver
        DispatchQueue(label: "accepting connections").async {
            var outcome = Outcome.taken
            while outcome != .over {
                if outcome == .taken { room.wait() }
                outcome = Acceptor.accept(from: socket.descriptor, for: daemons)
            }
            isOver.signal()
        }
    }

    private enum Outcome {
        case taken
        /// It is gone again, or there was none.
        case none
        /// No more come.
        case over
    }

    /// Turns away whoever comes from now on, and closes the socket. Call it once.
    func stop() {
        socket.shutDown()
        // It may be waiting for room.
        room.signal()
        isOver.wait()
        socket.close()
    }

    private static func accept(from socket: Int32, for daemons: Daemons) -> Outcome {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
                let connection = unsafe muniment_accept(socket, address, &length, flags)
                if connection >= 0 {
                    return unsafe daemons.add(connection, from: address, length) ? .taken : .none
                }
                switch errno {
                // As ``ListeningSocket/shutDown()`` leaves it.
                case EINVAL, EBADF, ENOTSOCK: return .over
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(pauseMicroseconds)
                default: break
                }
                return .none
            }
        }
    }
}

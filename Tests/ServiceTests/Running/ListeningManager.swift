import Glibc

/// The socket of a service manager.
final class ListeningManager {
    private let socket: Int32

    struct CannotListen: Error {}

    init(at path: String) throws {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 1_200, tv_usec: 0)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let code = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw CannotListen() }
    }

    deinit { close(socket) }

    /// Returns the next message, or nil if none arrives.
    func message() -> String? {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = unsafe recv(socket, &buffer, buffer.count, 0)
        return count >= 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}

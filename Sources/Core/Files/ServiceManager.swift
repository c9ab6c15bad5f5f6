internal import Glibc

/// Sends the state of this process to the service manager that started it, as `sd_notify(3)` of systemd does. Sends one datagram.
///
/// - Parameters:
///   - state: the state, such as `READY=1` or `STOPPING=1`, one line each.
///   - socket: the value of `NOTIFY_SOCKET`: a path, or a name in the abstract namespace after an `@`.
/// - Returns: whether the manager has received it; false without a listener.
@discardableResult
public func tellServiceManager(_ state: String, at socket: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(socket.utf8)
    guard path.first == UInt8(ascii: "/") || path.first == UInt8(ascii: "@") else { return false }
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + path.count)
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { _ = close(descriptor) }
    let message = Array(state.utf8)
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            unsafe sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), address, length)
        }
    }
    return sent == message.count
}

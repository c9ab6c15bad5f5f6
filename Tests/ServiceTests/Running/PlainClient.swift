import Glibc
import TestSupport

/// One fast connection to a port of this machine, which sends one request after another. It immediately detects that the server has
/// closed the connection.
final class PlainClient {
    private let socket: Int32
    private var received: [UInt8] = []

    /// The server has closed the connection.
    struct Gone: Error {}

    init(port: UInt16) throws {
        do { socket = try LoopbackSocket.connected(to: port, timeoutSeconds: 1_200) } catch { throw Gone() }
    }

    deinit { close(socket) }

    /// Sends a request and waits for its response, which has a length.
    ///
    /// - Parameter host: the value of `Host`.
    func send(
        _ method: String, _ target: String, host: String = "localhost", headers: [String: String] = [:], body: String = ""
    ) throws -> (Int, body: String) {
        try begin(method, target, host: host, headers: headers, body: body)
        let head = try line(endingWith: "\r\n\r\n")
        let length =
            head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) } ?? 0
        while received.count < length { try receive() }
        defer { received.removeFirst(length) }
        return (Int(head.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0, String(decoding: received[..<length], as: UTF8.self))
    }

    /// Sends a request. The caller reads the response later.
    func begin(
        _ method: String, _ target: String, host: String = "localhost", headers: [String: String] = [:], body: String = ""
    ) throws {
        let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        let text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Gone() }
            bytes.removeFirst(count)
        }
    }

    /// Reads up to and including a text, and returns the part before the text.
    func line(endingWith end: String = "\n") throws -> String {
        let end = Array(end.utf8)
        var start = 0
        while true {
            while start + end.count <= received.count {
                if received[start..<start + end.count].elementsEqual(end) {
                    defer { received.removeFirst(start + end.count) }
                    return String(decoding: received[..<start], as: UTF8.self)
                }
                start += 1
            }
            try receive()
        }
    }

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { throw Gone() }
        received += buffer[..<count]
    }
}

import Glibc
import TestSupport

/// A client that writes exactly the given bytes.
final class RawClient: Sendable {
    let socket: Int32

    /// Connects to a port of this machine. Reads wait at most ten seconds, so that a failing test ends.
    init(port: UInt16, receiveBufferBytes: Int32? = nil) throws {
        socket = try LoopbackSocket.connected(to: port, timeoutSeconds: 1_200, receiveBufferBytes: receiveBufferBytes)
    }

    deinit { close(socket) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.send(socket, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Ends the client's sending direction.
    func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Returns the next bytes, an empty array if the connection was closed or reset, or nil after a timeout.
    func receive(upTo count: Int = 65_536) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        let received = unsafe recv(socket, &buffer, count, 0)
        if received < 0 { return errno == EAGAIN ? nil : [] }
        return Array(buffer.prefix(received))
    }

    /// Returns all bytes until the connection is closed, or nil if it stays open.
    func receiveAll() -> [UInt8]? {
        var all: [UInt8] = []
        while let bytes = receive() {
            if bytes.isEmpty { return all }
            all += bytes
        }
        return nil
    }

    /// Reads until the text satisfies the condition. Returns nil if the connection ends or times out first.
    func receive(until isEnough: (String) -> Bool) -> String? {
        var all: [UInt8] = []
        while true {
            let text = String(decoding: all, as: UTF8.self)
            if isEnough(text) { return text }
            guard let bytes = receive(), !bytes.isEmpty else { return nil }
            all += bytes
        }
    }
}

extension RawClient {
    /// Returns the responses to a text that the server may not read completely.
    func answers(to text: String) -> RawResponses {
        send(text)
        return RawResponses(receiveAll() ?? [])
    }
}

import Glibc
import TestSupport

/// A client that writes what it is told to, byte for byte.
final class RawClient: Sendable {
    let socket: Int32

    /// Connects to a port of this machine. Reading waits ten seconds at most, so that a test that is wrong ends.
    init(port: UInt16, receiveBufferBytes: Int32? = nil) throws {
        socket = try LoopbackSocket.connected(to: port, patienceSeconds: 10, receiveBufferBytes: receiveBufferBytes)
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

    /// Says that nothing more will be sent.
    func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// The next bytes; empty where the connection is closed or reset, nil where none came in time.
    func receive(upTo count: Int = 65_536) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        let received = unsafe recv(socket, &buffer, count, 0)
        if received < 0 { return errno == EAGAIN ? nil : [] }
        return Array(buffer.prefix(received))
    }

    /// All bytes until the connection is closed; nil where it stays open.
    func receiveAll() -> [UInt8]? {
        var all: [UInt8] = []
        while let bytes = receive() {
            if bytes.isEmpty { return all }
            all += bytes
        }
        return nil
    }

    /// Reads until what has come satisfies a condition; nil where the connection ends or rests before.
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
    /// What the server answers to some bytes that it may not read to their end.
    func answers(to text: String) -> RawAnswers {
        send(text)
        return RawAnswers(receiveAll() ?? [])
    }
}

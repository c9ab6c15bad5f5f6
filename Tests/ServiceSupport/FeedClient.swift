package import Events
import Foundation
import Glibc
import TestSupport

/// A client of a feed over a socket of its own, which reads as the HTML standard says.
package final class FeedClient {
    /// One event, as a program gets it.
    package struct Event: Sendable {
        /// The id that the client would come back with.
        package let id: String
        package let data: String

        package var json: JSONValue { get throws { try JSONText.decode(Array(data.utf8)) } }
    }

    private let socket: Int32
    private let patienceSeconds: Int
    /// Bytes of the body that were not read as lines yet.
    private var text: [UInt8] = []
    /// Bytes that came and are not unwrapped from their chunks yet.
    private var raw: [UInt8] = []
    /// The status of the answer; 0 where none came.
    package private(set) var status = 0
    /// The `id` that came last, with an event or alone.
    package private(set) var lastID: String?
    package private(set) var retryMilliseconds: Int?
    /// Comments that came.
    package private(set) var comments = 0
    /// Whether the server ended the body in good order.
    package private(set) var isEnded = false

    /// Asks for a feed and reads the head of the answer.
    ///
    /// - Parameters:
    ///   - port: where the service listens on this machine.
    ///   - lastID: what it comes back with.
    ///   - receiveBufferBytes: bytes that the system keeps for it, for a client that is slow.
    ///   - patienceSeconds: how long one call waits for what it is to bring, whatever else comes meanwhile; while nothing comes at
    ///     all, the call may last twice as long.
    package init(
        port: UInt16, _ target: String, token: String, lastID: String? = nil, receiveBufferBytes: Int32? = nil,
        patienceSeconds: Int = 30
    ) throws {
        self.patienceSeconds = patienceSeconds
        socket = try LoopbackSocket.connected(to: port, patienceSeconds: patienceSeconds, receiveBufferBytes: receiveBufferBytes)
        var head = "GET \(target) HTTP/1.1\r\nHost: here\r\nAccept: text/event-stream\r\nAuthorization: Bearer \(token)\r\n"
        if let lastID { head += "Last-Event-ID: \(lastID)\r\n" }
        let bytes = Array((head + "\r\n").utf8)
        _ = unsafe Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        readHead()
    }

    deinit { close(socket) }

    /// The next event; nil where the feed is over, or nothing comes in time.
    package func next() -> Event? {
        let end = deadline
        var data: [String] = []
        while let line = nextLine(before: end) {
            if line.isEmpty {
                if !data.isEmpty { return Event(id: lastID ?? "", data: data.joined(separator: "\n")) }
            } else if line.hasPrefix(":") {
                comments += 1
            } else {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts.count > 1 ? String(parts[1].hasPrefix(" ") ? parts[1].dropFirst() : parts[1]) : ""
                switch parts[0] {
                case "id": lastID = value
                case "data": data.append(value)
                case "retry": retryMilliseconds = Int(value)
                default: break
                }
            }
        }
        return nil
    }

    /// Reads what comes until something is so; false where it does not come to be so in time.
    package func read(until isSo: (FeedClient) -> Bool) -> Bool {
        let end = deadline
        while !isSo(self) { guard readLine(before: end) else { return false } }
        return true
    }

    /// When a call that begins now gives up. Signs of life keep the socket from timing out: whoever waits for something else still
    /// comes to an end.
    private var deadline: ContinuousClock.Instant { .now + .seconds(patienceSeconds) }

    /// Takes one line that brings no event.
    private func readLine(before end: ContinuousClock.Instant) -> Bool {
        guard let line = nextLine(before: end) else { return false }
        if line.hasPrefix(":") { comments += 1 }
        if line.hasPrefix("id: ") { lastID = String(line.dropFirst(4)) }
        if line.hasPrefix("retry: ") { retryMilliseconds = Int(line.dropFirst(7)) }
        return true
    }

    private func nextLine(before end: ContinuousClock.Instant) -> String? {
        while .now < end {
            if let end = text.firstIndex(of: 0x0A) {
                defer { text.removeFirst(end + 1) }
                return String(decoding: text[..<end], as: UTF8.self)
            }
            guard unwrap() || receive() else { return nil }
        }
        return nil
    }

    private func readHead() {
        while true {
            let marks = Array("\r\n\r\n".utf8)
            if let end = (0..<max(raw.count - 3, 0)).first(where: { raw[$0..<($0 + 4)].elementsEqual(marks) }) {
                let line = String(decoding: raw[..<end], as: UTF8.self).split(separator: " ", maxSplits: 2)
                status = line.count > 1 ? Int(line[1]) ?? 0 : 0
                raw.removeFirst(end + 4)
                return
            }
            guard receive() else { return }
        }
    }

    /// Takes a whole chunk.
    private func unwrap() -> Bool {
        guard let end = raw.firstIndex(of: 0x0A), end > 0,
            let size = Int(String(decoding: raw[..<(end - 1)], as: UTF8.self), radix: 16), raw.count >= end + 1 + size + 2
        else { return false }
        text += raw[(end + 1)..<(end + 1 + size)]
        raw.removeFirst(end + 1 + size + 2)
        if size == 0 { isEnded = true }
        return size > 0
    }

    private func receive() -> Bool {
        if isEnded { return false }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        raw += buffer[..<count]
        return true
    }
}

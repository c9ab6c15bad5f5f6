package import Events
import Foundation
import Glibc
import TestSupport

/// A client of a feed with its own socket. It parses events as the HTML standard defines.
package final class FeedClient {
    /// One event, as a program receives it.
    package struct Event: Sendable {
        /// The id that the client would send to resume after this event.
        package let id: String
        /// The value of `event`; nil without one.
        package let kind: String?
        package let data: String

        package var json: JSONValue { get throws { try JSONText.decode(Array(data.utf8)) } }
    }

    private let socket: Int32
    private let timeoutSeconds: Int
    /// Bytes of the body that are not yet split into lines.
    private var text: [UInt8] = []
    /// Received bytes that are not yet decoded from their chunks.
    private var raw: [UInt8] = []
    /// The status of the response, or 0 if no response arrived.
    package private(set) var status = 0
    /// The last `id`, from an event or from a separate line.
    package private(set) var lastID: String?
    package private(set) var retryMilliseconds: Int?
    /// The comments received.
    package private(set) var comments = 0
    /// Whether the server ended the body in good order.
    package private(set) var isEnded = false

    /// Requests a feed and reads the head of the response.
    ///
    /// - Parameters:
    ///   - port: The service's port on this machine.
    ///   - token: The token, or nil for a request without one.
    ///   - lastID: The id after which the feed resumes.
    ///   - receiveBufferBytes: The size of the socket's receive buffer. A small one simulates a slow client.
    ///   - timeoutSeconds: How long one call waits for its event, regardless of other data. If no data arrives, it may wait twice
    ///     as long.
    package init(
        port: UInt16, _ target: String, token: String?, lastID: String? = nil, receiveBufferBytes: Int32? = nil,
        timeoutSeconds: Int = 1_200
    ) throws {
        self.timeoutSeconds = timeoutSeconds
        socket = try LoopbackSocket.connected(to: port, timeoutSeconds: timeoutSeconds, receiveBufferBytes: receiveBufferBytes)
        var head = "GET \(target) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if let lastID { head += "Last-Event-ID: \(lastID)\r\n" }
        let bytes = Array((head + "\r\n").utf8)
        _ = unsafe Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        readHead()
    }

    deinit { close(socket) }

    /// Ends the effect of a small receive buffer.
    package func readQuickly() { LoopbackSocket.widen(socket) }

    /// Returns the next event, or nil if the feed has ended or the wait timed out.
    package func next() -> Event? {
        let end = deadline
        var data: [String] = []
        var kind: String?
        while let line = nextLine(before: end) {
            if line.isEmpty {
                if !data.isEmpty { return Event(id: lastID ?? "", kind: kind, data: data.joined(separator: "\n")) }
                kind = nil
            } else if line.hasPrefix(":") {
                comments += 1
            } else {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts.count > 1 ? String(parts[1].hasPrefix(" ") ? parts[1].dropFirst() : parts[1]) : ""
                switch parts[0] {
                case "id": lastID = value
                case "data": data.append(value)
                case "event": kind = value
                case "retry": retryMilliseconds = Int(value)
                default: break
                }
            }
        }
        return nil
    }

    /// Reads until the condition holds. Returns false if the wait timed out.
    package func read(until isSo: (FeedClient) -> Bool) -> Bool {
        let end = deadline
        while !isSo(self) { guard readLine(before: end) else { return false } }
        return true
    }

    /// The deadline of a call that begins now. Heartbeats keep the socket from timing out, so a wait for another event needs a
    /// deadline.
    private var deadline: ContinuousClock.Instant { .now + .seconds(timeoutSeconds) }

    /// Reads one line that belongs to no event.
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

    /// Decodes one complete chunk.
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

import Foundation
import Glibc

/// An HTTP/1.1 connection that sends requests one after another.
final class RequestConnection {
    private let socket: Int32
    private var received: [UInt8] = []

    init(port: UInt16) throws { socket = try connectedSocket(port: port) }

    deinit { close(socket) }

    /// Posts JSON and returns the status. The body of the response is read and discarded.
    func post(_ path: String, token: String, _ body: String) throws -> Int {
        try sendAll(
            socket,
            """
            POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\nContent-Type: application/json\r\n\
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """)
        while true {
            if let end = headEnd() {
                let head = String(decoding: received[..<end], as: UTF8.self)
                guard let status = head.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
                    let length = head.split(separator: "\r\n").first(where: { $0.lowercased().hasPrefix("content-length:") })?
                        .split(separator: " ").last.flatMap({ Int($0) })
                else { throw BenchmarkFailure("an answer has no length:\n\(head)") }
                if received.count >= end + 4 + length {
                    received.removeFirst(end + 4 + length)
                    return status
                }
            }
            try receive()
        }
    }

    private func headEnd() -> Int? {
        guard received.count >= 4 else { return nil }
        return (0...(received.count - 4)).first { received[$0..<$0 + 4].elementsEqual("\r\n\r\n".utf8) }
    }

    private func receive() throws {
        var piece = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe recv(socket, &piece, piece.count, 0)
        guard count > 0 else { throw BenchmarkFailure("the connection was closed") }
        received += piece[..<count]
    }
}

/// Very many open streams of server-sent events, read on one thread.
final class StreamClients {
    private let sockets: [Int32]

    /// Opens a stream for each target and waits until each has begun.
    init(port: UInt16, tokens: [String], targets: [String]) throws {
        sockets = try targets.enumerated().map { index, target in
            let token = tokens[index / StreamSuite.streamsPerToken % tokens.count]
            let socket = try connectedSocket(port: port)
            try sendAll(
                socket,
                """
                GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\nAccept: text/event-stream\r\n\r\n
                """)
            return socket
        }
        for socket in sockets {
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(socket, &piece, piece.count, 0)
            let head = String(decoding: piece[..<max(count, 0)], as: UTF8.self)
            guard head.hasPrefix("HTTP/1.1 200") else { throw BenchmarkFailure("a stream was refused:\n\(head)") }
        }
    }

    deinit {
        for socket in sockets { close(socket) }
    }

    /// Waits until `enough` events have arrived. Returns the stream and the time of each event.
    ///
    /// - Parameters:
    ///   - enough: the number of events.
    ///   - mark: a text that each of the events has once.
    ///   - seconds: the time limit.
    func events(_ enough: Int, of mark: String = "\ndata:", within seconds: Double) throws -> [(
        stream: Int, at: ContinuousClock.Instant
    )] {
        var found: [(Int, ContinuousClock.Instant)] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        let mark = Array(mark.utf8)
        // The last bytes of each stream, which may be the beginning of a mark.
        var ends = [[UInt8]](repeating: [], count: sockets.count)
        var watched = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let end = ContinuousClock.now + .seconds(seconds)
        while found.count < enough {
            _ = unsafe poll(&watched, nfds_t(watched.count), 1000)
            if ContinuousClock.now > end { throw BenchmarkFailure("\(found.count) of \(enough) notices came in \(seconds) s") }
            for stream in watched.indices where watched[stream].revents != 0 {
                let length = unsafe recv(sockets[stream], &piece, piece.count, 0)
                guard length > 0 else { throw BenchmarkFailure("a stream was closed") }
                let now = ContinuousClock.now
                let bytes = ends[stream] + piece[..<length]
                for _ in 0..<occurrences(of: mark, in: bytes[...]) { found.append((stream, now)) }
                ends[stream] = bytes.suffix(mark.count - 1)
            }
        }
        return found
    }

    /// Reads and discards the bytes of the streams for a time. Heartbeats never stop, so it cannot wait for silence.
    func discard(for seconds: Double) throws {
        var piece = [UInt8](repeating: 0, count: 65_536)
        var watched = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            _ = unsafe poll(&watched, nfds_t(watched.count), 100)
            for stream in watched.indices where watched[stream].revents != 0 {
                guard unsafe recv(sockets[stream], &piece, piece.count, 0) > 0 else {
                    throw BenchmarkFailure("a stream was closed")
                }
            }
        }
    }

    private func occurrences(of word: [UInt8], in bytes: ArraySlice<UInt8>) -> Int {
        guard bytes.count >= word.count else { return 0 }
        return (bytes.startIndex...(bytes.endIndex - word.count))
            .count { bytes[$0] == word[0] && bytes[$0..<$0 + word.count].elementsEqual(word) }
    }
}

private func connectedSocket(port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard descriptor >= 0, status == 0 else {
        if descriptor >= 0 { close(descriptor) }
        throw BenchmarkFailure("cannot connect to port \(port): error \(errno)")
    }
    var on: Int32 = 1
    _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
}

private func sendAll(_ socket: Int32, _ text: String) throws {
    var rest = Array(text.utf8)
    while !rest.isEmpty {
        let count = unsafe send(socket, rest, rest.count, Int32(MSG_NOSIGNAL))
        guard count > 0 else { throw BenchmarkFailure("cannot send: error \(errno)") }
        rest.removeFirst(count)
    }
}

/// Raises the limit on open files and sockets of this process, and of processes that it starts, to the system's maximum.
///
/// - Returns: how many sockets a service with one small store then has room for.
@discardableResult func allowManySockets() -> Int {
    var limit = rlimit()
    _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let count = Int(min(limit.rlim_max, 1 << 20))
    // The service reserves up to 1,024 descriptors for its files.
    return count - max(64, min(count / 4, 1_024)) - 256
}

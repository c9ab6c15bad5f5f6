import Foundation
import Glibc
import Synchronization

/// Sends wrong sign-ins at a steady pace, without waiting for earlier responses. Each uses a separate connection and a different user.
final class WrongSignIns: Sendable {
    /// The client addresses of the sign-ins.
    enum Origin: Sendable {
        case one
        /// A separate address for each sign-in, so that no sign-in is refused before its password is checked.
        case many
    }

    private struct State {
        var isOver = false
        var statuses: [Int: Int] = [:]
    }

    private let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - port: the port of the service on this machine.
    ///   - perSecond: sign-ins a second.
    init(port: UInt16, perSecond: Double, from origin: Origin) {
        Thread.detachNewThread { [self] in
            var open: [(socket: Int32, since: ContinuousClock.Instant)] = []
            let start = ContinuousClock.now
            var number = 0
            while !state.withLock({ $0.isOver }) {
                let due = start + .seconds(Double(number) / perSecond)
                if ContinuousClock.now >= due {
                    if let socket = WrongSignIns.send(number, port, origin) { open.append((socket, .now)) }
                    number += 1
                }
                open = read(open, forMilliseconds: ContinuousClock.now >= due ? 0 : 1)
            }
            for (socket, _) in open { close(socket) }
            done.signal()
        }
    }

    /// Stops, and returns the number of responses with each status.
    func stop() -> [Int: Int] {
        state.withLock { $0.isOver = true }
        done.wait()
        return state.withLock { $0.statuses }
    }

    private static func send(_ number: Int, _ port: UInt16, _ origin: Origin) -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        if origin == .many {
            // Addresses from 127.1.0.0: all addresses in 127/8 are this machine.
            var own = address(0x7F01_0000 + UInt32(number % 0xFF_0000), 0)
            _ = unsafe withBytes(&own) { unsafe bind(socket, $0, $1) }
        }
        var there = address(0x7F00_0001, port)
        guard unsafe withBytes(&there, { unsafe connect(socket, $0, $1) }) == 0 else {
            close(socket)
            return nil
        }
        let body = #"{"provider":"password","evidence":{"email":"p\#(number)@example.com","password":"a wrong password"}}"#
        let bytes = Array(
            """
            POST /v1/accounts/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """.utf8)
        _ = unsafe Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        return socket
    }

    private static func address(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = host.bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    @unsafe private static func withBytes(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Counts the responses, and gives up on requests without a response within ten seconds.
    private func read(
        _ open: [(socket: Int32, since: ContinuousClock.Instant)], forMilliseconds patience: Int32
    ) -> [(socket: Int32, since: ContinuousClock.Instant)] {
        var polled = open.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&polled, nfds_t(polled.count), patience)
        return zip(open, polled).compactMap { entry, polled in
            if polled.revents == 0 {
                guard ContinuousClock.now - entry.since > .seconds(10) else { return entry }
                count(0)
            } else {
                var piece = [UInt8](repeating: 0, count: 64)
                let received = unsafe recv(entry.socket, &piece, piece.count, 0)
                let words = String(decoding: piece[..<max(received, 0)], as: UTF8.self).split(separator: " ")
                count(words.count > 1 ? Int(words[1]) ?? 0 : 0)
            }
            close(entry.socket)
            return nil
        }
    }

    private func count(_ status: Int) { state.withLock { $0.statuses[status, default: 0] += 1 } }
}

import Dispatch
import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite struct `Streams: bounded, in order, and over when the client is gone` {
    static let head = "GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"

    /// A stream that an application responds with, and a signal when it is closed.
    final class Source: Sendable {
        let stream: HTTPStream
        private let closed = DispatchSemaphore(value: 0)

        init(limitBytes: Int = 65_536, isEndless: Bool = false) {
            let closed = closed
            stream = HTTPStream(limitBytes: limitBytes, isEndless: isEndless) { closed.signal() }
        }

        var application: TestApplication {
            TestApplication(answering: { [stream] _ in .now(HTTPResponse(status: 200, body: .stream(stream))) })
        }

        /// Returns whether the stream is closed, and only once.
        func isClosedOnce() -> Bool {
            closed.wait(timeout: .now() + 1_200) == .success && closed.wait(timeout: .now()) == .timedOut
        }
    }

    @Test(
        "A client that does not read costs one buffer and one write, and gets everything when it reads", arguments: [false, true])
    func holdsBack(isEndless: Bool) throws {
        let source = Source(limitBytes: 10_000, isEndless: isEndless)
        let written = Atomic(0)
        let isDone = DispatchSemaphore(value: 0)
        let total = 40_000_000
        try withServer(source.application) { server in
            let client = try RawClient(port: server.port, receiveBufferBytes: 4_096)
            client.send(Self.head)
            _ = TestThread {
                let block = [UInt8](repeating: 0x61, count: 1_000)
                while written.load(ordering: .relaxed) < total {
                    guard (try? source.stream.writeBlocking(block)) != nil else { break }
                    written.add(block.count, ordering: .relaxed)
                }
                source.stream.finish()
                isDone.signal()
            }
            #expect(client.receive(until: { $0.contains("aaa") }) != nil)
            // The producer is blocked with most of the data unwritten: sockets and buffer are full.
            while source.stream.offer([0x62]) { usleep(10_000) }
            #expect(isDone.wait(timeout: .now() + 1) == .timedOut)
            #expect(written.load(ordering: .relaxed) < total / 2)
            LoopbackSocket.widen(client.socket)
            let all = client.receiveAll() ?? []
            #expect(all.count { $0 == 0x61 } > total - 100_000)
            #expect(source.isClosedOnce())
        }
    }

    @Test("Waiting writers get an error when the client disconnects, and the stream closes once", arguments: [false, true])
    func noticesTheEnd(isEndless: Bool) throws {
        let source = Source(limitBytes: 1_000, isEndless: isEndless)
        let gaveUp = DispatchSemaphore(value: 0)
        try withServer(source.application) { server in
            var client: RawClient? = try RawClient(port: server.port)
            client?.send(Self.head)
            _ = TestThread {
                while (try? source.stream.writeBlocking([UInt8](repeating: 0x61, count: 600))) != nil {}
                gaveUp.signal()
            }
            #expect(client?.receive(until: { $0.contains("aaa") }) != nil)
            client = nil
            #expect(gaveUp.wait(timeout: .now() + 1_200) == .success)
            #expect(source.isClosedOnce())
            #expect(source.stream.isClosed)
        }
    }

    @Test("A heartbeat to a disconnected client ends the stream", arguments: [false, true])
    func heartbeatEndsTheStream(isEndless: Bool) throws {
        let source = Source(isEndless: isEndless)
        try withServer(source.application) { server in
            var client: RawClient? = try RawClient(port: server.port)
            client?.send(Self.head)
            #expect(client?.receive(until: { $0.contains("\r\n\r\n") }) != nil)
            client = nil
            let deadline = DispatchTime.now() + 1_200
            while !source.stream.isClosed, DispatchTime.now() < deadline { _ = source.stream.offer([0x0A]) }
            #expect(source.isClosedOnce())
        }
    }

    @Test("Concurrent writers do not interleave their writes", .timeLimit(.minutes(60)), arguments: [false, true])
    func doesNotMix(isEndless: Bool) async throws {
        let source = Source(limitBytes: 100, isEndless: isEndless)
        let server = try HTTPServer(HTTPServerSettings(), application: source.application)
        let client = try RawClient(port: server.port)
        client.send(Self.head)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<200 { try? await source.stream.write(Array("\(writer):\(number)\n".utf8)) }
                }
            }
        }
        source.stream.finish()
        let lines = RawResponses(client.receiveAll() ?? []).answers[0].body.split(separator: "\n")
        for writer in 0..<8 {
            #expect(lines.filter { $0.hasPrefix("\(writer):") } == (0..<200).map { "\(writer):\($0)" })
        }
        #expect(lines.count == 1_600)
        server.stop(graceSeconds: 1)
    }

    @Test("Short writes of an endless stream go to the socket, long ones through the buffer, and the client gets all in order")
    func passesByTheBuffer() throws {
        let source = Source(isEndless: true)
        let application = source.application
        try withServer(application) { server in
            let client = try RawClient(port: server.port)
            client.send(Self.head)
            var received = client.receive { $0.contains("\r\n\r\n") } ?? ""
            var written = ""
            for (number, count) in [1, 500, 8_193, 3, 60_000, 8_192, 17].enumerated() {
                let text = String(repeating: "x", count: count) + "<\(number)>"
                written += text
                try source.stream.writeBlocking(Array(text.utf8))
                received += client.receive { $0.contains(">") } ?? ""
            }
            let passedBy = source.stream.bytesPassedBy
            #expect((1...600).contains(passedBy), "\(passedBy) bytes")
            source.stream.finish()
            received += String(decoding: client.receiveAll() ?? [], as: UTF8.self)
            #expect(RawResponses(Array(received.utf8)).answers.first?.body == written)
            #expect(application.waitForEnded(1).map(\.bytesSent) == [UInt64(written.utf8.count)])
        }
    }

    @Test(
        "The response to HEAD has no byte of the stream's body, and its stream is closed", arguments: [false, true], [false, true])
    func omitsTheBody(isEndless: Bool, isFinished: Bool) throws {
        let source = Source(isEndless: isEndless)
        try source.stream.writeBlocking([0x61])
        if isFinished { source.stream.finish() }
        try withServer(source.application) { server in
            let client = try RawClient(port: server.port)
            client.send("HEAD / HTTP/1.1\r\nHost: here\r\n\r\n")
            let bytes = try #require(client.receiveAll(), "the connection stays open")
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\n"))
            #expect(text.components(separatedBy: "\r\n\r\n").count == 2, "\(text)")
            #expect(source.isClosedOnce())
        }
    }

    @Test("An HTTP/1.0 client gets a stream until the connection closes", arguments: [false, true])
    func servesOldClients(isEndless: Bool) throws {
        let source = Source(isEndless: isEndless)
        try withServer(source.application) { server in
            let client = try RawClient(port: server.port)
            client.send("GET / HTTP/1.0\r\n\r\n")
            _ = TestThread {
                for number in 1...3 { try? source.stream.writeBlocking(Array("\(number)\n".utf8)) }
                source.stream.finish()
            }
            #expect(String(decoding: client.receiveAll() ?? [], as: UTF8.self).hasSuffix("\r\n\r\n1\n2\n3\n"))
        }
    }
}

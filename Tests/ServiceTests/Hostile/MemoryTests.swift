import Credentials
import Dispatch
import Events
import Foundation
import Glibc
import HTTPServer
import Muniment
import Permissions
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@Suite(
    "Hostile: clients that send large bodies, or do not read large responses", .serialized, .disabled(if: TestSettings.isSanitized))
struct MemoryTests {
    private static let largestBody = 8 << 20

    /// A data directory with a store. `doc:history` had 24 values of half a MiB.
    private struct World {
        let process: ServedProcess
        let callers: [String]
        let asker: String

        init(_ data: String) throws {
            let store = try Store.create(at: data + "/default", preset: .open)
            try store.commit(Transaction("user:root", [.defineClass("doc"), .register("user:ben"), .register("user:eve")]))
            func value(_ number: Int) -> JSONValue { .string("\(number)" + String(repeating: "x", count: 1 << 19)) }
            try store.commit(
                Transaction(
                    "user:root",
                    [
                        .createObject("doc:history", value: value(0)),
                        .grant("user:eve", on: "doc:history", ["read", "setPermissions"]),
                    ]))
            for number in 1..<24 {
                try store.commit(Transaction("user:root", [.writeObject("doc:history", .value(value(number)))]))
            }
            try store.close()
            let tokens = TokenRegistry(dataDirectory: data)
            func token(_ right: Right) throws -> String {
                try tokens.create(stores: .named(["default"]), right: right, until: nil, at: ManualClock().now).secret
            }
            callers = try ["user:eve", "user:ben"].map { try token(.act(as: Name($0))) }
            asker = try token(.ask)
            process = try ServedProcess(data)
        }

        func head(_ method: String, _ path: String, as token: String, bodyBytes: Int = 0) -> String {
            "\(method) /v1/stores/default/\(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(bodyBytes)\r\n\r\n"
        }
    }

    /// Changes with almost the maximum number of values, in a body of the maximum size.
    private static let changes: [UInt8] = {
        let value = "[" + Array(repeating: "[12345678901234]", count: 60).joined(separator: ",") + "]"
        var text = #"{"do":["#
        var number = 0
        while text.utf8.count < largestBody - 2_000 {
            text += #"{"op":"createObject","object":"doc:\#(number)","value":\#(value)},"#
            number += 1
        }
        return Array((text + #"{"op":"createObject","object":"doc:last"}]}"#).utf8)
    }()

    @Test(
        "40 bodies of 8 MiB at once take bounded memory, which is freed afterwards; another caller can send such a body")
    func largeBodies() async throws {
        try await withTemporaryFolder { folder in
            let world = try World(folder + "/data")
            let memory = ProcessMemory(world.process)
            let before = try memory.resident()
            let ordinary = OrdinaryCallers(
                Curl("http://127.0.0.1:\(world.process.port)"), writer: world.callers[1], asker: world.asker)
            let (port, request) = (
                world.process.port, world.head("POST", "transactions", as: world.callers[0], bodyBytes: Self.changes.count)
            )
            let other = world.head("POST", "transactions", as: world.callers[1], bodyBytes: Self.changes.count)
            let statuses = Mutex<[Int: Int]>([:])
            try await ordinary.served(during: "40 bodies of 8 MiB at once") {
                let clients = try (0..<40).map { _ in try ByteClient(port: port, host: 1) }
                let ended = DispatchSemaphore(value: 0)
                func start(_ body: @escaping @Sendable () -> Void) {
                    Thread {
                        body()
                        ended.signal()
                    }.start()
                }
                for client in clients {
                    start {
                        client.send(Array(request.utf8) + Self.changes)
                        let status = client.status() ?? 0
                        statuses.withLock { $0[status, default: 0] += 1 }
                    }
                }
                start {
                    // This body has room, although the first caller uses the full limit per caller.
                    guard let client = try? ByteClient(port: port, host: 2) else { return }
                    client.send(Array(other.utf8) + Self.changes)
                    let status = client.status()
                    #expect(status != 503 && status != nil, "\(status ?? 0)")
                }
                await Task.detached { for _ in 0...clients.count { ended.wait() } }.value
            }
            let peak = try memory.peak()
            print("memory of 40 bodies: before \(before >> 20) MiB, peak \(peak >> 20) MiB, answers \(statuses.withLock { $0 })")
            #expect(peak < before + (400 << 20), "\(peak >> 20) MiB")
            #expect(try await memory.returns(to: before + (64 << 20)))
        }
    }

    @Test("40 clients that do not read a response of 4 MiB use bounded memory, and another caller is served")
    func unreadResponses() async throws {
        try await withTemporaryFolder { folder in
            let world = try World(folder + "/data")
            let memory = ProcessMemory(world.process)
            let before = try memory.resident()
            let ordinary = OrdinaryCallers(
                Curl("http://127.0.0.1:\(world.process.port)"), writer: world.callers[1], asker: world.asker)
            let request = world.head("GET", "history?name=doc:history&limit=1000", as: world.callers[0])
            let port = world.process.port
            let readers = try (0..<40).map { _ in try ByteClient(port: port, host: 1, receiveBufferBytes: 4_096) }
            for reader in readers { reader.send(Array(request.utf8)) }
            for reader in readers { #expect([200, 503, 504].contains(reader.status() ?? 0)) }
            try await ordinary.served(during: "40 responses of 4 MiB that nobody reads") {
                let body = world.head("POST", "transactions", as: world.callers[1], bodyBytes: Self.changes.count)
                let client = try ByteClient(port: port, host: 2)
                client.send(Array(body.utf8) + Self.changes)
                let status = client.status()
                #expect(status != 503 && status != nil, "\(status ?? 0)")
            }
            let held = try memory.resident()
            print(
                "memory of 40 unread responses: before \(before >> 20) MiB, held \(held >> 20) MiB, peak \(try memory.peak() >> 20) MiB"
            )
            #expect(try memory.peak() < before + (400 << 20))
            for reader in readers { reader.close() }
            #expect(try await memory.returns(to: before + (64 << 20)))
        }
    }

    @Test("A client that sends a few bytes per second is disconnected, and its memory is freed")
    func tricklingClients() async throws {
        try await withService { fixture in
            let token = try fixture.administrator()
            var settings = HTTPServerSettings(memoryLimitBytes: 8_000_000)
            (settings.idleSeconds, settings.requestSeconds) = (1, 1)
            let server = try HTTPServer(settings, application: fixture.service)
            defer { server.stop(graceSeconds: 5) }
            let curl = Curl("http://127.0.0.1:\(server.port)")
            func commit(_ changes: String) async throws -> Int {
                let body = #"{"as":"user:root","do":[\#(changes)]}"#
                return try await curl.send("POST", "/v1/stores/default/transactions", token: token, json: body).status
            }
            /// Returns whether a body of 4 MB has room. The body is not a valid transaction.
            func hasRoom() async throws -> Bool {
                do {
                    let status = try await commit(#""\#(String(repeating: "x", count: 4_000_000))""#)
                    #expect([400, 503].contains(status))
                    return status == 400
                } catch let failure as CurlFailure where [52, 55, 56].contains(failure.code) {
                    // On a busy machine, the body can take longer than the second that the settings allow.
                    return false
                }
            }
            let head = "Host: localhost\r\nAuthorization: Bearer \(token)\r\nContent-Type: application/json\r\n"

            func beginSending() throws -> ByteClient {
                let sender = try ByteClient(port: server.port, host: 1)
                sender.send(Array("POST /v1/stores/default/transactions HTTP/1.1\r\n\(head)Content-Length: 5000000\r\n\r\n".utf8))
                return sender
            }
            // On a busy machine, the sender can be disconnected before the other request arrives.
            var sender = try beginSending()
            while try await hasRoom() { if !sender.sendByte() { sender = try beginSending() } }
            while sender.sendByte() { try await Task.sleep(for: .milliseconds(100)) }
            var isFree = false
            for _ in 0..<100 where !isFree { isFree = try await hasRoom() }
            #expect(isFree)
        }
    }
}

/// Returns the memory of a process, as Linux counts it.
private struct ProcessMemory {
    private let path: String

    init(_ process: ServedProcess) { path = "/proc/\(process.identifier)/status" }

    struct Missing: Error { let field: String }

    /// The bytes in use now, without mapped files.
    func resident() throws -> Int { try field("RssAnon") }

    /// The maximum number of bytes ever in use.
    func peak() throws -> Int { try field("VmHWM") }

    /// Waits until the process uses less than the given number of bytes. Returns false after twenty minutes.
    func returns(to bytes: Int) async throws -> Bool {
        for _ in 0..<6_000 {
            if try resident() < bytes { return true }
            try await Task.sleep(for: .milliseconds(200))
        }
        return false
    }

    private func field(_ name: String) throws -> Int {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(name + ":") }),
            let kilobytes = line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap({ Int($0) })
        else { throw Missing(field: name) }
        return kilobytes << 10
    }
}

/// A client that sends and receives exactly the given bytes.
private final class ByteClient: Sendable {
    private let socket: Int32
    private let isClosed = Atomic(false)

    /// - Parameter host: the last byte of its address, 127.0.0.X.
    init(port: UInt16, host: UInt8, receiveBufferBytes: Int32? = nil) throws {
        socket = try LoopbackSocket.connected(
            to: port, timeoutSeconds: 300, receiveBufferBytes: receiveBufferBytes, host: host)
    }

    deinit { close() }

    func close() {
        if !isClosed.exchange(true, ordering: .relaxed) { _ = Glibc.close(socket) }
    }

    /// Sends the bytes until all are sent or the server closes the connection.
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

    /// Sends a byte. Returns false if the server has closed the connection.
    func sendByte() -> Bool {
        var byte: UInt8 = 0x20
        var answer: UInt8 = 0
        guard unsafe recv(socket, &answer, 1, Int32(MSG_DONTWAIT)) < 0, errno == EAGAIN else { return false }
        return unsafe Glibc.send(socket, &byte, 1, Int32(MSG_NOSIGNAL)) == 1
    }

    /// Reads the start of the response. Returns its status, or nil if there is no response.
    func status() -> Int? {
        var buffer = [UInt8](repeating: 0, count: 12)
        guard unsafe recv(socket, &buffer, buffer.count, Int32(MSG_WAITALL)) == buffer.count else { return nil }
        return Int(String(decoding: buffer.suffix(3), as: UTF8.self))
    }
}

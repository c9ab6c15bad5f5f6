import Credentials
import Events
import Files
import Foundation
import Glibc
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@Suite("Hostile: a client that opens more connections than the service has descriptors")
struct DescriptorTests {
    /// Connections that stay open and send nothing.
    private final class IdleConnections {
        private let sockets: [Int32]

        /// - Parameter networks: The number of addresses of 127.0.0.0/8 that the connections use in turn: 127.0.0.2, 127.0.0.3 and
        /// so on.
        init(_ count: Int, to port: UInt16, networks: Int) throws {
            sockets = try (0..<count).map { number in
                try LoopbackSocket.connected(to: port, timeoutSeconds: 1_200, host: UInt8(2 + number % networks))
            }
        }

        deinit { for socket in sockets { close(socket) } }
    }

    /// Makes a data directory with an open store. The store was closed, so it has its seal.
    private func prepare(_ data: String) throws -> (writer: String, asker: String) {
        let store = try Store.create(at: data + "/default", preset: .open)
        try store.commit(Transaction("user:root", [.defineClass("doc"), .register("user:ben")]))
        try store.close()
        let tokens = TokenRegistry(dataDirectory: data)
        let clock = ManualClock()
        func token(_ right: Right) throws -> String {
            try tokens.create(stores: .named(["default"]), right: right, until: nil, at: clock.now).secret
        }
        return (try token(.act(as: "user:ben")), try token(.ask))
    }

    @Test(
        "Idle connections are closed in favor of the first commit and other callers, for one client address and for many",
        arguments: [1, 5, 100])
    func idleConnections(networks: Int) async throws {
        try await withTemporaryFolder { folder in
            let (writer, asker) = try prepare(folder + "/data")
            let process = try ServedProcess(folder + "/data", descriptorLimit: 256)
            #expect(fileExists(folder + "/data/default/log/seal"))
            let idle = try IdleConnections(400, to: process.port, networks: networks)
            let callers = OrdinaryCallers(Curl("http://127.0.0.1:\(process.port)"), writer: writer, asker: asker)
            let port = process.port
            try await callers.served(during: "400 idle connections, 256 descriptors, \(networks) addresses") {
                for _ in 0..<3 { _ = try IdleConnections(200, to: port, networks: networks) }
            }
            withExtendedLifetime(idle) {}
            process.signal(SIGTERM)
            #expect(process.exitCode() == 0)
            #expect(try Store.verify(at: folder + "/data/default").isSound)
        }
    }

    @Test("The limit per address does not block the clients of a trusted proxy")
    func trustedProxy() async throws {
        try await withTemporaryFolder { folder in
            let (writer, asker) = try prepare(folder + "/data")
            let process = try ServedProcess(
                folder + "/data", options: ["--connections-per-address", "2", "--trusted-proxies", "127.0.0.1"])
            let clients = try (0..<10).map { _ in try PlainClient(port: process.port) }
            for client in clients { #expect(try client.send("GET", "/healthz").0 == 200) }
            for client in clients { #expect(try client.send("GET", "/healthz").0 == 200) }
            try await OrdinaryCallers(Curl("http://127.0.0.1:\(process.port)"), writer: writer, asker: asker)
                .served(during: "10 connections of a proxy") {}
            withExtendedLifetime(clients) {}
        }
    }

    @Test("A connection limit above the limit on open files is refused at the start")
    func tooManyConnections() throws {
        try withTemporaryFolder { folder in
            let refusal = #expect(throws: ServedProcess.NotListening.self) {
                try ServedProcess(folder + "/data", options: ["--connections", "5000"], descriptorLimit: 256)
            }
            #expect(refusal?.errors.contains("the limit of 256 open files") == true, "\(refusal?.errors ?? "")")
        }
    }
}

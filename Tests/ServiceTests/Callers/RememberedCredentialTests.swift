import Credentials
import Foundation
import Permissions
import ServiceSupport
import TestSupport
import Testing

@Suite("A connection remembers the token of its last request")
struct RememberedCredentialTests {
    private let check = #"{"subject":"user:ann","privilege":"read","object":"doc:1"}"#

    /// Sends a check, and returns the status of the response.
    private func send(_ client: PlainClient, _ authorization: String?) throws -> Int {
        var headers = ["Content-Type": "application/json"]
        headers["Authorization"] = authorization
        return try client.send("POST", "/v1/stores/default/check", headers: headers, body: check).0
    }

    /// Sends a request without a body, whose token is checked only once.
    private func get(_ client: PlainClient, _ token: String) throws -> Int {
        try client.send("GET", "/v1/stores/default", headers: ["Authorization": "Bearer " + token]).0
    }

    @Test("A token revoked by another process is rejected on the next request of its connection")
    func revoked() async throws {
        try await withService { fixture in
            let token = try fixture.token(.ask)
            let client = try PlainClient(port: try fixture.listen())
            for _ in 0..<3 { #expect(try send(client, "Bearer " + token) == 200) }
            // Another change of the file: the remembered token stays valid.
            let other = try fixture.token(.ask)
            #expect(try send(client, "Bearer " + token) == 200)
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            try registry.revoke(id: "t1", at: fixture.clock.now)
            for _ in 0..<2 { #expect(try (get(client, token), send(client, "Bearer " + token)) == (401, 401)) }
            #expect(try (get(client, other), send(client, "Bearer " + other)) == (200, 200))
        }
    }

    @Test("A token that expires is rejected on the next request of its connection")
    func expired() async throws {
        try await withService { fixture in
            let token = try fixture.token(.ask, until: fixture.clock.now.later(seconds: 10))
            let client = try PlainClient(port: try fixture.listen())
            #expect(try send(client, "Bearer " + token) == 200)
            fixture.clock.advance(seconds: 10)
            #expect(try (get(client, token), send(client, "Bearer " + token)) == (401, 401))
        }
    }

    @Test("A token is rejected on the next request of its connection while the token file is damaged or missing")
    func unreadable() async throws {
        try await withService { fixture in
            let token = try fixture.token(.ask)
            let client = try PlainClient(port: try fixture.listen())
            #expect(try send(client, "Bearer " + token) == 200)
            let path = URL(filePath: TokenRegistry(dataDirectory: fixture.directory).path)
            let bytes = try Data(contentsOf: path)
            try Data("damaged\n".utf8).write(to: path)
            #expect(try send(client, "Bearer " + token) == 503)
            try FileManager.default.removeItem(at: path)
            #expect(try send(client, "Bearer " + token) == 503)
            try bytes.write(to: path)
            #expect(try send(client, "Bearer " + token) == 200)
        }
    }

    @Test("Each request of a connection acts with its own header, whatever the connection remembers")
    func otherHeaders() async throws {
        try await withService { fixture in
            let (ask, ann) = (try fixture.token(.ask), try fixture.token(.act(as: "user:ann")))
            let bob = try fixture.token(.act(as: "user:bob"))
            let client = try PlainClient(port: try fixture.listen())
            let rows: [(String?, Int)] = [
                ("Bearer " + ask, 200), (nil, 401), ("Bearer " + bob, 403), ("Bearer " + ann, 200), ("Bearer " + bob, 403),
                ("Bearer " + ask.dropLast(), 401), ("Bearer " + ask, 200), ("Bearer " + ask + "A", 401), ("Bearer", 401), ("", 401),
                ("bearer  " + ask, 200), ("Token " + ask, 401), ("Bearer " + ask, 200),
            ]
            for (index, row) in rows.enumerated() { #expect(try send(client, row.0) == row.1, "request \(index)") }
        }
    }

    @Test("A token is valid only in its stores, also on a connection that remembers it")
    func otherStore() async throws {
        try await withService { fixture in
            let token = try fixture.token(.ask, .named(["other"]))
            let client = try PlainClient(port: try fixture.listen())
            #expect(try send(client, "Bearer " + (try fixture.token(.ask))) == 200)
            for _ in 0..<2 { #expect(try send(client, "Bearer " + token) == 403) }
        }
    }
}

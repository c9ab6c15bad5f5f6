import Credentials
import ServiceSupport
import Testing

@testable import Service

@Suite("Hostile: headers that a proxy and the service may read differently")
struct HeaderTests {
    /// Sends the same headers to every route, each on a separate connection.
    ///
    /// - Returns: The routes that did not answer with `status`.
    private func routes(of fixture: ServiceFixture, notAnswering status: Int, to headers: [String: String]) throws -> [String] {
        let port = try fixture.listen()
        return try fixture.service.router.routes.compactMap { route in
            let path = route.path.segments.map { segment in
                if case .word(let word) = segment { word } else { "default" }
            }
            let answer = try PlainClient(port: port).send(route.method, "/" + path.joined(separator: "/"), headers: headers)
            return answer.0 == status ? nil : "\(route.name): \(answer)"
        }
    }

    @Test("Every route refuses a request with two Authorization headers with 400, even if both are equal")
    func twoCredentials() async throws {
        try await withListeners { fixture in
            let (one, two) = (try fixture.administrator(), try fixture.token(.ask))
            for second in [one, two] {
                let headers = ["Authorization": "Bearer \(one)\r\nauthorization: Bearer \(second)"]
                #expect(try routes(of: fixture, notAnswering: 400, to: headers) == [])
            }
        }
    }

    @Test("A query of a thousand members is answered", arguments: [1, 250, 1_000])
    func longQuery(members: Int) async throws {
        try await withListeners { fixture in
            let query = Array(repeating: "a", count: members).joined(separator: "&")
            let status = try PlainClient(port: fixture.listen()).send("GET", "/healthz?" + query).0
            #expect(status == 200)
        }
    }

    @Test("Every route refuses a Content-Encoding other than identity with 415")
    func encodedBodies() async throws {
        try await withListeners { fixture in
            for encoding in ["gzip", "identity, gzip", "br", "unknown"] {
                let headers = ["Authorization": "Bearer " + (try fixture.administrator()), "Content-Encoding": encoding]
                #expect(try routes(of: fixture, notAnswering: 415, to: headers) == [])
            }
            let plain = ["Authorization": "Bearer " + (try fixture.administrator()), "Content-Encoding": "identity"]
            #expect(try PlainClient(port: fixture.listen()).send("GET", "/v1/stores", headers: plain).0 == 200)
        }
    }
}

import Events
import HTTPServer
import ServiceSupport
import Testing

@testable import Service

@Suite("CORS: pages of permitted origins may call the service, and no others")
struct CrossOriginTests {
    private static let origin = "https://app.example.com"
    private static let check = "/v1/stores/default/check"

    private func withOrigins(_ origins: [String], _ body: (ServiceFixture, Curl, String) async throws -> Void) async throws {
        try await withService {
            $0.allowedOrigins = Set(origins.compactMap { WebOrigin($0) })
        } _: { fixture in
            try await body(fixture, try fixture.live(), try fixture.administrator())
        }
    }

    private func preflight(_ curl: Curl, _ path: String, from origin: String) async throws -> Answer {
        try await curl.send(
            "OPTIONS", path,
            headers: [
                HTTPHeader("Origin", origin), HTTPHeader("Access-Control-Request-Method", "POST"),
                HTTPHeader("Access-Control-Request-Headers", "authorization,content-type"),
            ])
    }

    @Test("A preflight of a permitted origin is answered with the methods of the path and the headers, without a token")
    func preflights() async throws {
        try await withOrigins([Self.origin, "http://localhost:3000"]) { _, curl, _ in
            for origin in [Self.origin, "http://localhost:3000"] {
                let answer = try await preflight(curl, Self.check, from: origin)
                #expect(answer.status == 204 && answer.body.isEmpty)
                #expect(answer.header("Access-Control-Allow-Origin") == origin)
                #expect(answer.header("Access-Control-Allow-Methods") == "POST")
                #expect(answer.header("Access-Control-Allow-Headers")?.contains("Authorization, Content-Type") == true)
                #expect(answer.header("Access-Control-Allow-Credentials") == nil)
                #expect(answer.header("Vary") == "Origin")
            }
        }
    }

    @Test("Every response to a permitted origin names it, also a refusal; a response to no origin varies by origin")
    func responses() async throws {
        try await withOrigins([Self.origin]) { _, curl, token in
            let header = [HTTPHeader("Origin", Self.origin)]
            for (path, status) in [("/v1/stores", 200), ("/healthz", 200), ("/nowhere", 404), ("/v1/stores/none/caller", 404)] {
                let answer = try await curl.send("GET", path, token: token, headers: header)
                #expect(answer.status == status)
                #expect(answer.header("Access-Control-Allow-Origin") == Self.origin, "\(path)")
                #expect(answer.header("Access-Control-Expose-Headers")?.contains("X-Request-ID") == true)
                #expect(answer.header("Access-Control-Allow-Credentials") == nil)
            }
            let refused = try await curl.send("GET", "/v1/stores", headers: header)
            #expect(refused.status == 401 && refused.header("Access-Control-Allow-Origin") == Self.origin)
            let plain = try await curl.send("GET", "/v1/stores", token: token)
            #expect(plain.header("Access-Control-Allow-Origin") == nil && plain.header("Vary") == "Origin")
        }
    }

    @Test(
        "Another origin gets neither a preflight nor a header",
        arguments: [
            "https://evil.example.com", "http://app.example.com", "https://app.example.com:8443",
            "https://app.example.com.evil.com",
            "null", "*", "HTTPS://APP.EXAMPLE.COM", "https://app.example.com/",
        ])
    func others(origin: String) async throws {
        try await withOrigins([Self.origin]) { _, curl, token in
            let answer = try await preflight(curl, Self.check, from: origin)
            #expect(answer.status == 405)
            #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
            let response = try await curl.send("GET", "/v1/stores", token: token, headers: [HTTPHeader("Origin", origin)])
            #expect(response.status == 200 && !response.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
        }
    }

    @Test("Without the option, no response mentions origins")
    func off() async throws {
        try await withOrigins([]) { _, curl, token in
            #expect(try await preflight(curl, Self.check, from: Self.origin).status == 405)
            let answer = try await curl.send("GET", "/v1/stores", token: token, headers: [HTTPHeader("Origin", Self.origin)])
            #expect(
                !answer.headers.contains { $0.name.lowercased().hasPrefix("access-control-") || $0.name.lowercased() == "vary" })
        }
    }

    @Test(
        "An origin in the settings is exactly what browsers send",
        arguments: [
            "*", "null", "", "app.example.com", "https://", "https://app.example.com/", "https://app.example.com/a",
            "https://APP.example.com", "https://*.example.com", "https://app.example.com:443", "http://app.example.com:80",
            "https://user@app.example.com", "https://app.example.com?a", "https://bücher.example", "https://b%C3%BCcher.example",
            "ftp://app.example.com", "file://",
        ])
    func exact(text: String) {
        #expect(WebOrigin(text) == nil)
        for valid in [
            "https://app.example.com", "http://localhost:3000", "https://[::1]:8443", "http://127.0.0.1:5173",
            "https://xn--bcher-kva.example", "https://xn--bcher-kva.example:8443",
        ] {
            #expect(WebOrigin(valid)?.description == valid)
        }
    }

    @Test("A refused head and a refused body have the request id of the client")
    func requestIDs() async throws {
        try await withService { fixture in
            let (curl, token) = (try fixture.live(), try fixture.administrator())
            let id = HTTPHeader("X-Request-ID", "the client's \u{e9}")
            let long = try await curl.send(
                "GET", "/v1/stores", token: token, headers: [id, HTTPHeader("X-Long", String(repeating: "x", count: 9_000))])
            #expect(long.status == 431 && long.header("X-Request-ID") == id.value, "\(long.headers)")
            #expect(try long.json["status"] == .integer(431))
            let many = try await curl.send(
                "GET", "/v1/stores", token: token, headers: [id] + (0..<128).map { HTTPHeader("X\($0)", "1") })
            #expect(many.status == 431 && many.header("X-Request-ID") == id.value, "\(many.headers)")
            let body = try await curl.send(
                "POST", Self.check, headers: [id, HTTPHeader("Authorization", "Bearer " + token)],
                body: [UInt8](repeating: 0x20, count: 200 << 10))
            #expect(body.status == 413 && body.header("X-Request-ID") == id.value, "\(body.headers)")
        }
    }
}

import Credentials
import Events
import Foundation
import IssuerSupport
import ServiceSupport
import TestSupport
import Testing
import Work

@testable import Service

@Suite("Hostile: an issuer that accepts requests and never answers", .timeLimit(.minutes(60)))
struct HangingIssuerTests {
    private static let question = #"{"subject":"user:ann","privilege":"read","object":"doc:1"}"#
    private static let check = "/v1/stores/default/check"

    /// Runs a test with a service that trusts a hanging issuer, with a timeout of ten seconds.
    private func withHangingIssuer(_ body: (ServiceFixture, SilentServer, Reports) async throws -> Void) async throws {
        let (issuer, reports) = (try SilentServer(), Reports())
        let believed = try IssuerSettings(
            issuer: TestJWT.issuer, audience: TestJWT.audience, jwksAddress: "http://127.0.0.1:\(issuer.port)/keys")
        try await withListeners {
            $0.callers.issuer = believed
            $0.deadlines.all = .seconds(10)
            $0.report = { reports.add($0) }
        } _: {
            try await body($0, issuer, reports)
        }
    }

    @Test("JWTs share one key fetch, then get 503 with Retry-After immediately, and the log gives the reason")
    func oneFetch() async throws {
        try await withHangingIssuer { fixture, issuer, reports in
            let (curl, jwt) = (try fixture.live(), try TestJWT.make())
            let answers = Task {
                try await withThrowingTaskGroup { group in
                    for _ in 0..<8 { group.addTask { try await curl.send("POST", Self.check, token: jwt, json: Self.question) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            try await until("one asks the issuer, and seven wait") {
                fixture.service.verification.load == (1, 7) && issuer.connectionCount() == 1
            }
            // The fetch takes far longer than the time between two attempts.
            fixture.clock.advance(seconds: 60)
            for answer in try await answers.value {
                #expect(answer.status == 503, "\(answer.text)")
                #expect(answer.header("Retry-After") == "5")
            }
            let next = try await curl.send("POST", Self.check, token: jwt, json: Self.question)
            #expect(next.status == 503)
            #expect(issuer.connectionCount() == 1)
            let lines = reports.lines.filter { $0.contains("are not available") }
            #expect(lines.count == 1 && lines[0].contains("127.0.0.1:\(issuer.port)"), "\(reports.lines)")
        }
    }

    @Test("JWTs with unacceptable claims are answered 401 before the issuer is asked")
    func refusedBefore() async throws {
        try await withHangingIssuer { fixture, issuer, _ in
            let curl = try fixture.live()
            let past = Instant.newYear.microseconds / 1_000_000 - 600
            for jwt in [
                "eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.e30.AAAA", try TestJWT.make(claims: ["iss": "https://other.example"]),
                try TestJWT.make(claims: ["aud": "other"]), try TestJWT.make(claims: ["exp": .integer(past)]),
                try TestJWT.make(claims: ["sub": nil]),
            ] {
                #expect(try await curl.send("POST", Self.check, token: jwt, json: Self.question).status == 401)
            }
            #expect(issuer.connectionCount() == 0)
        }
    }

    @Test("If a client disconnects while its request waits for keys, the request leaves the queue")
    func clientLeaves() async throws {
        try await withHangingIssuer { fixture, issuer, _ in
            let (port, jwt) = (try fixture.listen(), try TestJWT.make())
            let headers = ["Authorization": "Bearer " + jwt]
            let first = try PlainClient(port: port)
            try first.begin("GET", "/v1/stores/default/administrators", headers: headers)
            try await until("it asks the issuer") { issuer.connectionCount() == 1 }
            var others: [PlainClient] = []
            for _ in 0..<8 {
                let client = try PlainClient(port: port)
                try client.begin("GET", "/v1/stores/default/administrators", headers: headers)
                others.append(client)
            }
            try await until("the others wait") { fixture.service.verification.load == (1, 8) }
            others = []
            try await until("they are dropped while the first still waits") { fixture.service.verification.load == (1, 0) }
            withExtendedLifetime(first) {}
        }
    }
}

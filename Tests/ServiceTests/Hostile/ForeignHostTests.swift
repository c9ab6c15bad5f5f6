import Credentials
import Foundation
import HTTPServer
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: a page whose host name leads to the address of the service (DNS rebinding)")
struct ForeignHostTests {
    private static let check = #"{"subject":"anonymous","privilege":"read","object":"store"}"#
    private static let json = ["Content-Type": "application/json"]

    @Test("Every route, the console and unknown paths refuse a foreign host with 421, also in stores without a token")
    func everyRoute() async throws {
        try await withListeners {
            $0.callers.anonymousStores = .all
        } _: { fixture in
            let port = try fixture.listen()
            var targets = fixture.service.router.routes.map { route in
                let path = route.path.segments.map { segment in
                    if case .word(let word) = segment { word } else { "default" }
                }
                return (route.method, "/" + path.joined(separator: "/"))
            }
            targets += [
                ("GET", "/"), ("GET", "/console/"), ("GET", "/console/assets/app.js"), ("GET", "/nowhere"),
                ("OPTIONS", "/v1/stores"),
            ]
            for (method, target) in targets {
                let answer = try PlainClient(port: port).send(method, target, host: "evil.example:\(port)")
                #expect(answer.0 == 421, "\(method) \(target)")
            }
            let path = "/v1/stores/default/check"
            #expect(try PlainClient(port: port).send("POST", path, headers: Self.json, body: Self.check).0 == 200)
            let refused = try PlainClient(port: port).send("POST", path, host: "evil.example", headers: Self.json, body: Self.check)
            #expect(refused.0 == 421)
            #expect(refused.body.contains("`evil.example`") && refused.body.contains("--allow-host evil.example"))
        }
    }

    @Test(
        "A host is refused unless it is an IP address or a name of the service",
        arguments: [
            "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "evil.example@127.0.0.1",
            "localhost:80:80", "localhost:x", "::1", "[127.0.0.1]", "[::1", "[::1]x", "", "names.example.evil.example",
            "2130706433",
        ])
    func refused(host: String) async throws {
        try await withListeners {
            $0.allowedHosts = [HostName("names.example")!]
        } _: { fixture in
            let port = try fixture.listen()
            #expect(try PlainClient(port: port).send("GET", "/healthz", host: host).0 == 421)
        }
    }

    @Test(
        "IP addresses, localhost, and the names of --allow-host and of the public address are accepted, with any port",
        arguments: [
            "127.0.0.1", "127.0.0.1:1", "10.1.2.3:8080", "[::1]:8080", "[2001:db8::1]", "localhost", "LocalHost:9", "localhost.",
            "names.example", "Names.Example:8080", "names.example.", "public.example",
        ])
    func accepted(host: String) async throws {
        try await withListeners {
            $0.allowedHosts = [HostName("Names.example")!]
            $0.publicAddress = "https://public.example/pdp"
        } _: { fixture in
            let port = try fixture.listen()
            #expect(try PlainClient(port: port).send("GET", "/healthz", host: host).0 == 200)
        }
    }

    @Test("The host of a whole address in the request line counts as well as the header")
    func wholeAddress() async throws {
        try await withListeners { fixture in
            let port = try fixture.listen()
            #expect(try PlainClient(port: port).send("GET", "http://127.0.0.1/healthz").0 == 200)
            #expect(try PlainClient(port: port).send("GET", "http://evil.example/healthz").0 == 421)
            #expect(try PlainClient(port: port).send("GET", "http://127.0.0.1/healthz", host: "evil.example").0 == 421)
            #expect(try PlainClient(port: port).send("GET", "http://127.0.0.1@evil.example/healthz").0 == 421)
        }
    }

    @Test("The names of the certificate are accepted, and its wildcards for one label")
    func certificateNames() throws {
        try withTemporaryFolder { folder in
            try OpenSSLCommand.run(
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "k", "-days", "2",
                    "-subj", "/CN=none", "-addext", "subjectAltName=DNS:one.example,DNS:*.two.example", "-out", "c",
                ], in: folder)
            let pem = try String(contentsOfFile: folder + "/c", encoding: .utf8)
            let hosts = OwnHosts([], publicAddress: nil, certificatePEM: pem)
            for (host, isOwn) in [
                ("one.example", true), ("ONE.example:443", true), ("a.two.example", true), ("a.b.two.example", false),
                ("two.example", false), ("none", false), ("evil.example", false),
            ] {
                #expect(hosts.include(host) == isOwn, "\(host)")
                #expect(hosts.include(host) == isOwn, "\(host), again")
            }
        }
    }
}

import Events
import HTTPServer
import Identity
import ServiceSupport
import Testing

@testable import Service

@Suite("I3 Behind a proxy everybody is told apart as without one", .timeLimit(.minutes(2)))
struct ClientAddressTests {
    private static let proxies: Set = ["10.0.0.1", "10.0.0.2", "2001:db8::1"]

    @Test(
        "The client of a trusted proxy is the last address there that is none, and of anybody else the address it comes from",
        arguments: [
            ("10.0.0.1", ["192.0.2.7"], "192.0.2.7"),
            ("::ffff:10.0.0.1", ["::ffff:192.0.2.7"], "192.0.2.7"),
            ("10.0.0.1", ["2001:DB8:0::7"], "2001:db8::7"),
            // Through two proxies, and with what the client has written itself in front.
            ("10.0.0.1", ["198.51.100.1, 192.0.2.7 ,10.0.0.2"], "192.0.2.7"),
            ("10.0.0.1", ["198.51.100.1", "192.0.2.7", "2001:db8::1"], "192.0.2.7"),
            ("10.0.0.1", ["nonsense, 192.0.2.7"], "192.0.2.7"),
            // No address where one should be.
            ("10.0.0.1", ["192.0.2.7, nonsense"], "10.0.0.1"),
            ("10.0.0.1", ["192.0.2.7,"], "10.0.0.1"),
            ("10.0.0.1", ["192.0.2.7:4711"], "10.0.0.1"),
            ("10.0.0.1", ["nonsense, 10.0.0.2"], "10.0.0.1"),
            ("10.0.0.1", [""], "10.0.0.1"),
            ("10.0.0.1", [], "10.0.0.1"),
            ("10.0.0.1", ["10.0.0.2"], "10.0.0.1"),
            // Not from a trusted proxy.
            ("192.0.2.9", ["192.0.2.7"], "192.0.2.9"),
            ("", ["192.0.2.7"], ""),
        ])
    func table(peer: String, forwarded: [String], client: String) {
        let proxies = Set(Self.proxies.compactMap(IPAddress.init))
        #expect(ClientAddress.client(peer: peer, forwarded: forwarded, proxies: proxies) == client)
        // Without any proxy nothing is believed.
        #expect(ClientAddress.client(peer: peer, forwarded: forwarded, proxies: []) == peer)
    }

    @Test("Wrong sign-ins through a proxy keep out whoever sent them; a header that others write changes nothing")
    func limits() async throws {
        try await withTarget {
            $0.settings.limits.source = LimitRule(free: 3, firstDelaySeconds: 30, longestDelaySeconds: 60, forgottenSeconds: 3_600)
        } service: {
            $0.trustedProxies = Set([IPAddress("127.0.0.1")].compactMap { $0 })
        } _: { fixture in
            let address = "http://127.0.0.1:\(try fixture.service.listen())"
            let status = { (number: Int, client: String, peer: String) async throws -> Int in
                // What the proxy adds comes in a line of its own.
                let curl = Curl(
                    address,
                    options: [
                        "--interface", peer, "--header", "X-Forwarded-For: 203.0.113.\(number)", "--header",
                        "X-Forwarded-For: \(client)",
                    ])
                return try await AccountsClient(curl, fixture.mails).signInAnswer("p\(number)@example.com").status
            }
            var statuses: [Int] = []
            for number in 1...4 { statuses.append(try await status(number, "192.0.2.7", "127.0.0.1")) }
            statuses.append(try await status(5, "192.0.2.8", "127.0.0.1"))
            #expect(statuses == [401, 401, 401, 429, 401])
            statuses = []
            for number in 6...9 { statuses.append(try await status(number, "192.0.2.\(number)", "127.0.1.1")) }
            #expect(statuses == [401, 401, 401, 429])
        }
    }
}

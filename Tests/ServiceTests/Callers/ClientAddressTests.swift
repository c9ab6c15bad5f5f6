import Events
import HTTPServer
import Identity
import ServiceSupport
import Testing
import Work

@testable import Service

@Suite("I3 Client addresses with a proxy and without one", .timeLimit(.minutes(60)))
struct ClientAddressTests {
    private static let proxies = ["10.0.0.1", "10.0.0.2", "2001:db8::1", "172.16.0.0/12", "2001:db8:7::/48"]

    @Test(
        "The client of a trusted proxy is the last address that is not a proxy; other clients are their peer address",
        arguments: [
            ("10.0.0.1", ["192.0.2.7"], "192.0.2.7"),
            ("::ffff:10.0.0.1", ["::ffff:192.0.2.7"], "192.0.2.7"),
            ("10.0.0.1", ["2001:DB8:0::7"], "2001:db8::7"),
            // The request came through two proxies. The client itself wrote the first address.
            ("10.0.0.1", ["198.51.100.1, 192.0.2.7 ,10.0.0.2"], "192.0.2.7"),
            ("10.0.0.1", ["198.51.100.1", "192.0.2.7", "2001:db8::1"], "192.0.2.7"),
            ("10.0.0.1", ["nonsense, 192.0.2.7"], "192.0.2.7"),
            // An entry is not a valid address.
            ("10.0.0.1", ["192.0.2.7, nonsense"], "10.0.0.1"),
            ("10.0.0.1", ["192.0.2.7,"], "10.0.0.1"),
            ("10.0.0.1", ["192.0.2.7:4711"], "10.0.0.1"),
            ("10.0.0.1", ["nonsense, 10.0.0.2"], "10.0.0.1"),
            ("10.0.0.1", [""], "10.0.0.1"),
            ("10.0.0.1", [], "10.0.0.1"),
            ("10.0.0.1", ["10.0.0.2"], "10.0.0.1"),
            // Proxies of a range.
            ("172.31.255.255", ["192.0.2.7, 172.16.0.0"], "192.0.2.7"),
            ("2001:db8:7:ffff::1", ["192.0.2.7"], "192.0.2.7"),
            // The peer is not a trusted proxy.
            ("192.0.2.9", ["192.0.2.7"], "192.0.2.9"),
            ("172.32.0.0", ["192.0.2.7"], "172.32.0.0"),
            ("172.15.255.255", ["192.0.2.7"], "172.15.255.255"),
            ("2001:db8:8::1", ["192.0.2.7"], "2001:db8:8::1"),
            ("", ["192.0.2.7"], ""),
        ])
    func table(peer: String, forwarded: [String], client: String) {
        let proxies = Self.proxies.compactMap(IPAddressRange.init)
        #expect(ClientAddress.client(peer: peer, forwarded: forwarded, proxies: proxies) == client)
        // Without configured proxies the service ignores the header.
        #expect(ClientAddress.client(peer: peer, forwarded: forwarded, proxies: []) == peer)
    }

    @Test("Wrong sign-ins through a proxy block only their sender, and headers from untrusted clients have no effect")
    func limits() async throws {
        try await withTarget {
            $0.settings.limits.source = LimitRule(free: 3, firstDelaySeconds: 30, longestDelaySeconds: 60, forgottenSeconds: 3_600)
        } service: {
            $0.trustedProxies = [IPAddressRange("127.0.0.1")].compactMap { $0 }
        } _: { fixture in
            let address = "http://127.0.0.1:\(try fixture.service.listen())"
            let status = { (number: Int, client: String, peer: String) async throws -> Int in
                // The proxy adds its entry as a separate header line.
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

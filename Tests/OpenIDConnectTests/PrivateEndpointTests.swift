import Events
import Identity
import IssuerSupport
import NetworkClient
import TestSupport
import Testing

@testable import Credentials
@testable import OpenIDConnect

@Suite("Hostile: an issuer whose metadata names services of the operator's network")
struct PrivateEndpointTests {
    static let privateHosts = [
        "127.0.0.1", "127.9.9.9", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "localhost", "0.0.0.0", "10.0.0.1",
        "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255", "[::1]", "[::]",
        "[::ffff:127.0.0.1]", "[::ffff:a00:1]", "[::127.0.0.1]", "[64:ff9b::a00:1]", "[2002:a00:1::]", "[fe80::1]", "[fd00::1]",
        "[ff02::1]",
    ]
    static let publicHosts = [
        "login.example.com", "203.0.113.7", "8.8.8.8", "172.32.0.1", "11.0.0.1", "[2001:db8::1]", "[::ffff:8.8.8.8]",
        "[64:ff9b::808:808]",
    ]

    private func document(_ host: String, isFromPrivateAddress: Bool = false, allows: Bool = false) throws -> IssuerDocument {
        var settings = try IssuerSettings(issuer: "https://evil.example", audience: "me")
        settings.allowsPrivateEndpoints = allows
        return IssuerDocument(
            members: ["token_endpoint": .string("https://\(host)/token"), "jwks_uri": .string("https://\(host):8443/keys")],
            settings: settings, address: try #require(HTTPAddress("https://evil.example/.well-known/openid-configuration")),
            isFromPrivateAddress: isFromPrivateAddress)
    }

    @Test(
        "A private, loopback, link-local or unspecified host is refused in any form, unless the issuer has one or an option allows it"
    )
    func hosts() throws {
        for name in ["token_endpoint", "jwks_uri"] {
            for host in Self.privateHosts {
                let error = #expect(throws: IssuerFetchError.self, "\(host)") { try document(host).address(name) }
                #expect(error?.description.contains("allowPrivateEndpoints") == true, "\(host)")
                _ = try document(host, isFromPrivateAddress: true).address(name)
                _ = try document(host, allows: true).address(name)
            }
            for host in Self.publicHosts { _ = try document(host).address(name) }
        }
        var plain = try document("203.0.113.7")
        plain = IssuerDocument(
            members: ["jwks_uri": "http://203.0.113.7/keys"],
            settings: try IssuerSettings(issuer: "https://a.example", audience: "me"),
            address: try #require(HTTPAddress("https://a.example/")), isFromPrivateAddress: true)
        #expect(throws: IssuerFetchError.self) { try plain.address("jwks_uri") }
    }

    @Test("A host whose name leads to this machine receives neither a request for keys nor a code")
    func names() throws {
        let trap = try TestIssuer()
        defer { trap.stop() }
        try trap.serve(keys: [(try TestKeys.rsa.get(), ["kid": "k1"])])
        try trap.serve(#"{"id_token":"x"}"#, at: "token")
        let port = try #require(trap.address.split(separator: ":").last)
        let settings = try OpenIDSettings(
            id: try #require(ProviderID("evil")), issuer: "https://evil.example", clientID: "me", clientSecret: "secret",
            redirectURIs: ["https://app.example.com/"])
        let attempt = AuthorizationAttempt(redirectURI: settings.redirectURIs[0], isReauthentication: false, at: .newYear)
        for host in ["localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "127.1", "2130706433", "ip6-localhost"] {
            let keys = try #require(HTTPAddress("http://\(host):\(port)/keys"))
            let fetched = #expect(throws: IssuerFetchError.self, "\(host)") {
                try IssuerDocument.get(keys, timeoutSeconds: 600, refusesPrivateAddresses: true)
            }
            if host != "ip6-localhost" {
                #expect(
                    fetched?.description.contains("has an address of this machine or of a private network") == true,
                    "\(fetched as Any)")
            }
            let token = try #require(HTTPAddress("http://\(host):\(port)/token"))
            let exchange = CodeExchange(settings: settings, tokenEndpoint: token, allowsPrivateEndpoints: false)
            #expect(throws: ProviderError.self, "\(host)") { try exchange.idToken(code: "c", of: attempt) }
        }
        #expect(try trap.requests() == [])
        let keys = try #require(HTTPAddress(trap.keysAddress))
        #expect(try IssuerDocument.get(keys, timeoutSeconds: 600).isFromPrivateAddress)
        let token = try #require(HTTPAddress(trap.address + "/token"))
        #expect(
            try CodeExchange(settings: settings, tokenEndpoint: token, allowsPrivateEndpoints: true).idToken(code: "c", of: attempt)
                == "x")
        #expect(try trap.requests().count == 2)
    }
}

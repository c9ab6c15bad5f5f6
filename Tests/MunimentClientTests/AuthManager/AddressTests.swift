import Events
import Testing

@testable import MunimentClient

@Suite("Service addresses and redirect addresses")
struct AddressTests {
    @Test(
        "A service address is https, or http on this machine",
        arguments: [
            ("https://accounts.example.com", "https://accounts.example.com"), ("https://a.example/", "https://a.example"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"), ("http://localhost", "http://localhost"),
            ("https://a.example/muniment/", "https://a.example/muniment"),
        ])
    func service(text: String, expected: String) throws { #expect(try ServiceAddress(text).text == expected) }

    @Test(
        "Any other service address throws an error that says what to write",
        arguments: [
            "", "http://accounts.example.com", "ftp://a", "https://", "https://ann@a.example", "https://a.example/?x",
            "https://a/#b", "a.example",
        ])
    func noService(text: String) {
        #expect(throws: AuthError.self) { try ServiceAddress(text) }
    }

    private let beginning = OpenIDIdentityProvider.Beginning(
        providerID: "acme", authorizationURL: "https://acme.example/authorize", redirectURI: "app://back", attempt: "p1")

    @Test("The redirect becomes decoded evidence, with the issuer if present")
    func redirect() throws {
        let provider = try beginning.finish(redirectedTo: "app://back?code=a%2Bb+c&state=s&iss=https%3A%2F%2Facme.example#x")
        let expected: JSONObject = [
            "attempt": .string("p1"), "code": .string("a+b c"), "state": .string("s"), "iss": .string("https://acme.example"),
            "redirectURI": .string("app://back"),
        ]
        #expect(provider.evidence == expected)
        let withoutIssuer = try beginning.finish(redirectedTo: "app://back?state=s&code=c")
        #expect(withoutIssuer.evidence["iss"] == nil)
        #expect(!provider.isReusable)
    }

    @Test(
        "A code that arrives at a different redirect address is rejected and not sent",
        arguments: [
            ("https://a.example/back", "https://a.example/back?", true),
            ("https://a.example/back", "HTTPS://A.Example/back?", true),
            ("https://a.example", "https://a.example/?", true),
            ("https://a.example/?by=x", "https://a.example/?by=x&", true),
            ("com.example.App:/back", "com.example.app:/back?", true),
            ("https://a.example/back", "https://a.example/back/?", false),
            ("https://a.example/back", "https://a.example/Back?", false),
            ("https://a.example/back", "https://b.example/back?", false),
            ("https://a.example/?by=x", "https://a.example/?by=y&", false),
            ("https://a.example/?by=x", "https://a.example/?by=xy&", false),
            ("https://a.example/?by=x", "https://a.example/?", false),
            ("https://a.example/back", "com.example.app:/back?", false),
        ])
    func returned(redirectURI: String, address: String, isTheSame: Bool) throws {
        let beginning = OpenIDIdentityProvider.Beginning(
            providerID: "acme", authorizationURL: "https://acme.example/authorize", redirectURI: redirectURI, attempt: "p1")
        let provider = try? beginning.finish(redirectedTo: address + "code=c&state=s")
        #expect(provider?.evidence["redirectURI"] == (isTheSame ? .string(redirectURI) : nil))
    }

    @Test("A refusal at the provider cancels the sign-in")
    func refused() {
        #expect(throws: AuthError.cancelledByUser) { try beginning.finish(redirectedTo: "app://back?error=access_denied&state=s") }
    }

    @Test(
        "A redirect without code and state, or with one of them twice, is malformed",
        arguments: [
            "", "app://back", "app://back?", "app://back?code=c", "app://back?state=s", "app://back?code=c&state=s&code=d",
            "app://back?code=%zz&state=s", "app://back?code=%ff&state=s", "app://back#code=c&state=s",
            "app://back?error=server_error&state=s",
        ])
    func malformed(address: String) throws {
        let error = #expect(throws: AuthError.self) { try beginning.finish(redirectedTo: address) }
        guard case .malformed? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Text in a path segment is escaped, so that it cannot end the segment")
    func segments() {
        #expect("acme-1".percentEncoded == "acme-1")
        #expect("a/b?c#d%é\u{1}".percentEncoded == "a%2Fb%3Fc%23d%25%C3%A9%01")
    }
}

import NetworkClient
import Testing

@Suite("HTTP addresses: valid forms and loopback addresses")
struct HTTPAddressTests {
    static let good: [(text: String, host: String, isSecure: Bool, isLoopback: Bool)] = [
        ("https://login.example.com", "login.example.com", true, false),
        ("HTTPS://Login.Example.com:8443/a?b#c", "login.example.com", true, false),
        ("http://127.0.0.1:8080/x", "127.0.0.1", false, true),
        ("http://127.8.9.1", "127.8.9.1", false, true),
        ("http://[::1]:80/", "::1", false, true),
        ("http://localhost", "localhost", false, true),
        ("http://localhost.example.com", "localhost.example.com", false, false),
        ("http://127.0.0.1.example.com", "127.0.0.1.example.com", false, false),
        ("http://127.0.0", "127.0.0", false, false),
        ("http://[::2]", "::2", false, false),
        ("http://0.0.0.0", "0.0.0.0", false, false),
        ("http://10.0.0.1", "10.0.0.1", false, false),
    ]

    @Test("An address has a host, and knows whether it is encrypted and whether it is a loopback address", arguments: good)
    func parts(text: String, host: String, isSecure: Bool, isLoopback: Bool) throws {
        let address = try #require(HTTPAddress(text))
        #expect(address.host == host)
        #expect(address.isSecure == isSecure)
        #expect(address.isLoopback == isLoopback)
        #expect(address.text == text)
    }

    @Test(
        "An ambiguous or invalid address is rejected",
        arguments: [
            "", "login.example.com", "ftp://login.example.com", "file:///etc/passwd", "https://", "https:///path", "https:/x",
            "https://user@host", "https://localhost@evil.example.com", "https://evil.example.com\\@localhost",
            "https://host:port", "https://host:99999", "https://[::1", "https://[::1]x", "https://a b", "https://a\n", "https://é",
            "https://host/" + String(repeating: "x", count: 2_048),
        ])
    func refused(text: String) {
        #expect(HTTPAddress(text) == nil)
    }
}

import HTTPServer
import Testing

@Suite("IP addresses")
struct IPAddressTests {
    @Test("All spellings of an address are equal, and so is an IPv4 address within IPv6")
    func same() {
        #expect(IPAddress("2001:db8::1") == IPAddress("2001:0DB8:0:0:0:0:0:1"))
        #expect(IPAddress("10.0.0.1") == IPAddress("::ffff:10.0.0.1"))
        #expect(IPAddress("10.0.0.1") == IPAddress("::FFFF:a00:1"))
        #expect(IPAddress("::ffff:10.0.0.1")?.description == "10.0.0.1")
        #expect(IPAddress("2001:0DB8:0:0:0:0:0:1")?.description == "2001:db8::1")
        #expect(IPAddress("::fffe:10.0.0.1") != IPAddress("10.0.0.1"))
    }

    @Test(
        "An invalid address is rejected",
        arguments: [
            "", "unknown", "10.0.0", "10.0.0.256", "10.0.0.1:80", "[::1]", "::1%eth0", "1::2::3", " 10.0.0.1", "10.0.0.1\0", "_x",
        ])
    func none(text: String) { #expect(IPAddress(text) == nil) }
}

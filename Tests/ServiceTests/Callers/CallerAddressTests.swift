import Testing

@testable import Service

@Suite("Addresses of callers")
struct CallerAddressTests {
    @Test("IPv4 addresses that a dual-stack socket reports are treated as IPv4, in every spelling")
    func mapped() {
        #expect(ClientAddress.group("::ffff:1.2.3.4") != ClientAddress.group("::ffff:5.6.7.8"))
        for text in ["::ffff:1.2.3.4", "::ffff:102:304", "0:0:0:0:0:FFFF:1.2.3.4"] {
            #expect(ClientAddress.group(text) == "1.2.3.4")
        }
        // These only resemble mapped addresses.
        #expect(ClientAddress.group("::fffe:1.2.3.4") == ClientAddress.group("::1"))
        #expect(ClientAddress.group("1::ffff:1.2.3.4") != "1.2.3.4")
    }

    @Test("The first 64 bits of an IPv6 address count as one address, in every spelling")
    func networks() {
        #expect(ClientAddress.group("2001:db8:0:7::1") == ClientAddress.group("2001:db8::7:ffff:0:0:2"))
        #expect(ClientAddress.group("2001:db8:0:7::1") != ClientAddress.group("2001:db8:0:8::1"))
        #expect(ClientAddress.group("2001:db8::1") == ClientAddress.group("2001:0DB8:0:0::2"))
    }
}

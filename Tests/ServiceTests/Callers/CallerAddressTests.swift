import Testing

@testable import Service

@Suite("Addresses that callers come from")
struct CallerAddressTests {
    @Test("What IPv4 clients are to a socket of both kinds is told apart as IPv4 is, however it is written")
    func mapped() {
        #expect(FailureLimit.group("::ffff:1.2.3.4") != FailureLimit.group("::ffff:5.6.7.8"))
        for text in ["::ffff:1.2.3.4", "::ffff:102:304", "0:0:0:0:0:FFFF:1.2.3.4"] {
            #expect(FailureLimit.group(text) == "1.2.3.4")
        }
        // These only look like it.
        #expect(FailureLimit.group("::fffe:1.2.3.4") == FailureLimit.group("::1"))
        #expect(FailureLimit.group("1::ffff:1.2.3.4") != "1.2.3.4")
    }

    @Test("Of IPv6 the first 64 bits are one address, however they are written")
    func networks() {
        #expect(FailureLimit.group("2001:db8:0:7::1") == FailureLimit.group("2001:db8::7:ffff:0:0:2"))
        #expect(FailureLimit.group("2001:db8:0:7::1") != FailureLimit.group("2001:db8:0:8::1"))
        #expect(FailureLimit.group("2001:db8::1") == FailureLimit.group("2001:0DB8:0:0::2"))
    }
}

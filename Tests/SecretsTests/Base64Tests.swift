import Secrets
import Testing

@Suite("Base64")
struct Base64Tests {
    /// RFC 4648, section 10.
    @Test(
        "Base64 gives the test vectors of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, text: String) { #expect(Base64.encode(Array(plain.utf8)) == text) }

    @Test("Base64 uses `+` and `/`, and Base64URL uses `-` and `_`")
    func letters() {
        #expect(Base64.encode([0xFB, 0xFF, 0xBF]) == "+/+/")
        #expect(Base64URL.encode([0xFB, 0xFF, 0xBF]) == "-_-_")
    }
}

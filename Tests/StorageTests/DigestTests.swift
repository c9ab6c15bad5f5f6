import Hashing
import Testing

@Suite("Hashing: SHA-256")
struct DigestTests {
    static let vectors: [(text: String, times: Int, digest: String)] = [
        ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ]

    @Test("SHA-256 gives the test vectors of FIPS 180-4", arguments: vectors)
    func knownAnswers(text: String, times: Int, digest: String) {
        let bytes = Array(String(repeating: text, count: times).utf8)
        #expect(Digest(of: bytes.span).description == digest)
    }

    @Test("A chained digest is the digest of the previous digest followed by the bytes")
    func chaining() {
        let first = Digest(chaining: .zero, Array("abc".utf8))
        let joined = [UInt8](repeating: 0, count: 32) + Array("abc".utf8)
        #expect(first == Digest(of: joined.span))
        #expect(Digest(chaining: first, []) == Digest(of: first.bytes.span))
        #expect(Digest(chaining: first, Array("abc".utf8)) != first)
    }

    @Test("A digest has exactly 32 bytes", arguments: [0, 31, 33])
    func length(count: Int) {
        #expect(Digest(bytes: [UInt8](repeating: 1, count: count)) == nil)
        #expect(Digest(bytes: [UInt8](repeating: 1, count: 32))?.bytes.count == 32)
    }
}

import Secrets
import Testing

@Suite("AuthenticatedEncryption")
struct AuthenticatedEncryptionTests {
    private let key = EncryptionKey((0..<32).map { 0x80 + $0 })!

    @Test("Bytes sealed by another program can be opened: the example of draft-irtf-cfrg-xchacha-03, A.3.1")
    func golden() {
        let sealed =
            bytes("404142434445464748494a4b4c4d4e4f5051525354555657")
            + bytes("bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39")
            + bytes("ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9")
            + bytes("21f9664c97637da9768812f615c68b13b52e") + bytes("c0875924c1c7987947deafd8780acf49")
        let plain = AuthenticatedEncryption.open(sealed, key: key, boundTo: bytes("50515253c0c1c2c3c4c5c6c7"))
        #expect(
            plain.map { String(decoding: $0, as: UTF8.self) }
                == "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
        )
    }

    @Test("Sealed bytes can be opened, and each sealing of them is different", arguments: [0, 1, 64, 100_000])
    func roundTrip(count: Int) {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealed = AuthenticatedEncryption.seal(plain, key: key, boundTo: [1, 2])
        #expect(sealed.count == count + AuthenticatedEncryption.overheadBytes)
        #expect(AuthenticatedEncryption.open(sealed, key: key, boundTo: [1, 2]) == plain)
        #expect(AuthenticatedEncryption.seal(plain, key: key, boundTo: [1, 2]) != sealed)
    }

    @Test("Opening fails with another key, another binding, one changed bit or truncated bytes")
    func refusals() {
        let sealed = AuthenticatedEncryption.seal(Array("picture".utf8), key: key, boundTo: [1])
        #expect(AuthenticatedEncryption.open(sealed, key: .random(), boundTo: [1]) == nil)
        #expect(AuthenticatedEncryption.open(sealed, key: key, boundTo: [2]) == nil)
        #expect(AuthenticatedEncryption.open(sealed, key: key, boundTo: []) == nil)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(AuthenticatedEncryption.open(changed, key: key, boundTo: [1]) == nil, "bit \(bit)")
        }
        for count in 0..<sealed.count {
            #expect(AuthenticatedEncryption.open(Array(sealed[..<count]), key: key, boundTo: [1]) == nil)
        }
    }

    @Test("A key has 32 bytes, each random key is different, and a printed key reveals nothing")
    func keys() {
        #expect(EncryptionKey([UInt8](repeating: 0, count: 31)) == nil)
        #expect(EncryptionKey([UInt8](repeating: 0, count: 33)) == nil)
        let random = EncryptionKey.random()
        #expect(random.bytes.count == 32)
        #expect(random.bytes != EncryptionKey.random().bytes)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", "\(Optional(key) as Any)", String(reflecting: key), dumped] {
            #expect(!text.contains("128") && !text.contains("80"), "\(text)")
        }
    }
}

/// Returns the bytes of a text of hexadecimal digits.
func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)! }
}

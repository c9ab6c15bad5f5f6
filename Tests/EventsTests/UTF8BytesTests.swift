import Testing

@testable import Primitives

@Suite("Bytes of texts on systems without spans over texts")
struct UTF8BytesTests {
    static let bytes: [[UInt8]] = [
        [], Array("aé€😀".utf8), [0x61, 0xFF], [0xC3], [0x61, 0xC3, 0x28, 0x61], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98],
        [0xC0, 0x80], Array("\u{FFFD}".utf8), Array("\u{FFFD}".utf8) + [0x80], [0xE2, 0x82, 0xAC, 0xE2, 0x82],
    ]

    @Test("The first invalid byte is found by decoding as by a span", arguments: bytes)
    func invalidByte(bytes: [UInt8]) {
        #expect(invalidOffsetByDecoding(bytes) == invalidOffset(bytes))
    }
}

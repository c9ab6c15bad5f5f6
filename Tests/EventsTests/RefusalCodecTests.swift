import Events
import TestSupport
import Testing

@Suite("Encoding of refused commands")
struct RefusalCodecTests {
    /// Version 1 or 2, refusal 3, 2026-01-01T10:00:00Z, at revision 7.
    private static func header(_ version: UInt8) -> String { "0\(version)  03  00 a8 e4 a7 50 47 06 00  07 " }

    private static func refusal(_ edit: (inout RecordedRefusal) -> Void) -> RecordedRefusal {
        var refusal = RecordedRefusal(
            number: RefusalNumber(3), time: Instant(microseconds: 1_767_261_600_000_000), head: Revision(7), caller: "user:ann",
            code: "cycle", message: "no", changeCount: 1)
        edit(&refusal)
        return refusal
    }

    private static let digest = (0..<32).map(UInt8.init)
    private static let digestHex = "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f"
    private static let origin = Origin(
        requestID: "r-1", idempotencyKey: "k", requestDigest: [0xAB, 0xCD], comment: "why", importLine: 129)

    /// In version 1, the names are only in the JSON, and those before its end count.
    static let version1: [(refusal: RecordedRefusal, hex: String)] = [
        (
            refusal { $0.changeCount = 0 },
            header(1) + "08 75 73 65 72 3a 61 6e 6e  00  05 63 79 63 6c 65  02 6e 6f  00  00  00"
        ),
        (
            refusal {
                $0.caller = ""
                $0.change = 0
                $0.tried = RefusedChange(operation: "", json: #"{"é":1}"#)
            }, header(1) + "00  00  05 63 79 63 6c 65  02 6e 6f  01  01  01 08 7b 22 c3 a9 22 3a 31 7d"
        ),
        (
            refusal {
                $0.origin = origin
                $0.change = 299
                $0.changeCount = 300
                $0.tried = RefusedChange(
                    operation: "", json: "{", whole: RefusedChange.FullTextDigest(byteCount: 300, digest: digest))
            },
            header(1) + """
                08 75 73 65 72 3a 61 6e 6e  0f 03 72 2d 31  01 6b  02 ab cd  03 77 68 79  81 01  05 63 79 63 6c 65  02 6e 6f
                ac 02  ac 02  02  01 7b  ac 02
                """ + " " + digestHex
        ),
        (
            refusal {
                $0.tried = RefusedChange(
                    operation: "grant", objects: ["d:1"], json: #"{"op":"grant","object":"d:1","subject":"u"#,
                    whole: RefusedChange.FullTextDigest(byteCount: 300, digest: digest))
            },
            header(1) + """
                08 75 73 65 72 3a 61 6e 6e  00  05 63 79 63 6c 65  02 6e 6f  00  01  02
                29 7b 22 6f 70 22 3a 22 67 72 61 6e 74 22 2c 22 6f 62 6a 65 63 74 22 3a 22 64 3a 31 22 2c 22 73 75 62 6a 65 63 74 22 3a
                22 75  ac 02
                """ + " " + digestHex
        ),
    ]

    static let version2: [(refusal: RecordedRefusal, hex: String)] = [
        (
            refusal { $0.changeCount = 0 },
            header(2) + "08 75 73 65 72 3a 61 6e 6e  00  05 63 79 63 6c 65  02 6e 6f  00  00  00"
        ),
        (
            refusal {
                $0.caller = ""
                $0.change = 0
                $0.tried = RefusedChange(operation: "setOwner", objects: ["d:1"], subjects: ["u:é"], json: "{}")
            },
            header(2) + """
                00  00  05 63 79 63 6c 65  02 6e 6f  01  01  01
                08 73 65 74 4f 77 6e 65 72  01 03 64 3a 31  01 04 75 3a c3 a9  02 7b 7d
                """
        ),
        (
            refusal {
                $0.origin = origin
                $0.change = 299
                $0.changeCount = 300
                $0.tried = RefusedChange(
                    operation: "op", objects: ["p", "d"], json: "{",
                    whole: RefusedChange.FullTextDigest(byteCount: 300, digest: digest))
            },
            header(2) + """
                08 75 73 65 72 3a 61 6e 6e  0f 03 72 2d 31  01 6b  02 ab cd  03 77 68 79  81 01  05 63 79 63 6c 65  02 6e 6f
                ac 02  ac 02  02  02 6f 70  02 01 70 01 64  00  01 7b  ac 02
                """ + " " + digestHex
        ),
    ]

    private func encoded(_ refusal: RecordedRefusal) -> [UInt8] {
        var writer = ByteWriter()
        RefusalCodec.encode(refusal, into: &writer)
        return writer.bytes
    }

    private func decoded(_ bytes: [UInt8]) throws(CodecError) -> RecordedRefusal { try RefusalCodec.decode(bytes.span) }

    @Test("E7: a refusal of version 1 decodes from its golden bytes", arguments: version1)
    func goldenBytesOfVersion1(refusal: RecordedRefusal, hex: String) throws {
        #expect(try decoded(bytes(hex)) == refusal)
    }

    @Test("E7: a refusal of version 2 decodes from its golden bytes and encodes to them", arguments: version2)
    func goldenBytes(refusal: RecordedRefusal, hex: String) throws {
        #expect(try decoded(bytes(hex)) == refusal)
        #expect(encoded(refusal) == bytes(hex))
    }

    @Test(
        "E7: a format from a later version is rejected with its number, and the rest is not read", arguments: [UInt8(0), 3, 255])
    func unknownFormat(version: UInt8) {
        let fault = #expect(throws: CodecError.self) { try decoded([version]) }
        #expect(fault == .unknownRefusalFormat(version: version))
        #expect(fault?.description.contains("format version \(version)") == true)
        #expect(fault?.description.contains("use a later one") == true)
    }

    @Test("Every truncated refusal is rejected, and so is one additional byte", arguments: version2)
    func truncation(refusal: RecordedRefusal, hex: String) {
        let whole = encoded(refusal)
        for count in 0..<whole.count {
            #expect(throws: CodecError.self) { try decoded(Array(whole[..<count])) }
        }
        #expect(throws: CodecError.malformed(what: "the end of the refusal", offset: whole.count)) { try decoded(whole + [0]) }
    }

    @Test("A changed byte gives an error or a different refusal, and never a crash", arguments: version2)
    func changedByte(refusal: RecordedRefusal, hex: String) {
        let whole = encoded(refusal)
        for offset in whole.indices {
            for change in UInt8(1)...255 {
                var damaged = whole
                damaged[offset] ^= change
                // A refusal without a change is the same in version 1.
                guard damaged[0] != 1, let read = try? decoded(damaged) else { continue }
                // Swift compares texts as equal even if their bytes differ, so this compares the bytes too.
                #expect(read != refusal || encoded(read) == damaged, "byte \(offset) changed by \(change) is not noticed")
            }
        }
    }

    @Test("Random bytes give an error or a refusal, and never a crash", arguments: UInt64(1)...5)
    func noise(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let noise = (0..<random.number(0...80)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            guard let read = try? decoded([RefusalCodec.formatVersion] + noise) else { continue }
            #expect(encoded(read) == [RefusalCodec.formatVersion] + noise, "seed \(seed)")
        }
    }

    @Test("A long text is cut between two characters, and a short one is unchanged")
    func prefixes() {
        #expect("häuser".prefix(utf8Bytes: 7) == "häuser")
        #expect("häuser".prefix(utf8Bytes: 6) == "häuse")
        #expect("häuser".prefix(utf8Bytes: 3) == "hä")
        #expect("häuser".prefix(utf8Bytes: 2) == "h")
        #expect("😀😀".prefix(utf8Bytes: 7) == "😀")
        #expect("😀".prefix(utf8Bytes: 3) == "")
        #expect("".prefix(utf8Bytes: 0) == "")
    }
}

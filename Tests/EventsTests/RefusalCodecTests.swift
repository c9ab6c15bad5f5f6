import Events
import TestSupport
import Testing

@Suite("Encoding of refused commands")
struct RefusalCodecTests {
    /// Refusal 3, 2026-01-01T10:00:00Z, at revision 7.
    private static let header = "01  03  00 a8 e4 a7 50 47 06 00  07 "

    private static func refusal(_ edit: (inout RecordedRefusal) -> Void) -> RecordedRefusal {
        var refusal = RecordedRefusal(
            number: RefusalNumber(3), time: Instant(microseconds: 1_767_261_600_000_000), head: Revision(7), caller: "user:ann",
            code: "cycle", message: "no", changeCount: 1)
        edit(&refusal)
        return refusal
    }

    static let version1: [(refusal: RecordedRefusal, hex: String)] = [
        (
            refusal { $0.changeCount = 0 },
            header + "08 75 73 65 72 3a 61 6e 6e  00  05 63 79 63 6c 65  02 6e 6f  00  00  00"
        ),
        (
            refusal {
                $0.caller = ""
                $0.change = 0
                $0.tried = TriedChange(json: #"{"é":1}"#)
            }, header + "00  00  05 63 79 63 6c 65  02 6e 6f  01  01  01 08 7b 22 c3 a9 22 3a 31 7d"
        ),
        (
            refusal {
                $0.origin = Origin(
                    requestID: "r-1", idempotencyKey: "k", requestDigest: [0xAB, 0xCD], comment: "why", importLine: 129)
                $0.change = 299
                $0.changeCount = 300
                $0.tried = TriedChange(json: "{", whole: TriedChange.Whole(byteCount: 300, digest: Array(0..<32)))
            },
            header + """
                08 75 73 65 72 3a 61 6e 6e  0f 03 72 2d 31  01 6b  02 ab cd  03 77 68 79  81 01  05 63 79 63 6c 65  02 6e 6f
                ac 02  ac 02  02  01 7b  ac 02
                00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f
                """
        ),
    ]

    private func encoded(_ refusal: RecordedRefusal) -> [UInt8] {
        var writer = ByteWriter()
        RefusalCodec.encode(refusal, into: &writer)
        return writer.bytes
    }

    private func decoded(_ bytes: [UInt8]) throws(DecodingFault) -> RecordedRefusal { try RefusalCodec.decode(bytes.span) }

    @Test("E7: a refusal of version 1 decodes from its golden bytes and encodes to them", arguments: version1)
    func goldenBytes(refusal: RecordedRefusal, hex: String) throws {
        #expect(try decoded(bytes(hex)) == refusal)
        #expect(encoded(refusal) == bytes(hex))
    }

    @Test(
        "E7: a format from a later version is rejected with its number, and the rest is not read", arguments: [UInt8(0), 2, 255])
    func unknownFormat(version: UInt8) {
        let fault = #expect(throws: DecodingFault.self) { try decoded([version]) }
        #expect(fault == .unknownRefusalFormat(version: version))
        #expect(fault?.description.contains("format version \(version)") == true)
        #expect(fault?.description.contains("use a later one") == true)
    }

    @Test("Every truncated refusal is rejected, and so is one additional byte", arguments: version1)
    func truncation(refusal: RecordedRefusal, hex: String) {
        let whole = encoded(refusal)
        for count in 0..<whole.count {
            #expect(throws: DecodingFault.self) { try decoded(Array(whole[..<count])) }
        }
        #expect(throws: DecodingFault.malformed(what: "the end of the refusal", offset: whole.count)) { try decoded(whole + [0]) }
    }

    @Test("A changed byte gives an error or a different refusal, and never a crash", arguments: version1)
    func changedByte(refusal: RecordedRefusal, hex: String) {
        let whole = encoded(refusal)
        for offset in whole.indices {
            for change in UInt8(1)...255 {
                var damaged = whole
                damaged[offset] ^= change
                guard let read = try? decoded(damaged) else { continue }
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

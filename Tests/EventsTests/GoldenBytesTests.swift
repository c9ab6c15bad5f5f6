import Events
import Testing

@Suite("The log's format, byte by byte")
struct GoldenBytesTests {
    @Test("E7: every event of version 1 decodes from its golden bytes", arguments: GoldenBytes.version1)
    func eventDecodes(event: Event, hex: String) throws {
        #expect(try decoded(bytes(GoldenBytes.header + " " + hex)) == GoldenBytes.commit(of: event))
    }

    @Test("E7: every event of version 1 is written as its golden bytes", arguments: GoldenBytes.version1)
    func eventEncodes(event: Event, hex: String) {
        #expect(encoded(GoldenBytes.commit(of: event)) == bytes(GoldenBytes.header + " " + hex))
    }

    @Test("E7: every kind of event has golden bytes for its present version", arguments: Event.Kind.allCases)
    func kindIsCovered(kind: Event.Kind) {
        #expect(kind.currentVersion == 1)
        let rows = GoldenBytes.version1.filter { $0.event.kind == kind }
        #expect(!rows.isEmpty)
        for row in rows { #expect(bytes(row.hex).prefix(2) == [kind.rawValue, 1]) }
    }

    @Test("E7: a commit with every field of its origin decodes from its golden bytes and is written as them")
    func commitWithOrigin() throws {
        let (commit, hex) = GoldenBytes.fullCommit
        #expect(try decoded(bytes(hex)) == commit)
        #expect(encoded(commit) == bytes(hex))
    }

    @Test(
        "E7: a payload of 128 bytes and more has its length in two and more bytes",
        arguments: [
            (payload: 127, length: "7f"), (128, "80 01"), (300, "ac 02"), (16_384, "80 80 01"),
        ])
    func longPayload(payload: Int, length: String) throws {
        // Object 300 takes two bytes, the value's own length one to three, the count of links one.
        let valueLengthBytes = payload - 3 < 0x80 + 1 ? 1 : payload - 3 < 0x4000 + 2 ? 2 : 3
        let value = [UInt8](repeating: UInt8(ascii: "7"), count: payload - 3 - valueLengthBytes)
        let commit = GoldenBytes.commit(of: .objectWritten(ObjectWritten(object: ObjectID(rawValue: 300), value: value)))
        let written = encoded(commit)
        #expect(written.starts(with: bytes(GoldenBytes.header + " 0a 01 " + length + " ac 02")))
        #expect(try decoded(written) == commit)
    }

    @Test("The header of a commit can be read without its events")
    func headerAlone() throws {
        var expected = GoldenBytes.fullCommit.commit
        expected.events = []
        #expect(try CommitCodec.decodeHeader(bytes(GoldenBytes.fullCommit.hex).span) == expected)
    }
}

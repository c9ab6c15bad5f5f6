import Events
import Testing

@Suite("The log format, byte by byte")
struct GoldenBytesTests {
    @Test("E7: every event of version 1 decodes from its golden bytes", arguments: GoldenBytes.version1)
    func eventDecodes(event: Event, hex: String) throws {
        #expect(try decoded(bytes(GoldenBytes.header + " " + hex)) == GoldenBytes.commit(of: event))
    }

    @Test("E7: every event of version 1 encodes to its golden bytes", arguments: GoldenBytes.version1)
    func eventEncodes(event: Event, hex: String) {
        #expect(encoded(GoldenBytes.commit(of: event)) == bytes(GoldenBytes.header + " " + hex))
    }

    @Test("E7: every kind of event has golden bytes for its current version", arguments: Event.Kind.allCases)
    func kindIsCovered(kind: Event.Kind) {
        for (index, rows) in [GoldenBytes.version1, GoldenBytes.version2].enumerated() {
            let rows = rows.filter { $0.event.kind == kind }
            #expect(rows.isEmpty == (kind.currentVersion < index + 1))
            for row in rows { #expect(bytes(row.hex).prefix(2) == [kind.rawValue, UInt8(index + 1)]) }
        }
        #expect(kind.currentVersion <= 2)
    }

    @Test("E7: every event of version 2 decodes from its golden bytes and encodes to them", arguments: GoldenBytes.version2)
    func laterEvent(event: Event, hex: String) throws {
        #expect(try decoded(bytes(GoldenBytes.header + " " + hex)) == GoldenBytes.commit(of: event))
        #expect(encoded(GoldenBytes.commit(of: event)) == bytes(GoldenBytes.header + " " + hex))
    }

    @Test(
        "E7: an empty alias list, unordered aliases and invalid alias privileges are rejected",
        arguments: [
            "03 02 08  10  01 00 00 00 00 00 00", "03 02 0e  10  01 00 00 00 00  02 01 62 02 01 61 02  00",
            "03 02 0e  10  01 00 00 00 00  02 01 61 02 01 61 04  00",
        ])
    func badAliases(hex: String) {
        #expect(throws: CodecError.self) { try decoded(bytes(GoldenBytes.header + " " + hex)) }
    }

    @Test("E7: a commit with every origin field decodes from its golden bytes and encodes to them")
    func commitWithOrigin() throws {
        for (commit, hex) in [GoldenBytes.fullCommit, GoldenBytes.credentialCommit] {
            #expect(try decoded(bytes(hex)) == commit)
            #expect(encoded(commit) == bytes(hex))
        }
    }

    @Test(
        "E7: the length of a payload of 128 bytes or more takes two or more bytes",
        arguments: [
            (payload: 127, length: "7f"), (128, "80 01"), (300, "ac 02"), (16_384, "80 80 01"),
        ])
    func longPayload(payload: Int, length: String) throws {
        // Object 300 takes two bytes, the value's length one to three, the link count one.
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

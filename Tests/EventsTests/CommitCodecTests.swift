import Events
import TestSupport
import Testing

@Suite("Commit encoding and decoding")
struct CommitCodecTests {
    @Test("Every event decodes to an equal event, with any values in its fields", arguments: Event.Kind.allCases)
    func eventsRoundTrip(kind: Event.Kind) throws {
        var source = RandomEvents(seed: UInt64(kind.rawValue))
        for _ in 0..<200 {
            let commit = GoldenBytes.commit(of: source.event(kind))
            let written = encoded(commit)
            #expect(commit.events[0].kind == kind)
            #expect(try decoded(written) == commit)
            #expect(encoded(try decoded(written)) == written)
        }
    }

    @Test("Every commit decodes to an equal commit", arguments: UInt64(1)...20)
    func commitsRoundTrip(seed: UInt64) throws {
        var source = RandomEvents(seed: seed)
        for _ in 0..<50 {
            let commit = source.commit()
            let written = encoded(commit)
            #expect(try decoded(written) == commit, "seed \(seed)")
            #expect(encoded(try decoded(written)) == written, "seed \(seed)")
        }
    }

    @Test("Some events of a commit decode without the others; indexes beyond its end have no event", arguments: UInt64(1)...20)
    func someEvents(seed: UInt64) throws {
        var source = RandomEvents(seed: seed)
        var random = SplitMix64(seed: seed)
        for _ in 0..<50 {
            let commit = source.commit()
            let bytes = encoded(commit)
            let indexes = (0..<commit.events.count + 2).filter { _ in Bool.random(using: &random) }
            let some = try CommitCodec.decode(bytes.span, eventsAt: indexes)
            #expect(some.events == indexes.filter(commit.events.indices.contains).map { commit.events[$0] }, "seed \(seed)")
            #expect(some.revision == commit.revision && some.origin == commit.origin, "seed \(seed)")
        }
    }

    @Test("A reused writer starts empty")
    func writerIsReused() {
        var writer = ByteWriter()
        CommitCodec.encode(GoldenBytes.fullCommit.commit, into: &writer)
        writer.removeAll()
        CommitCodec.encode(GoldenBytes.fullCommit.commit, into: &writer)
        #expect(writer.bytes == bytes(GoldenBytes.fullCommit.hex))
    }
}

@Suite("Malformed commit bytes")
struct DamagedCommitTests {
    @Test("E7: an unknown event kind is rejected with its number", arguments: [UInt8(0), 23, 200, 255])
    func unknownKind(kind: UInt8) {
        let future = bytes(GoldenBytes.header) + [kind, 3, 2, 0xAA, 0xBB]
        #expect(throws: CodecError.unknownEvent(kind: kind, version: 3)) { try decoded(future) }
        #expect(CodecError.unknownEvent(kind: kind, version: 3).description.contains("kind \(kind), version 3"))
    }

    @Test("E7: an unknown event version is rejected with its number", arguments: Event.Kind.allCases, [UInt8(0), 3, 255])
    func unknownVersion(kind: Event.Kind, version: UInt8) {
        let future = bytes(GoldenBytes.header) + [kind.rawValue, version, 1, 0x01]
        #expect(throws: CodecError.unknownEvent(kind: kind.rawValue, version: version)) { try decoded(future) }
    }

    @Test("E7: an unknown format is rejected with its number, and the rest is not read", arguments: [UInt8(2), 255])
    func unknownFormat(version: UInt8) {
        #expect(throws: CodecError.unknownFormat(version: version)) { try decoded([version]) }
        #expect(throws: CodecError.unknownFormat(version: version)) { try CommitCodec.decodeHeader([version].span) }
        #expect(CodecError.unknownFormat(version: version).description.contains("format version \(version)"))
    }

    @Test("Every truncated commit is rejected")
    func truncation() {
        for commit in samples() {
            let whole = encoded(commit)
            for count in 0..<whole.count {
                #expect(throws: CodecError.self) { try decoded(Array(whole[..<count])) }
            }
        }
    }

    @Test("One additional byte after a commit is rejected")
    func trailingByte() {
        for commit in samples() {
            let whole = encoded(commit)
            #expect(throws: CodecError.malformed(what: "the end of the commit", offset: whole.count)) {
                try decoded(whole + [0])
            }
        }
    }

    @Test("A payload length that is too large or too small for its event is rejected")
    func wrongPayloadLength() {
        for length in [UInt8(1), 3] {
            let wrong = bytes(GoldenBytes.header) + [0x07, 0x01, length, 0x12, 0x11, 0x00]
            #expect(throws: CodecError.self) { try decoded(Array(wrong.prefix(wrong.count - (length == 1 ? 1 : 0)))) }
        }
    }

    @Test(
        "A changed byte gives an error or a different commit, and never a crash",
        arguments: GoldenBytes.version1 + GoldenBytes.version2)
    func changedByte(event: Event, hex: String) {
        let commit = GoldenBytes.commit(of: event)
        let whole = encoded(commit)
        for offset in whole.indices {
            for change in UInt8(1)...255 {
                var damaged = whole
                damaged[offset] ^= change
                if isSame(damaged, commit, whole) {
                    Issue.record("byte \(offset) changed by \(change) is not noticed")
                }
            }
        }
    }

    @Test("A changed bit in a long commit gives an error or a different commit", arguments: UInt64(1)...5)
    func changedBit(seed: UInt64) {
        var source = RandomEvents(seed: seed)
        let commit = source.commit()
        let whole = encoded(commit)
        for offset in whole.indices {
            for bit in 0..<8 {
                var damaged = whole
                damaged[offset] ^= 1 << UInt8(bit)
                if isSame(damaged, commit, whole) {
                    Issue.record("seed \(seed): bit \(bit) of byte \(offset) changed is not noticed")
                }
            }
        }
    }

    /// Returns whether damaged bytes decode to the original commit. Swift compares canonically equivalent texts as equal
    /// (U+0301 differs from U+0341 by one bit), so this function also compares the encoded bytes.
    private func isSame(_ damaged: [UInt8], _ commit: Commit, _ whole: [UInt8]) -> Bool {
        guard let read = try? decoded(damaged) else { return false }
        return read == commit && encoded(read) == whole
    }

    @Test("Random bytes give an error or a commit, and never a crash", arguments: UInt64(1)...5)
    func noise(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let noise = (0..<random.number(0...80)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            _ = try? decoded([CommitCodec.formatVersion] + noise)
        }
    }

    static let malformed: [(what: String, hex: String)] = [
        ("a preset", "01 01 01 02"),
        ("class options", "03 01 07 10 10 00 00 00 00 00"),
        ("a set of privileges", "0f 01 08 ac 02 11 80 80 80 80 10"),
        ("a cause", "0e 01 04 00 01 02 04"),
        ("an optional value", "09 01 06 dc 04 10 00 11 02"),
        ("an id", "06 01 06 80 80 80 80 80 20"),
        ("an id", "0b 01 07 10 81 80 80 80 80 20"),
        ("a text", "04 01 03 23 01 ff"),
        ("a text", "04 01 04 23 02 c0 80"),
        ("a text", "04 01 05 23 03 ed a0 80"),
        ("a number", "06 01 0b ff ff ff ff ff ff ff ff ff 02 00"),
        ("a number", "06 01 0b 80 80 80 80 80 80 80 80 80 80 00"),
    ]

    @Test("A value that no encoder writes throws an error that names it", arguments: malformed)
    func malformedValue(what: String, hex: String) {
        let fault = #expect(throws: CodecError.self) { try decoded(bytes(GoldenBytes.header + " " + hex)) }
        guard case .malformed(what, _)? = fault else {
            Issue.record("expected \(what) to be named, and the error is \(String(describing: fault))")
            return
        }
    }

    @Test(
        "A length or count beyond the end is rejected, however large it is",
        arguments: [
            "04 01 0a 23 7f", "04 01 ff ff ff ff 0f 23", "02 01 0f 21 00 00 00 00 00 ff ff ff ff ff ff ff ff ff 01",
        ])
    func lengthBeyondTheEnd(hex: String) {
        #expect(throws: CodecError.self) { try decoded(bytes(GoldenBytes.header + " " + hex)) }
    }

    private func samples() -> [Commit] {
        (GoldenBytes.version1 + GoldenBytes.version2).map { GoldenBytes.commit(of: $0.event) }
            + [GoldenBytes.fullCommit.commit, GoldenBytes.credentialCommit.commit]
    }
}

import EventLog
import Events
import Files
import Secrets
import TestSupport
import Testing

@testable import Identity

@Suite("The format of the account log, byte by byte")
struct GoldenIdentityBytesTests {
    /// Does not seal, so that the golden bytes are readable.
    private struct NoSeals: PersonalDataCipher {
        func seal(_ plain: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8] { plain }
        func open(_ sealed: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8]? { sealed }
    }

    /// Opens nothing, as after the keys of all accounts were destroyed.
    private struct DestroyedSeals: PersonalDataCipher {
        func seal(_ plain: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8] { plain }
        func open(_ sealed: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8]? { nil }
    }

    private func decoded(_ bytes: [UInt8], _ seals: some PersonalDataCipher = NoSeals()) throws -> AccountRecord {
        try AccountRecordCodec.decode(bytes.span, as: 1, openedBy: seals)
    }

    private func golden(_ hex: String) -> [UInt8] { GoldenIdentityBytes.bytes(GoldenIdentityBytes.header + " " + hex) }

    @Test(
        "E7: every event of version 1 decodes from its golden bytes, and encodes to the same bytes",
        arguments: GoldenIdentityBytes.version1)
    func events(event: IdentityEvent, hex: String) throws {
        let record = try decoded(golden(hex))
        #expect(record.time == GoldenIdentityBytes.start)
        #expect(record.events == [.readable(event)])
        var writer = ByteWriter()
        AccountRecordCodec.encode([event], at: GoldenIdentityBytes.start, as: 1, sealedBy: NoSeals(), into: &writer)
        #expect(writer.bytes == golden(hex))
    }

    @Test("E7: every kind of event has golden bytes for its current version", arguments: IdentityEvent.Kind.allCases)
    func coverage(kind: IdentityEvent.Kind) {
        let rows = GoldenIdentityBytes.version1.filter { $0.event.kind == kind }
        #expect(!rows.isEmpty)
        #expect(kind.currentVersion == 1)
        for row in rows { #expect(GoldenIdentityBytes.bytes(row.hex).prefix(2) == [kind.rawValue, 1]) }
    }

    @Test("Without its account's key, an event reveals only its account or session", arguments: GoldenIdentityBytes.version1)
    func forgotten(event: IdentityEvent, hex: String) throws {
        let expected: LoggedEvent =
            switch event {
            case .accountOpened(let id, _, _): .forgotten(.accountOpened(id))
            case .sessionBegun(let session, _): .forgotten(.sessionBegun(session.id, session.account))
            default: event.sealedFor.map { .forgotten(.other($0)) } ?? .readable(event)
            }
        #expect(try decoded(golden(hex), DestroyedSeals()).events == [expected])
    }

    @Test("Truncated, extended or changed bytes give an error or another value, and never trap")
    func damaged() throws {
        for row in GoldenIdentityBytes.version1 {
            let whole = golden(row.hex)
            for count in whole.indices { #expect(throws: (any Error).self) { try decoded(Array(whole[..<count])) } }
            #expect(throws: (any Error).self) { try decoded(whole + [0]) }
            for index in whole.indices {
                for bit in 0..<8 {
                    var changed = whole
                    changed[index] ^= 1 << UInt8(bit)
                    guard let record = try? decoded(changed) else { continue }
                    let isAnother = record.time != GoldenIdentityBytes.start || record.events != [.readable(row.event)]
                    #expect(isAnother, "bit \(bit) of byte \(index) of \(row.hex)")
                }
            }
        }
    }

    @Test(
        "E7: A record or event of a later version and an event of unknown kind are reported",
        arguments: [(0, "format"), (10, "kind 99"), (11, "version 99")])
    func later(offset: Int, word: String) {
        var bytes = golden("0b 01 01  05")
        bytes[offset] = 99
        #expect { try decoded(bytes) } throws: { "\($0)".contains(word) && "\($0)".contains("use a later one") }
    }

    @Test("E7: The master key, keys and record that another program sealed can be opened")
    func seals() throws {
        try withTemporaryFolder { folder in
            let (masterPath, keyPath) = (folder + "/master.key", folder + "/keys")
            try #require(try createFile(masterPath, with: Array(GoldenSeals.masterKey.utf8), mode: 0o600))
            let master = try MasterKey.load(path: masterPath, isNeeded: true)
            let slots = GoldenSeals.keySlots.map { hex in
                let bytes = GoldenSeals.bytes(hex)
                return bytes + [UInt8](repeating: 0, count: 128 - bytes.count)
            }
            try #require(try createFile(keyPath, with: slots.flatMap { $0 }))
            let keys = try KeyFile(path: keyPath, master: master, isNeeded: true)
            defer { keys.close() }
            #expect(try keys.key(of: AccountID(1)).bytes == [UInt8](repeating: 0xA5, count: 32))
            var folding = Folding(keys: keys)
            try folding.fold(GoldenSeals.bytes(GoldenSeals.record).span, as: 1)
            let ann = try #require(try folding.finish().account(AccountID(1)))
            #expect(ann.profile.displayName == "Ann")
            #expect(ann.identity(.password)?.secret == "$a$")
            // The same record in another place does not open.
            var moved = Folding(keys: keys)
            #expect(throws: AccountDatabaseError.unopened(record: 2, AccountID(1))) {
                try moved.fold(GoldenSeals.bytes(GoldenSeals.record).span, as: 2)
            }
        }
    }

    @Test("E7: The tokens that follow a refresh token match the format")
    func tokens() {
        let texts = SessionTokenCoder(key: MasterKey(GoldenSeals.masterBytes).sessions)
        #expect(texts.session(refresh: GoldenSeals.refresh) == SessionID(300))
        let next = texts.next(for: SessionID(300), after: GoldenSeals.refresh, nonce: "nonce 1")
        #expect(next == SessionTokens(access: GoldenSeals.nextAccess, refresh: GoldenSeals.nextRefresh))
        #expect(texts.session(access: next.access) == SessionID(300))
    }
}

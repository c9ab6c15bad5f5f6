import Events
import Files
import Secrets
import TestSupport
import Testing

@testable import Identity

/// What becomes of the keys of accounts, and what they open.
@Suite struct KeyTests {
    @Test(
        "When a deletion is acknowledged nothing of the account's key is in any file any more, and the other keys are as they were")
    func destroying() throws {
        try BookFixture.with { fixture, book in
            let path = fixture.folder + "/accounts/keys"
            for name in ["ann", "bob", "cem"] { try fixture.makeAccount(name, book) }
            let before = try FileBytes.read(path)
            try book.change(at: fixture.clock.now) { $0.record(.accountDeleted(AccountID(2))) }
            let after = try FileBytes.read(path)
            let slot = 256..<384
            #expect(Array(after[slot]) == Array("DESTROY!".utf8) + [UInt8](repeating: 0, count: 120))
            #expect(after[..<256] == before[..<256])
            #expect(after[384...] == before[384...])
            // The sealed key stands behind eight bytes; any part of it would be enough to fail.
            for file in try FileBytes.files(below: fixture.folder) {
                for start in stride(from: 264, to: 336, by: 24) {
                    let part = before[start..<start + 8]
                    let stays = file.bytes.indices.contains { file.bytes[$0...].starts(with: part) }
                    #expect(!stays, "bytes of the key are in \(file.path)")
                }
            }
        }
    }

    @Test("A verification says when what is in memory is not what the files lead to, such as when a key is gone behind its back")
    func verifying() throws {
        try BookFixture.with { fixture, book in
            let ann = try fixture.makeAccount("ann", book)
            try fixture.makeAccount("bob", book)
            #expect(try book.verify().accounts == 2)
            let keys = try KeyFile(path: fixture.folder + "/accounts/keys", master: book.master, isNeeded: true)
            try keys.destroy([ann])
            keys.close()
            let error = #expect(throws: AccountBookError.self) { try book.verify() }
            guard case .different = error else {
                Issue.record("\(error.map { "\($0)" } ?? "nothing")")
                return
            }
        }
    }

    @Test(
        "The key of a new account is in its slot before the log is written to: where that fails there is a key too many, not too few"
    )
    func keyBeforeLog() throws {
        try withTemporaryFolder { folder in
            // Less than a page of the log, and more than some slots.
            let result = try Helper.run(["accounts-within", folder, "4000"])
            try #require(result.exitCode == 0, "\(result.output) \(result.error)")
            try #require(result.lines.contains("reading 0"))
            let keys = try FileBytes.read(folder + "/accounts/keys")
            try #require(keys.count == 256)
            #expect(Array(keys[128..<136]) == Array("key of 1".utf8))
            try BookFixture(folder: folder).open { book in #expect(book.read { $0.accountCount } == 0) }
        }
    }

    @Test(
        "When an account is acknowledged its key was on the disk before the log, and when a deletion is, the log before its key was gone"
    )
    func order() throws {
        try withTemporaryFolder { folder in
            let result = try Helper.run(["accounts-openly", folder])
            try #require(result.exitCode == 0, "\(result.output) \(result.error)")
            let deeds = result.lines.map { line in
                let words = line.split { $0 == " " || $0 == "/" }
                return "\(words[0]) \(words[words.count - 1])"
            }
            // How the log writes is its own affair; that it waits for the disk is not.
            let told = deeds.filter { $0 != "write data.mdb" }.prefix(8)
            #expect(
                told == [
                    "write keys", "sync keys", "sync data.mdb", "made 1", "sync data.mdb", "write keys", "sync keys", "deleted 1",
                ])
        }
    }

    @Test("What is sealed opens in its own place alone: not for another account, record, event, kind or version, by whatever key")
    func binding() throws {
        let key = SealingKey.random()
        let (ann, bob) = (AccountID(1), AccountID(2))
        // The same key for both, so that it is the binding that refuses.
        let seals = SealingKeys(keys: [ann: key, bob: key])
        let place = SealedPlace(record: 3, index: 1, kind: 2, version: 1)
        let sealed = seals.seal([1, 2, 3], of: ann, boundTo: place.binding(ann))
        #expect(seals.open(sealed, of: ann, boundTo: place.binding(ann)) == [1, 2, 3])
        #expect(seals.open(sealed, of: bob, boundTo: place.binding(bob)) == nil)
        for other in [
            SealedPlace(record: 4, index: 1, kind: 2, version: 1), SealedPlace(record: 3, index: 0, kind: 2, version: 1),
            SealedPlace(record: 3, index: 1, kind: 3, version: 1), SealedPlace(record: 3, index: 1, kind: 2, version: 2),
        ] {
            #expect(seals.open(sealed, of: ann, boundTo: other.binding(ann)) == nil, "\(other)")
        }
    }

    @Test("Two events of one record that have changed what is sealed in them are not read", arguments: [true, false])
    func swapping(isOfOneAccount: Bool) throws {
        let key = SealingKey.random()
        let (ann, bob) = (AccountID(1), isOfOneAccount ? AccountID(1) : AccountID(2))
        var seals = SealingKeys(keys: [ann: key])
        if !isOfOneAccount { seals = SealingKeys(keys: [ann: key, bob: key]) }
        let events: [IdentityEvent] = [
            .emailSet(ann, BookFixture.email("ann")), .emailSet(bob, BookFixture.email("bob")),
        ]
        var writer = ByteWriter()
        AccountRecordCodec.encode(events, at: Instant(microseconds: 1), as: 7, sealedBy: seals, into: &writer)
        let whole = writer.bytes
        let record = try AccountRecordCodec.decode(whole.span, as: 7, openedBy: Checked(seals: seals))
        #expect(record.events == events.map { .readable($0) })
        // Both events are of the same length, and end with what is sealed.
        let length = (whole.count - 10) / 2
        let sealedCount = Sealing.overheadBytes + 2 + BookFixture.email("ann").text.utf8.count
        let (first, second) = (whole.count - length - sealedCount, whole.count - sealedCount)
        var swapped = whole
        for offset in 0..<sealedCount { swapped.swapAt(first + offset, second + offset) }
        try #require(swapped != whole)
        #expect(throws: Checked.Refused.self) {
            try AccountRecordCodec.decode(swapped.span, as: 7, openedBy: Checked(seals: seals))
        }
    }

    /// Says what does not open, as whoever goes through the log does.
    private struct Checked: PersonalSeals {
        struct Refused: Error {}

        let seals: SealingKeys

        func seal(_ plain: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8] {
            seals.seal(plain, of: account, boundTo: boundTo)
        }

        func open(_ sealed: [UInt8], of account: AccountID, boundTo: [UInt8]) throws -> [UInt8]? {
            guard let plain = seals.open(sealed, of: account, boundTo: boundTo) else { throw Refused() }
            return plain
        }
    }

    @Test("A master key that others than its owner may read or change in any way is refused", arguments: 0..<6)
    func modes(bit: Int) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/master.key"
            let mode = 0o600 | UInt32(1) << UInt32(bit)
            try #require(try createFile(path, with: Array(GoldenSeals.masterKey.utf8), mode: 0o600))
            _ = try MasterKey.load(path: path, isNeeded: true)
            try FileBytes.setMode(mode, of: path)
            #expect(throws: AccountBookError.masterKeyExposed(path: path, mode: mode)) {
                try MasterKey.load(path: path, isNeeded: true)
            }
        }
    }
}

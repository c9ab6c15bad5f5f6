import Events
import Files
import Secrets
import TestSupport
import Testing

@testable import Identity

/// How the keys of accounts are stored and destroyed, and which data they open.
@Suite struct KeyTests {
    @Test(
        "After an acknowledged deletion no file contains the account's key, and all other keys are unchanged")
    func destroying() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let path = fixture.folder + "/accounts/keys"
            for name in ["ann", "bob", "cem"] { try fixture.makeAccount(name, book) }
            let before = try FileBytes.read(path)
            try book.change(at: fixture.clock.now) { $0.record(.accountDeleted(AccountID(2))) }
            let after = try FileBytes.read(path)
            let slot = 256..<384
            #expect(Array(after[slot]) == Array("DESTROY!".utf8) + [UInt8](repeating: 0, count: 120))
            #expect(after[..<256] == before[..<256])
            #expect(after[384...] == before[384...])
            // The sealed key starts after eight bytes. Any part of it in a file is a failure.
            for file in try FileBytes.files(below: fixture.folder) {
                for start in stride(from: 264, to: 336, by: 24) {
                    let part = before[start..<start + 8]
                    let stays = file.bytes.indices.contains { file.bytes[$0...].starts(with: part) }
                    #expect(!stays, "bytes of the key are in \(file.path)")
                }
            }
        }
    }

    @Test("Verification reports a difference between memory and files, for example a destroyed key")
    func verifying() throws {
        try AccountDatabaseFixture.with { fixture, book in
            let ann = try fixture.makeAccount("ann", book)
            try fixture.makeAccount("bob", book)
            #expect(try book.verify().accounts == 2)
            let keys = try KeyFile(path: fixture.folder + "/accounts/keys", master: book.master, isNeeded: true)
            try keys.destroy([ann])
            keys.close()
            let error = #expect(throws: AccountDatabaseError.self) { try book.verify() }
            guard case .different = error else {
                Issue.record("\(error.map { "\($0)" } ?? "nothing")")
                return
            }
        }
    }

    @Test(
        "The key of a new account is stored before the log: a failure leaves one key too many, never one too few"
    )
    func keyBeforeLog() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            // Less than a page of the log, and more than a few slots.
            let result = try Helper.run(["accounts-within", folder, "4000"])
            try #require(result.exitCode == 0, "\(result.output) \(result.error)")
            try #require(result.lines.contains("reading 0"))
            let keys = try FileBytes.read(folder + "/accounts/keys")
            try #require(keys.count == 256)
            #expect(Array(keys[128..<136]) == Array("key of 1".utf8))
            try AccountDatabaseFixture(folder: folder).open { book in #expect(book.read { $0.accountCount } == 0) }
        }
    }

    @Test(
        "The key of an account is synced before the log, and a deletion is synced in the log before it destroys the key"
    )
    func order() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let result = try Helper.run(["accounts-openly", folder])
            try #require(result.exitCode == 0, "\(result.output) \(result.error)")
            let deeds = result.lines.map { line in
                let words = line.split { $0 == " " || $0 == "/" }
                return "\(words[0]) \(words[words.count - 1])"
            }
            // The test ignores how the log writes, but checks that it waits for the disk.
            let told = deeds.filter { $0 != "write data.mdb" }.prefix(8)
            #expect(
                told == [
                    "write keys", "sync keys", "sync data.mdb", "made 1", "sync data.mdb", "write keys", "sync keys", "deleted 1",
                ])
        }
    }

    @Test("Sealed data opens only for its own account, record, event, kind and version, even with the same key")
    func binding() throws {
        let key = EncryptionKey.random()
        let (ann, bob) = (AccountID(1), AccountID(2))
        // Both accounts have the same key, so only the binding can refuse.
        let seals = AccountEncryptionKeys(keys: [ann: key, bob: key])
        let place = EncryptionContext(record: 3, index: 1, kind: 2, version: 1)
        let sealed = seals.seal([1, 2, 3], of: ann, boundTo: place.binding(ann))
        #expect(seals.open(sealed, of: ann, boundTo: place.binding(ann)) == [1, 2, 3])
        #expect(seals.open(sealed, of: bob, boundTo: place.binding(bob)) == nil)
        for other in [
            EncryptionContext(record: 4, index: 1, kind: 2, version: 1),
            EncryptionContext(record: 3, index: 0, kind: 2, version: 1),
            EncryptionContext(record: 3, index: 1, kind: 3, version: 1),
            EncryptionContext(record: 3, index: 1, kind: 2, version: 2),
        ] {
            #expect(seals.open(sealed, of: ann, boundTo: other.binding(ann)) == nil, "\(other)")
        }
    }

    @Test("A record with the sealed data of two events swapped is rejected", arguments: [true, false])
    func swapping(isOfOneAccount: Bool) throws {
        let key = EncryptionKey.random()
        let (ann, bob) = (AccountID(1), isOfOneAccount ? AccountID(1) : AccountID(2))
        var seals = AccountEncryptionKeys(keys: [ann: key])
        if !isOfOneAccount { seals = AccountEncryptionKeys(keys: [ann: key, bob: key]) }
        let events: [IdentityEvent] = [
            .emailSet(ann, AccountDatabaseFixture.email("ann")), .emailSet(bob, AccountDatabaseFixture.email("bob")),
        ]
        var writer = ByteWriter()
        AccountRecordCodec.encode(events, at: Instant(microseconds: 1), as: 7, sealedBy: seals, into: &writer)
        let whole = writer.bytes
        let record = try AccountRecordCodec.decode(whole.span, as: 7, openedBy: Checked(seals: seals))
        #expect(record.events == events.map { .readable($0) })
        // Both events have the same length, and end with the sealed data.
        let length = (whole.count - 10) / 2
        let sealedCount = AuthenticatedEncryption.overheadBytes + 2 + AccountDatabaseFixture.email("ann").text.utf8.count
        let (first, second) = (whole.count - length - sealedCount, whole.count - sealedCount)
        var swapped = whole
        for offset in 0..<sealedCount { swapped.swapAt(first + offset, second + offset) }
        try #require(swapped != whole)
        #expect(throws: Checked.Refused.self) {
            try AccountRecordCodec.decode(swapped.span, as: 7, openedBy: Checked(seals: seals))
        }
    }

    /// Throws if sealed data does not open, like the reader of the log.
    private struct Checked: PersonalDataCipher {
        struct Refused: Error {}

        let seals: AccountEncryptionKeys

        func seal(_ plain: [UInt8], of account: AccountID, boundTo: [UInt8]) -> [UInt8] {
            seals.seal(plain, of: account, boundTo: boundTo)
        }

        func open(_ sealed: [UInt8], of account: AccountID, boundTo: [UInt8]) throws -> [UInt8]? {
            guard let plain = seals.open(sealed, of: account, boundTo: boundTo) else { throw Refused() }
            return plain
        }
    }

    @Test("A master key with any permission for other users is refused", arguments: 0..<6)
    func modes(bit: Int) throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let path = folder + "/master.key"
            let mode = 0o600 | UInt32(1) << UInt32(bit)
            try #require(try createFile(path, with: Array(GoldenSeals.masterKey.utf8), mode: 0o600))
            _ = try MasterKey.load(path: path, isNeeded: true)
            try FileBytes.setMode(mode, of: path)
            #expect(throws: AccountDatabaseError.masterKeyExposed(path: path, mode: mode)) {
                try MasterKey.load(path: path, isNeeded: true)
            }
        }
    }
}

import EventLog
import Events
import Files
import TestSupport
import Testing

@testable import Identity

/// Damage to the files must never give access to the account of another user, or to a session that has ended.
@Suite struct DamageTests {
    /// Makes three accounts: ann has an active session and an ended one, bob is deleted, and cem has no session.
    private func make(_ fixture: AccountDatabaseFixture) throws -> (state: AccountState, ended: SessionTokens) {
        try fixture.open { book in
            let ann = try fixture.makeAccount("ann", book)
            let bob = try fixture.makeAccount("bob", book)
            try fixture.makeAccount("cem", book)
            _ = try fixture.begin(bob, book)
            let (_, kept) = try fixture.begin(ann, book)
            let (session, ended) = try fixture.begin(ann, book)
            let sessions = fixture.sessions(book)
            _ = try sessions.refresh(kept.refresh, nonce: "a", at: fixture.clock.now)
            try book.change(at: fixture.clock.now) { $0.record(.accountDeleted(bob)) }
            try sessions.end(session.id, .signedOut, at: fixture.clock.now)
            return (book.read { $0 }, ended)
        }
    }

    @Test("After a bit flip in any byte of the keys, the accounts are unchanged or opening fails")
    func keys() throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            let before = try make(fixture).state
            let path = folder + "/accounts/keys"
            let whole = try FileBytes.read(path)
            for offset in whole.indices {
                for mask in [UInt8(0x01), 0x80] {
                    try FileBytes.write(whole, to: path)
                    try FileBytes.flip(path, at: offset, mask: mask)
                    guard let state = try? fixture.open({ book in book.read { $0 } }) else { continue }
                    // A flip has no effect in padding and in the slot of the deleted account.
                    #expect(state == before, "bit \(mask) of byte \(offset)")
                }
            }
        }
    }

    @Test("An empty, moved or truncated key slot is reported with its account", arguments: ["empty", "moved", "cut"])
    func slots(fault: String) throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            _ = try make(fixture)
            let path = folder + "/accounts/keys"
            var bytes = try FileBytes.read(path)
            let (ann, cem) = (128..<256, 384..<512)
            switch fault {
            case "empty": bytes.replaceSubrange(cem, with: [UInt8](repeating: 0, count: 128))
            case "moved": bytes.replaceSubrange(cem, with: bytes[ann])
            default: bytes.removeSubrange(cem.lowerBound + 60..<bytes.count)
            }
            try FileBytes.write(bytes, to: path)
            #expect(throws: AccountDatabaseError.keyDamaged(AccountID(3), path: path)) { try fixture.open { _ in } }
        }
    }

    @Test("A different key in the slot of an account opens nothing, and the error names the record and the account")
    func otherKey() throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            _ = try make(fixture)
            let master = try MasterKey.load(path: folder + "/master.key", isNeeded: true)
            let keys = try KeyFile(path: folder + "/accounts/keys", master: master, isNeeded: true)
            _ = try keys.make(for: [AccountID(3)])
            keys.close()
            #expect(throws: AccountDatabaseError.unopened(record: 3, AccountID(3))) { try fixture.open { _ in } }
        }
    }

    @Test("After a bit flip in the log, ended sessions stay ended, and the accounts are unchanged or opening fails")
    func log() throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            let (before, ended) = try make(fixture)
            let path = folder + "/accounts/log/data.mdb"
            let whole = try FileBytes.read(path)
            var survivors = 0
            // The first 200 bytes of both head pages, and every 13th byte of the other pages (a prime number, so that the offsets
            // vary).
            for offset in Array(0..<200) + Array(4_096..<4_296) + Array(stride(from: 8_192, to: whole.count, by: 13)) {
                try FileBytes.write(whole, to: path)
                try FileBytes.flip(path, at: offset, mask: UInt8(1 << (offset % 8)))
                let result = try? fixture.open { book in
                    (book.read { $0 }, fixture.sessions(book).lookup(access: ended.access, at: fixture.clock.now))
                }
                guard let (state, session) = result else { continue }
                survivors += 1
                #expect(state == before, "byte \(offset)")
                #expect(session == nil, "byte \(offset)")
            }
            // Free pages and unused room in pages are a large part of the file.
            #expect(survivors > 0)
        }
    }

    @Test("A log that is older than before is refused, because it would restore ended sessions")
    func olderLog() throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            let (log, kept) = (folder + "/accounts/log", folder + "/kept")
            let session = try fixture.open { book in
                let (session, _) = try fixture.begin(try fixture.makeAccount("ann", book), book)
                return session.id
            }
            try FileBytes.copyFolder(log, to: kept)
            try fixture.open { book in try fixture.sessions(book).end(session, .signedOut, at: fixture.clock.now) }
            try FileBytes.copyFolder(kept, to: log)
            #expect(throws: AccountDatabaseError.endsEarly(record: 2, known: 3)) { try fixture.open { _ in } }
            try FileBytes.copyFolder(kept, to: log)
            try removeFlatFolder(log)
            #expect(throws: AccountDatabaseError.endsEarly(record: 0, known: 3)) { try fixture.open { _ in } }
        }
    }

    @Test("A rewritten record with matching hashes is detected through the recorded head of the log")
    func rewritten() throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            _ = try make(fixture)
            let other = folder + "/other"
            try makeFolder(other)
            let copied = try RecordLog(path: folder + "/accounts/log", isReadOnly: true)
            let forged = try RecordLog(path: other, isReadOnly: false)
            try copied.forEachRecord { number, bytes, _ in
                // One microsecond later than the original.
                let changed = bytes.indices.map { number == .first && $0 == 1 ? bytes[$0] + 1 : bytes[$0] }
                try forged.append { _, writer in writer.raw(changed) }
            }
            copied.close()
            forged.close()
            try FileBytes.copyFolder(other, to: folder + "/accounts/log")
            #expect(throws: AccountDatabaseError.replaced(record: 9)) { try fixture.open { _ in } }
        }
    }

    @Test("With a missing, wrong, malformed or exposed master key, accounts do not open and no key is made")
    func masterKey() throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            let before = try make(fixture).state
            let path = folder + "/master.key"
            let key = try FileBytes.read(path)
            #expect(fileMode(path) == 0o600)

            try removeFile(path)
            #expect(throws: AccountDatabaseError.masterKeyMissing(path: path)) { try fixture.open { _ in } }
            #expect(!fileExists(path))

            try #require(try createFile(path, with: key, mode: 0o640))
            #expect { try fixture.open { _ in } } throws: { "\($0)".contains("chmod 600 \(path)") }

            try replaceFile(path, with: Array(GoldenSeals.masterKey.utf8), mode: 0o600)
            #expect(throws: AccountDatabaseError.masterKeyOther(path: folder + "/accounts/keys")) { try fixture.open { _ in } }

            try replaceFile(path, with: Array("muniment-master-key-1 short\n".utf8), mode: 0o600)
            #expect(throws: AccountDatabaseError.masterKeyMalformed(path: path)) { try fixture.open { _ in } }

            try replaceFile(path, with: key, mode: 0o600)
            #expect(try fixture.open { book in book.read { $0 } } == before)
            try removeFile(folder + "/accounts/keys")
            #expect(throws: AccountDatabaseError.keysMissing(path: folder + "/accounts/keys")) { try fixture.open { _ in } }
        }
    }
}

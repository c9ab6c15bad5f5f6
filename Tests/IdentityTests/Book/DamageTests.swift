import EventLog
import Events
import Files
import TestSupport
import Testing

@testable import Identity

/// What is wrong with the files, and what must still hold: never somebody else's account, never a session that was ended.
@Suite struct DamageTests {
    /// Accounts with everything in them: ann has a session that goes on and one that was ended, bob is deleted, cem is there.
    private func make(_ fixture: BookFixture) throws -> (state: AccountState, ended: SessionTokens) {
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

    @Test("Whatever bit of the keys is flipped, each account is its own or opening says which one is damaged")
    func keys() throws {
        try withTemporaryFolder { folder in
            let fixture = BookFixture(folder: folder)
            let before = try make(fixture).state
            let path = folder + "/accounts/keys"
            let whole = try FileBytes.read(path)
            for offset in whole.indices {
                for mask in [UInt8(0x01), 0x80] {
                    try FileBytes.write(whole, to: path)
                    try FileBytes.flip(path, at: offset, mask: mask)
                    guard let state = try? fixture.open({ book in book.read { $0 } }) else { continue }
                    // What does not show is padding, and the slot of the account that is deleted.
                    #expect(state == before, "bit \(mask) of byte \(offset)")
                }
            }
        }
    }

    @Test("A slot that is empty, another account's, or cut off is named with its account", arguments: ["empty", "moved", "cut"])
    func slots(fault: String) throws {
        try withTemporaryFolder { folder in
            let fixture = BookFixture(folder: folder)
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
            #expect(throws: AccountBookError.keyDamaged(AccountID(3), path: path)) { try fixture.open { _ in } }
        }
    }

    @Test("A key of an older file, whose account number came to another one, opens nothing of the other")
    func otherKey() throws {
        try withTemporaryFolder { folder in
            let fixture = BookFixture(folder: folder)
            _ = try make(fixture)
            let master = try MasterKey.load(path: folder + "/master.key", isNeeded: true)
            let keys = try KeyFile(path: folder + "/accounts/keys", master: master, isNeeded: true)
            _ = try keys.make(for: [AccountID(3)])
            keys.close()
            #expect(throws: AccountBookError.unopened(record: 3, AccountID(3))) { try fixture.open { _ in } }
        }
    }

    @Test("Whatever bit of the log is flipped, what was ended stays ended, and every account is its own or opening fails")
    func log() throws {
        try withTemporaryFolder { folder in
            let fixture = BookFixture(folder: folder)
            let (before, ended) = try make(fixture)
            let path = folder + "/accounts/log/data.mdb"
            let whole = try FileBytes.read(path)
            var survivors = 0
            // Everything in the head pages, and a prime number of steps through the others.
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
            // Free pages and room in pages are a good part of the file.
            #expect(survivors > 0)
        }
    }

    @Test("A log that is older than it was is not opened: it would bring back sessions that were ended")
    func olderLog() throws {
        try withTemporaryFolder { folder in
            let fixture = BookFixture(folder: folder)
            let (log, kept) = (folder + "/accounts/log", folder + "/kept")
            let session = try fixture.open { book in
                let (session, _) = try fixture.begin(try fixture.makeAccount("ann", book), book)
                return session.id
            }
            try FileBytes.copyFolder(log, to: kept)
            try fixture.open { book in try fixture.sessions(book).end(session, .signedOut, at: fixture.clock.now) }
            try FileBytes.copyFolder(kept, to: log)
            #expect(throws: AccountBookError.endsEarly(record: 2, known: 3)) { try fixture.open { _ in } }
            try FileBytes.copyFolder(kept, to: log)
            try removeFlatFolder(log)
            #expect(throws: AccountBookError.endsEarly(record: 0, known: 3)) { try fixture.open { _ in } }
        }
    }

    @Test("A record that was written anew in the log, with hashes that fit, is found by what was noted of the log")
    func rewritten() throws {
        try withTemporaryFolder { folder in
            let fixture = BookFixture(folder: folder)
            _ = try make(fixture)
            let other = folder + "/other"
            try makeFolder(other)
            let copied = try RecordLog(path: folder + "/accounts/log", isReadOnly: true)
            let forged = try RecordLog(path: other, isReadOnly: false)
            try copied.forEachRecord { number, bytes, _ in
                // One microsecond later than it was.
                let changed = bytes.indices.map { number == .first && $0 == 1 ? bytes[$0] + 1 : bytes[$0] }
                try forged.append { _, writer in writer.raw(changed) }
            }
            copied.close()
            forged.close()
            try FileBytes.copyFolder(other, to: folder + "/accounts/log")
            #expect(throws: AccountBookError.replaced(record: 9)) { try fixture.open { _ in } }
        }
    }

    @Test("Without the master key, with another one, and with one that others can read, nothing is opened and no key is made")
    func masterKey() throws {
        try withTemporaryFolder { folder in
            let fixture = BookFixture(folder: folder)
            let before = try make(fixture).state
            let path = folder + "/master.key"
            let key = try FileBytes.read(path)
            #expect(fileMode(path) == 0o600)

            try removeFile(path)
            #expect(throws: AccountBookError.masterKeyMissing(path: path)) { try fixture.open { _ in } }
            #expect(!fileExists(path))

            try #require(try createFile(path, with: key, mode: 0o640))
            #expect { try fixture.open { _ in } } throws: { "\($0)".contains("chmod 600 \(path)") }

            try replaceFile(path, with: Array(GoldenSeals.masterKey.utf8), mode: 0o600)
            #expect(throws: AccountBookError.masterKeyOther(path: folder + "/accounts/keys")) { try fixture.open { _ in } }

            try replaceFile(path, with: Array("muniment-master-key-1 short\n".utf8), mode: 0o600)
            #expect(throws: AccountBookError.masterKeyMalformed(path: path)) { try fixture.open { _ in } }

            try replaceFile(path, with: key, mode: 0o600)
            #expect(try fixture.open { book in book.read { $0 } } == before)
            try removeFile(folder + "/accounts/keys")
            #expect(throws: AccountBookError.keysMissing(path: folder + "/accounts/keys")) { try fixture.open { _ in } }
        }
    }
}

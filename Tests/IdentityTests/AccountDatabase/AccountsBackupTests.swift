import Files
import TestSupport
import Testing

@testable import Identity

/// Backups of accounts that change at the same time, and the data that a backup must never contain.
@Suite struct AccountsBackupTests {
    @Test("R18 While another process makes and deletes accounts, each backup opens with all changes acknowledged before it")
    func busy() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let helper = try Helper.start(["accounts-forever", folder])
            defer { helper.kill() }
            for round in 0..<8 {
                var acknowledged: [String] = []
                for _ in 0..<25 { acknowledged.append(try #require(try helper.line())) }
                let (backup, again) = (folder + "/backup\(round)", folder + "/again\(round)")
                let made = try #require(try AccountsBackup.make(of: folder, to: backup))
                #expect(try AccountsBackup.restore(backup, to: again) == made)
                try copyFile(folder + "/master.key", to: again + "/master.key")
                try AccountDatabaseFixture(folder: again).open { book in
                    let verified = try book.verify()
                    #expect(verified.accounts == made.accounts && verified.records == made.records)
                    #expect(verified.headHash == made.headHash)
                    let numbers = acknowledged.compactMap { $0.hasPrefix("made ") ? UInt64($0.dropFirst(5)) : nil }
                    #expect(book.read { $0.nextAccount.number } > (numbers.max() ?? 0))
                    for line in acknowledged where line.hasPrefix("deleted ") {
                        let number = try #require(UInt64(line.dropFirst(8)))
                        #expect(book.read { $0.account(AccountID(number)) } == nil, "\(line)")
                    }
                }
            }
        }
    }

    @Test("An account made between the copies of log and keys is not in the backup, and one deleted then is unreadable")
    func between() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let fixture = AccountDatabaseFixture(folder: folder + "/site")
            try makePrivateFolder(fixture.folder)
            let (source, copy) = (AccountsFolder(fixture.folder), AccountsFolder(folder + "/backup"))
            try fixture.open { book in for name in ["ann", "bob"] { try fixture.makeAccount(name, book) } }
            #expect(try AccountsBackup.copyLog(source, copy))
            try fixture.open { book in
                try book.change(at: fixture.clock.now) { $0.record(.accountDeleted(AccountID(1))) }
                try fixture.makeAccount("cem", book)
            }
            try AccountsBackup.copyKeys(source, copy)
            let master = try MasterKey.load(path: fixture.folder + "/master.key", isNeeded: true)
            #expect(try AccountsBackup.check(copy, against: nil, master).accounts == 1)
            let again = try restored(fixture, folder + "/backup", to: folder + "/again")
            try again.open { (book: AccountDatabase) throws -> Void in
                #expect(book.read { $0.account(AccountID(2))?.profile.displayName } == "The bob")
                #expect(try again.makeAccount("dan", book) == AccountID(3))
                #expect(try book.verify().accounts == 2)
            }
        }
    }

    @Test("A backup never contains the key of an account that the log says is deleted, even after an interrupted deletion")
    func undestroyed() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let fixture = AccountDatabaseFixture(folder: folder + "/site")
            try makePrivateFolder(fixture.folder)
            try fixture.open { book in for name in ["ann", "bob"] { try fixture.makeAccount(name, book) } }
            let keys = try FileBytes.read(fixture.folder + "/accounts/keys")
            try fixture.open { book in
                try book.change(at: fixture.clock.now) { $0.record(.accountDeleted(AccountID(1))) }
            }
            try FileBytes.write(keys, to: fixture.folder + "/accounts/keys")
            let made = try #require(try AccountsBackup.make(of: fixture.folder, to: folder + "/backup"))
            #expect(made.accounts == 1)
            let copied = try FileBytes.read(folder + "/backup/accounts/keys")
            #expect(Array(copied[128..<256]) == KeySlot.destroyedBytes)
            #expect(copied[256..<384] == keys[256..<384])
        }
    }

    @Test("A backup with a changed byte is refused, and a restore never overwrites accounts")
    func refused() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let fixture = AccountDatabaseFixture(folder: folder + "/site")
            try makePrivateFolder(fixture.folder)
            let backup = folder + "/backup"
            try fixture.open { _ in }
            #expect(try AccountsBackup.make(of: fixture.folder, to: backup) == nil, "there is no account")
            try fixture.open { book in _ = try fixture.makeAccount("ann", book) }
            let made = try #require(try AccountsBackup.make(of: fixture.folder, to: backup))
            #expect { try AccountsBackup.restore(backup, to: fixture.folder) } throws: {
                "\($0)".contains("is not overwritten")
            }
            for (name, offset) in [("keys", 200), ("keys", 255), ("log/data.mdb", 30), ("log/data.mdb", 8_200), ("backup.json", 3)]
            {
                let whole = try FileBytes.read(backup + "/accounts/" + name)
                try FileBytes.flip(backup + "/accounts/" + name, at: offset, mask: 0x01)
                #expect { try AccountsBackup.restore(backup, to: folder + "/\(offset)") } throws: {
                    "\($0)".contains("was changed or damaged")
                }
                try FileBytes.write(whole, to: backup + "/accounts/" + name)
            }
            let record = backup + "/accounts/backup.json"
            let whole = try FileBytes.read(record)
            for offset in whole.indices {
                try FileBytes.flip(record, at: offset, mask: 0x01)
                // The number of accounts is for people; only the master key could verify it.
                let restored = try? AccountsBackup.restore(backup, to: folder + "/record \(offset)")
                #expect(restored.map { $0.headHash == made.headHash && $0.records == made.records } ?? true, "byte \(offset)")
                try FileBytes.write(whole, to: record)
            }
            #expect(try AccountsBackup.restore(backup, to: folder + "/whole") == made)
            try removeFile(backup + "/accounts/keys")
            #expect { try AccountsBackup.restore(backup, to: folder + "/keyless") } throws: { "\($0)".contains("use another one") }
        }
    }

    @Test("An older backup opens after later changes, but an older log next to newer account files is refused")
    func older() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let fixture = AccountDatabaseFixture(folder: folder + "/site")
            try makePrivateFolder(fixture.folder)
            try fixture.open { book in _ = try fixture.makeAccount("ann", book) }
            _ = try AccountsBackup.make(of: fixture.folder, to: folder + "/old")
            try fixture.open { book in _ = try fixture.makeAccount("bob", book) }
            _ = try AccountsBackup.make(of: fixture.folder, to: folder + "/new")
            for (name, count) in [("old", 1), ("new", 2)] {
                let again = try restored(fixture, folder + "/" + name, to: folder + "/again-" + name)
                try again.open { (book: AccountDatabase) throws -> Void in #expect(try book.verify().accounts == count) }
            }
            let log = "/accounts/log/data.mdb"
            let newest = try restored(fixture, folder + "/new", to: folder + "/newest")
            try FileBytes.write(FileBytes.read(folder + "/old" + log), to: newest.folder + log)
            #expect { try newest.open { _ in } } throws: { "\($0)".contains("ends with record 1, and had 2 already") }
        }
    }

    /// Restores a backup to a new folder, with the master key of the original accounts.
    private func restored(_ fixture: AccountDatabaseFixture, _ backup: String, to folder: String) throws -> AccountDatabaseFixture {
        try AccountsBackup.restore(backup, to: folder)
        try copyFile(fixture.folder + "/master.key", to: folder + "/master.key")
        return AccountDatabaseFixture(folder: folder)
    }
}

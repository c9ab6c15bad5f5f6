import EventLog
import Events
import Files
import Foundation
import TestSupport
import Testing

@testable import Identity

/// A process that ends between two steps of a change. Each test builds the files of that state.
@Suite struct InterruptionTests {
    @Test(
        "If a process stops between the key and the log of a new account, the account does not exist and its number is reused")
    func opening() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            try fixture.open { book in _ = try fixture.makeAccount("ann", book) }
            try withKeys(folder) { _ = try $0.make(for: [AccountID(2)]) }
            try fixture.open { book in
                #expect(book.read { $0.accountCount } == 1)
                let bob = try fixture.makeAccount("bob", book)
                #expect(bob == AccountID(2))
            }
            try fixture.open { book in #expect(book.read { $0.account(AccountID(2))?.profile.displayName } == "The bob") }
        }
    }

    @Test(
        "If a process stops before or while it destroys the key of a deleted account, opening destroys the key",
        arguments: ["before", "while"])
    func deleting(when: String) throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            let path = folder + "/accounts/keys"
            var keys: [UInt8] = []
            let before = try fixture.open { book in
                let ann = try fixture.makeAccount("ann", book)
                try fixture.makeAccount("bob", book)
                _ = try fixture.begin(ann, book)
                keys = try FileBytes.read(path)
                try book.change(at: fixture.clock.now) { $0.record(.accountDeleted(ann)) }
                return book.read { $0 }
            }
            let destroyed = try FileBytes.read(path)
            if when == "while" { keys.replaceSubrange(128..<150, with: destroyed[128..<150]) }
            try FileBytes.write(keys, to: path)
            #expect(try fixture.open { book in book.read { $0 } } == before)
            #expect(try FileBytes.read(path) == destroyed)
        }
    }

    @Test("With a log from before a deletion and the keys from after it, the account stays deleted")
    func olderLog() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            let (log, head, kept) = (folder + "/accounts/log", folder + "/accounts/head", folder + "/kept")
            var tokens: SessionTokens?
            try fixture.open { book in
                let ann = try fixture.makeAccount("ann", book)
                try fixture.makeAccount("bob", book)
                tokens = try fixture.begin(ann, book).1
                let second = try fixture.begin(ann, book)
                let sessions = fixture.sessions(book)
                _ = try sessions.refresh(second.1.refresh, nonce: "a", at: fixture.clock.now)
                try sessions.end(second.0.id, .signedOut, at: fixture.clock.now)
            }
            try FileBytes.copyFolder(log, to: kept)
            let noted = try FileBytes.read(head)
            try fixture.open { book in
                try book.change(at: fixture.clock.now) { $0.record(.accountDeleted(AccountID(1))) }
            }
            try FileBytes.copyFolder(kept, to: log)
            try FileBytes.write(noted, to: head)
            try fixture.open { book in
                #expect(book.read { $0.accountCount } == 1)
                #expect(book.read { $0.account(AccountID(2))?.profile.displayName } == "The bob")
                let access = try #require(tokens).access
                #expect(fixture.sessions(book).lookup(access: access, at: fixture.clock.now) == nil)
                // Later accounts and sessions get unused numbers.
                #expect(try fixture.makeAccount("cem", book) == AccountID(3))
                #expect(try fixture.begin(AccountID(3), book).0.id == SessionID(3))
                #expect(try book.verify().accounts == 2)
            }
        }
    }

    @Test("If a process stops before the keys or the log exist, opening starts with no accounts")
    func beginning() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            try makePrivateFolder(folder + "/accounts")
            try fixture.open { _ in }
            for path in ["/accounts/keys", "/accounts/log/data.mdb"] {
                try removeFile(folder + path)
                try fixture.open { book in #expect(book.read { $0.accountCount } == 0) }
            }
        }
    }

    private func withKeys(_ folder: String, _ body: (KeyFile) throws -> Void) throws {
        let master = try MasterKey.load(path: folder + "/master.key", isNeeded: true)
        let keys = try KeyFile(path: folder + "/accounts/keys", master: master, isNeeded: true)
        defer { keys.close() }
        try body(keys)
    }

    // MARK: Processes

    @Test("A second open of the accounts is refused, and another process is told which process holds them")
    func twoProcesses() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let helper = try Helper.start(["accounts-hold", folder])
            #expect(try helper.line() == "open")
            let fixture = AccountDatabaseFixture(folder: folder)
            #expect { try fixture.open { _ in } } throws: { "\($0)".contains("process \(helper.processIdentifier)") }
            helper.kill()
            try fixture.open { _ in
                _ = #expect(throws: AccountDatabaseError.self) { _ = try AccountDatabase(folder: folder) }
            }
        }
    }

    @Test(
        "After a kill during changes, all acknowledged changes are present and every account is readable",
        arguments: [3, 20, 60])
    func killed(count: Int) throws {
        try withTemporaryFolder(onDisk: true) { folder in
            var acknowledged: [String] = []
            // Each round uses the files of the previous one, so that recoveries are interrupted too.
            for _ in 0..<3 {
                let helper = try Helper.start(["accounts-forever", folder])
                for _ in 0..<count { acknowledged.append(try #require(try helper.line())) }
                helper.kill()
                // Lines that the helper wrote before the kill count as well.
                while let line = try helper.line() { acknowledged.append(line) }
            }
            try AccountDatabaseFixture(folder: folder).open { book in
                let accounts = AcknowledgedAccounts(lines: acknowledged)
                try accounts.check(book.read { $0 }, but: accounts.there.min())
                _ = try book.verify()
            }
        }
    }

    @Test("After a failed write, changes are refused, reads continue, and all earlier changes are present")
    func fullDisk() throws {
        for limit in [4_000, 40_000, 100_000] {
            try withTemporaryFolder(onDisk: true) { folder in
                let result = try Helper.run(["accounts-within", folder, "\(limit)"])
                try #require(result.exitCode == 0, "\(result.output) \(result.error)")
                let lines = result.lines
                #expect(lines.contains { $0.hasPrefix("failed ") })
                #expect(lines.contains { $0.hasPrefix("later the accounts take no changes") })
                try AccountDatabaseFixture(folder: folder).open { book in
                    let acknowledged = AcknowledgedAccounts(lines: lines)
                    #expect(lines.contains("reading \(acknowledged.there.count)"))
                    // The log was full, so not even a deletion has begun.
                    try acknowledged.check(book.read { $0 })
                    try AccountDatabaseFixture(folder: folder).makeAccount("behind", book)
                }
            }
        }
    }

    @Test(
        "A full file system refuses a change before anything is written, and accepts changes once it has room",
        .enabled(if: SmallDisk.isPossible))
    func fullFileSystem() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            try FileManager.default.createDirectory(atPath: folder + "/disk", withIntermediateDirectories: true)
            let disk = try SmallDisk(at: folder + "/disk", bytes: 900_000)
            defer { disk.unmount() }
            let fixture = AccountDatabaseFixture(folder: folder + "/disk")
            try fixture.open { book in
                var made = 0
                func make() throws {
                    try fixture.makeAccount("n\(made)", book)
                    made += 1
                }
                for round in 1...3 {
                    var refusal: (any Error)?
                    while refusal == nil { do { try make() } catch { refusal = error } }
                    guard case .insufficientResources? = refusal as? AccountDatabaseError else {
                        throw refusal ?? CancellationError()
                    }
                    #expect(book.failure == nil && book.read { $0.accountCount } == made)
                    try disk.resize(bytes: 900_000 + 100_000 * round)
                    try make()
                }
                #expect(try book.verify().accounts == made)
            }
        }
    }

    @Test("I8 A deletion that the log cannot store destroys nothing, and the account opens unchanged")
    func deletionWithoutRoom() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let result = try Helper.run(["accounts-delete-without-room", folder])
            try #require(result.exitCode == 0, "\(result.output) \(result.error)")
            #expect(result.lines.contains { $0.hasPrefix("failed ") })
            try AccountDatabaseFixture(folder: folder).open { book in
                let acknowledged = AcknowledgedAccounts(lines: result.lines)
                #expect(acknowledged.there == [1, 2, 3])
                try acknowledged.check(book.read { $0 })
            }
        }
    }

    @Test("I8 If a key cannot be overwritten, the deletion is done, stops further changes, and is completed at the next opening")
    func deletionWithReadOnlyKeys() throws {
        try withTemporaryFolder(onDisk: true) { folder in
            let result = try Helper.run(["accounts-delete-with-read-only-keys", folder])
            try #require(result.exitCode == 0, "\(result.output) \(result.error)")
            #expect(!result.lines.contains { $0.hasPrefix("failed ") }, "\(result.output)")
            #expect(result.lines.contains { $0.hasPrefix("later the accounts take no changes") }, "\(result.output)")
            let key = { try readFile(folder + "/accounts/keys")[128..<256] }
            #expect(try key().starts(with: "key of 1".utf8))
            try AccountDatabaseFixture(folder: folder).open { book in
                let acknowledged = AcknowledgedAccounts(lines: result.lines)
                #expect(acknowledged.there == [2, 3])
                try acknowledged.check(book.read { $0 })
            }
            #expect(try key().starts(with: "DESTROY!".utf8))
        }
    }
}

/// The accounts that a helper reported as made and deleted, one per line: `made 3`, `deleted 3`.
struct AcknowledgedAccounts {
    private(set) var there: Set<UInt64> = []
    private(set) var deleted: Set<UInt64> = []

    init(lines: [String]) {
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count == 2, let number = UInt64(words[1]) else { continue }
            if words[0] == "made" { there.insert(number) }
            if words[0] == "deleted" { deleted.insert(number) }
        }
        there.subtract(deleted)
    }

    /// Checks that every account that was made exists with its own data, and that no deleted one exists.
    ///
    /// - Parameter undecided: an account that may be deleted without an acknowledgement, as after a kill; nil if there is none.
    func check(_ state: AccountState, but undecided: UInt64? = nil) throws {
        for number in there where number != undecided {
            let found = state.account(AccountID(number))
            let account = try #require(found, "account \(number)")
            #expect(account.profile.displayName == "The n\(number)")
            #expect(account.email?.text == "n\(number)@example.com")
        }
        for number in deleted { #expect(state.account(AccountID(number)) == nil) }
    }
}

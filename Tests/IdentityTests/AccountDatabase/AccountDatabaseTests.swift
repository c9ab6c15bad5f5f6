import Events
import Foundation
import TestSupport
import Testing

@testable import Identity

@Suite struct AccountDatabaseTests {
    @Test("Changes are present after the accounts are reopened")
    func reopening() throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            let before = try fixture.open { book in
                let ann = try fixture.makeAccount("ann", book)
                _ = try fixture.begin(ann, book)
                return book.read { $0 }
            }
            try fixture.open { book in
                #expect(book.read { $0 } == before)
                let ann = try #require(book.read { $0.account(email: AccountDatabaseFixture.email("ann")) })
                #expect(ann.profile.displayName == "The ann")
                #expect(ann.identity(.password)?.secret == "$argon2id$first")
                #expect(book.read { $0.sessions(of: ann.id) }.map(\.session.device) == ["laptop"])
                #expect(try book.verify().accounts == 1)
            }
        }
    }

    @Test("A change that throws or records an impossible event changes nothing")
    func refusing() throws {
        struct No: Error {}
        try AccountDatabaseFixture.with { fixture, book in
            let ann = try fixture.makeAccount("ann", book)
            let before = book.read { $0 }
            #expect(throws: No.self) {
                try book.change(at: fixture.clock.now) { change in
                    change.record(.accountDeleted(ann))
                    throw No()
                }
            }
            #expect(throws: AccountDatabaseError.self) { try fixture.makeAccount("ann", book) }
            #expect(throws: AccountDatabaseError.self) {
                try book.change(at: fixture.clock.now) { $0.record(.identityUnlinked(ann, .password)) }
            }
            #expect(book.read { $0 } == before)
            #expect(book.failure == nil)
        }
    }

    @Test("Closed accounts refuse changes and verification, and never write to another file")
    func closed() throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            let book = try AccountDatabase(folder: folder)
            try fixture.makeAccount("ann", book)
            book.close()
            // These files get the descriptor numbers that the account files had.
            let others = (0..<16).map { folder + "/other-\($0)" }
            for path in others { try FileBytes.write([], to: path) }
            let handles = others.compactMap { FileHandle(forUpdatingAtPath: $0) }
            defer { for handle in handles { try? handle.close() } }
            #expect(throws: AccountDatabaseError.self) { try fixture.makeAccount("ben", book) }
            #expect(throws: AccountDatabaseError.self) { try book.verify() }
            for path in others { #expect(try FileBytes.read(path).isEmpty) }
        }
    }

    @Test("A deleted account is removed with its sessions and email, and no file contains personal data in plain text")
    func deleting() throws {
        try withTemporaryFolder { folder in
            let fixture = AccountDatabaseFixture(folder: folder)
            try fixture.open { book in
                let (ann, bob) = (try fixture.makeAccount("ann", book), try fixture.makeAccount("bob", book))
                let (_, tokens) = try fixture.begin(ann, book)
                let (_, others) = try fixture.begin(bob, book)
                try book.change(at: fixture.clock.now) { $0.record(.accountDeleted(ann)) }
                let sessions = fixture.sessions(book)
                #expect(sessions.lookup(access: tokens.access, at: fixture.clock.now) == nil)
                #expect(sessions.lookup(access: others.access, at: fixture.clock.now)?.1.id == bob)
                #expect(book.read { $0.account(email: AccountDatabaseFixture.email("ann")) } == nil)
                // The email can be used for a new account, with a new number.
                #expect(try fixture.makeAccount("ann", book).number == 3)
            }
            for file in try FileBytes.files(below: folder) {
                for text in ["The ann", "The bob", "example.com", "$argon2id$", "laptop"] {
                    #expect(!FileBytes.contains(text, in: file.bytes), "\(text) stands in \(file.path)")
                }
            }
            try fixture.open { book in
                #expect(book.read { $0.accountCount } == 2)
                #expect(book.read { $0.account(AccountID(1)) } == nil)
            }
        }
    }
}

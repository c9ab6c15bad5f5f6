import Events
import Foundation
import TestSupport
import Testing

@testable import Identity

@Suite struct BookTests {
    @Test("What was changed is there when the accounts are opened again")
    func reopening() throws {
        try withTemporaryFolder { folder in
            let fixture = BookFixture(folder: folder)
            let before = try fixture.open { book in
                let ann = try fixture.makeAccount("ann", book)
                _ = try fixture.begin(ann, book)
                return book.read { $0 }
            }
            try fixture.open { book in
                #expect(book.read { $0 } == before)
                let ann = try #require(book.read { $0.account(email: BookFixture.email("ann")) })
                #expect(ann.profile.displayName == "The ann")
                #expect(ann.identity(.password)?.secret == "$argon2id$first")
                #expect(book.read { $0.sessions(of: ann.id) }.map(\.session.device) == ["laptop"])
                #expect(try book.verify().accounts == 1)
            }
        }
    }

    @Test("A change whose decision throws, or that records what cannot happen, changes nothing")
    func refusing() throws {
        struct No: Error {}
        try BookFixture.with { fixture, book in
            let ann = try fixture.makeAccount("ann", book)
            let before = book.read { $0 }
            #expect(throws: No.self) {
                try book.change(at: fixture.clock.now) { change in
                    change.record(.accountDeleted(ann))
                    throw No()
                }
            }
            #expect(throws: AccountBookError.self) { try fixture.makeAccount("ann", book) }
            #expect(throws: AccountBookError.self) {
                try book.change(at: fixture.clock.now) { $0.record(.identityUnlinked(ann, .password)) }
            }
            #expect(book.read { $0 } == before)
            #expect(book.failure == nil)
        }
    }

    @Test("Accounts that are closed take no change and are not gone through, and no other file is written in place of theirs")
    func closed() throws {
        try withTemporaryFolder { folder in
            let fixture = BookFixture(folder: folder)
            let book = try AccountBook(folder: folder)
            try fixture.makeAccount("ann", book)
            book.close()
            // These get the numbers that the files of the accounts had.
            let others = (0..<16).map { folder + "/other-\($0)" }
            for path in others { try FileBytes.write([], to: path) }
            let handles = others.compactMap { FileHandle(forUpdatingAtPath: $0) }
            defer { for handle in handles { try? handle.close() } }
            #expect(throws: AccountBookError.self) { try fixture.makeAccount("ben", book) }
            #expect(throws: AccountBookError.self) { try book.verify() }
            for path in others { #expect(try FileBytes.read(path).isEmpty) }
        }
    }

    @Test("A deleted account is gone with its sessions, and so is what it was known by")
    func deleting() throws {
        try withTemporaryFolder { folder in
            let fixture = BookFixture(folder: folder)
            try fixture.open { book in
                let (ann, bob) = (try fixture.makeAccount("ann", book), try fixture.makeAccount("bob", book))
                let (_, tokens) = try fixture.begin(ann, book)
                let (_, others) = try fixture.begin(bob, book)
                try book.change(at: fixture.clock.now) { $0.record(.accountDeleted(ann)) }
                let sessions = fixture.sessions(book)
                #expect(sessions.lookup(access: tokens.access, at: fixture.clock.now) == nil)
                #expect(sessions.lookup(access: others.access, at: fixture.clock.now)?.1.id == bob)
                #expect(book.read { $0.account(email: BookFixture.email("ann")) } == nil)
                // Whoever has the address can have an account again: another one.
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

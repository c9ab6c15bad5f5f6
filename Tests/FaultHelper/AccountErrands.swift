import DiskWitness
import Events
import Glibc
import Permissions
import TestSupport

@testable import Identity

/// Accounts in a process that is killed, whose disk is full, or that is one of two.
struct AccountErrands {
    let folder: String

    /// Has the accounts open until it is killed.
    func hold() throws {
        let book = try AccountBook(folder: folder)
        FaultHelper.say("open")
        pause()
        book.close()
    }

    /// Makes and deletes accounts until it is killed, and says each one when it is done.
    func changeForever() throws {
        let book = try AccountBook(folder: folder)
        while true { try step(book) }
    }

    /// The same where no file may grow beyond a limit, until a write fails; says what becomes of the accounts then.
    func change(within limit: Int) throws {
        let book = try AccountBook(folder: folder)
        FileSizeLimit.set(limit)
        do { while true { try step(book) } } catch { FaultHelper.say("failed \(error)") }
        FileSizeLimit.set(nil)
        do { try step(book) } catch { FaultHelper.say("later \(error)") }
        FaultHelper.say("reading \(book.read { $0.accountCount })")
        book.close()
    }

    /// Makes accounts, and deletes the first one where the log takes nothing more, while there is room for its key.
    func deleteWithoutRoom() throws {
        let book = try AccountBook(folder: folder)
        for _ in 0..<3 { try step(book) }
        FileSizeLimit.set(4_000)
        do { try delete(AccountID(1), book) } catch { FaultHelper.say("failed \(error)") }
        book.close()
    }

    /// Makes an account and deletes it, and says meanwhile what goes to the disk.
    func changeOpenly() throws {
        let book = try AccountBook(folder: folder)
        tellOfTheDisk()
        try delete(try make(book), book)
        book.close()
    }

    /// Makes an account with a session, and deletes the oldest of more than four.
    private func step(_ book: AccountBook) throws {
        let made = try make(book)
        let sessions = Sessions(book: book, settings: AccountSettings())
        _ = try sessions.begin(made, provider: .password, device: "helper", authenticatedAt: .newYear, at: .newYear)
        guard book.read({ $0.accountCount }) > 4, let oldest = book.read({ $0.accounts(after: nil, limit: 1) }).first else {
            return
        }
        try delete(oldest.id, book)
    }

    private func make(_ book: AccountBook) throws -> AccountID {
        let made = try book.change(at: .newYear) { change in
            let id = change.state.nextAccount
            let name = "n\(id.number)"
            guard let email = EmailAddress("\(name)@example.com") else { preconditionFailure("`\(name)` makes no email") }
            change.record(.accountOpened(id, principal: Name("user:\(name)"), profile: Profile(displayName: "The \(name)")))
            change.record(.emailSet(id, email))
            change.record(.identityLinked(id, LinkedIdentity(provider: .password, key: IdentityKey(email), linkedAt: .newYear)))
            return id
        }
        FaultHelper.say("made \(made.number)")
        return made
    }

    private func delete(_ account: AccountID, _ book: AccountBook) throws {
        try book.change(at: .newYear) { $0.record(.accountDeleted(account)) }
        FaultHelper.say("deleted \(account.number)")
    }
}

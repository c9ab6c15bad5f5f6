import DiskWitness
import Events
import Files
import Glibc
import Permissions
import TestSupport

@testable import Identity

/// Account operations in a process that is killed, that has a full disk, or that runs next to another process.
struct AccountHelperCommands {
    let folder: String

    /// Keeps the accounts open until the process is killed.
    func hold() throws {
        let book = try AccountDatabase(folder: folder)
        FaultHelper.say("open")
        pause()
        book.close()
    }

    /// Creates and deletes accounts until the process is killed, and reports each completed step.
    func changeForever() throws {
        let book = try AccountDatabase(folder: folder)
        while true { try step(book) }
    }

    /// Does the same with a file size limit until a write fails, then reports the state of the accounts.
    func change(within limit: Int) throws {
        let book = try AccountDatabase(folder: folder)
        FileSizeLimit.set(limit)
        do { while true { try step(book) } } catch { FaultHelper.say("failed \(error)") }
        FileSizeLimit.set(nil)
        do { try step(book) } catch { FaultHelper.say("later \(error)") }
        FaultHelper.say("reading \(book.read { $0.accountCount })")
        book.close()
    }

    /// Creates accounts, then deletes the first one with a file size limit that stops the log but not the removal of the key.
    func deleteWithoutRoom() throws {
        let book = try AccountDatabase(folder: folder)
        for _ in 0..<3 { try step(book) }
        FileSizeLimit.set(4_000)
        do { try delete(AccountID(1), book) } catch { FaultHelper.say("failed \(error)") }
        book.close()
    }

    /// Creates accounts, then deletes the first one while the file of the keys cannot be written.
    func deleteWithReadOnlyKeys() throws {
        let book = try AccountDatabase(folder: folder)
        for _ in 0..<3 { try step(book) }
        let keys = canonicalPath(folder + "/accounts/keys")
        for name in try fileNames(in: "/proc/self/fd") where canonicalPath("/proc/self/fd/" + name) == keys {
            dup2(unsafe open(keys, O_RDONLY), Int32(name) ?? -1)
        }
        do { try delete(AccountID(1), book) } catch { FaultHelper.say("failed \(error)") }
        do { try step(book) } catch { FaultHelper.say("later \(error)") }
        book.close()
    }

    /// Creates and deletes an account, and reports each disk write in between.
    func changeOpenly() throws {
        let book = try AccountDatabase(folder: folder)
        tellOfTheDisk()
        try delete(try make(book), book)
        book.close()
    }

    /// Creates an account with a session, and deletes the oldest account if there are more than four.
    private func step(_ book: AccountDatabase) throws {
        let made = try make(book)
        let sessions = SessionManager(book: book, settings: AccountSettings())
        _ = try book.change(at: .newYear) { change in
            sessions.begin(made, provider: .password, device: "helper", authenticatedAt: .newYear, at: .newYear, in: &change)
        }
        guard book.read({ $0.accountCount }) > 4, let oldest = book.read({ $0.accounts(after: nil, limit: 1) }).first else {
            return
        }
        try delete(oldest.id, book)
    }

    private func make(_ book: AccountDatabase) throws -> AccountID {
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

    private func delete(_ account: AccountID, _ book: AccountDatabase) throws {
        try book.change(at: .newYear) { $0.record(.accountDeleted(account)) }
        FaultHelper.say("deleted \(account.number)")
    }
}

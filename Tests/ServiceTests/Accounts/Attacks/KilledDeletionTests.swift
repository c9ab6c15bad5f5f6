import Events
import Foundation
import Muniment
import Permissions
import RandomHistories
import Secrets
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Identity

@Suite("I8 A service that is killed during deletions")
struct KilledDeletionTests {
    /// The number of accounts. The rounds delete fewer: at most two each, plus those in progress at the three clients.
    private static let people = 40
    private static let rounds = 5

    @Test("I8 Each account is afterwards either complete and usable, or deleted with its key, and no deleted account returns")
    func killed() async throws {
        try await blocking { try withTemporaryFolder { try killAgainAndAgain(in: $0) } }
    }

    private func killAgainAndAgain(in folder: String) throws {
        var random = SplitMix64(seed: TestSettings.firstSeed)
        let site = try DeletionSite(folder, people: Self.people)
        for _ in 0..<Self.rounds {
            try site.run(killingAfter: Int.random(in: 0..<3, using: &random))
            try site.expectWholeOrGone()
        }
        #expect(site.gone.count < Self.people, "nobody is left to be deleted in good order")
        try site.finish()
        try site.expectWholeOrGone()
        #expect(site.gone.count == Self.people)
        for (path, bytes) in try FileBytes.files(below: site.data) {
            for person in site.people {
                #expect(!FileBytes.contains(person.email, in: bytes), "\(path)")
                #expect(!FileBytes.contains(person.name, in: bytes), "\(path)")
            }
        }
        #expect(try Store.verify(at: site.data + "/default").problems == [])
    }
}

/// A data directory with accounts, and their known state.
private final class DeletionSite: Sendable {
    struct Person: Sendable {
        let id: AccountID
        let name: String
        let email: String
        let access: String
    }

    let data: String
    let people: [Person]
    private let settingsFile: String
    private let state = Mutex(State())

    private struct State {
        /// Accounts with a deletion that was acknowledged or found to be done.
        var gone: Set<AccountID> = []
        /// Accounts that a client is about to delete.
        var taken: Set<AccountID> = []
    }

    private static let password = "a long password"

    var gone: Set<AccountID> { state.withLock { $0.gone } }

    init(_ folder: String, people count: Int) throws {
        data = folder + "/data"
        settingsFile = folder + "/accounts.json"
        try FileBytes.write(Array(#"{"mail":{"outbox":"outbox"}}"#.utf8), to: settingsFile)
        let store = try Store.create(at: data + "/default", preset: .open)
        try store.commit(Transaction("user:root", [.defineClass("doc"), .createObject("doc:plan")]))
        let now = systemClock()
        let hash = try PasswordHash.make(Array(Self.password.utf8), PasswordHash.Settings(memoryKiB: 8, passes: 1))
        try FileManager.default.createDirectory(atPath: data + "/.muniment", withIntermediateDirectories: true)
        let book = try AccountDatabase(folder: data + "/.muniment")
        let sessions = SessionManager(book: book, settings: AccountSettings())
        people = try (0..<count).map { number in
            let name = "Person Number \(number) Unverkennbar"
            let email = try #require(EmailAddress("person-\(number)@unverkennbar.example.com"))
            let principal = Name("user:person\(number)")
            try store.commit(Transaction("user:root", [.register(principal), .grant(principal, on: "doc:plan", ["read"])]))
            let identity = LinkedIdentity(
                provider: .password, key: IdentityKey(email), label: email.text, secret: hash, linkedAt: now)
            return try book.change(at: now) { change in
                let id = change.state.nextAccount
                change.record(.accountOpened(id, principal: principal, profile: Profile(displayName: name)))
                change.record(.emailSet(id, email))
                change.record(.identityLinked(id, identity))
                let (_, tokens) = sessions.begin(
                    id, provider: .password, device: nil, authenticatedAt: now, at: now, in: &change)
                return Person(id: id, name: name, email: email.text, access: tokens.access)
            }
        }
        book.close()
        try store.close()
    }

    /// Starts the service and checks that a user with a remaining account can sign in. Then lets three clients delete accounts, and
    /// kills the service after `limit` acknowledged deletions, while other deletions are in progress.
    func run(killingAfter limit: Int) throws {
        let process = try ServedProcess(data, options: ["--accounts", settingsFile])
        if let somebody = people.first(where: { !gone.contains($0.id) }) {
            #expect(try signIn(somebody, PlainClient(port: process.port)) == 200)
        }
        let count = Mutex(0)
        state.withLock { $0.taken = $0.gone }
        let clients = (0..<3).map { _ in
            TestThread { [self] in
                let connection: PlainClient
                do { connection = try PlainClient(port: process.port) } catch { return }
                repeat {
                    if count.withLock({ $0 >= limit }) { process.signal(SIGKILL) }
                } while try deleteNext(over: connection) { count.withLock { $0 += 1 } }
            }
        }
        for client in clients { try client.join() }
        process.kill()
    }

    /// Signs in and deletes each remaining user, and stops the service in good order.
    func finish() throws {
        let process = try ServedProcess(data, options: ["--accounts", settingsFile])
        let connection = try PlainClient(port: process.port)
        for person in people {
            #expect(try signIn(person, connection) == (gone.contains(person.id) ? 401 : 200))
        }
        state.withLock { $0.taken = $0.gone }
        while try deleteNext(over: connection, {}) {}
        process.signal(SIGTERM)
        #expect(process.exitCode() == 0)
    }

    private func signIn(_ person: Person, _ connection: PlainClient) throws -> Int {
        let body = #"{"provider":"password","evidence":{"email":"\#(person.email)","password":"\#(Self.password)"}}"#
        return try connection.send("POST", "/v1/accounts/sign-in", headers: ["Content-Type": "application/json"], body: body).0
    }

    /// Deletes an account that no other client is deleting. Returns false if no account is left, or if the service has exited.
    private func deleteNext(over connection: PlainClient, _ whenAcknowledged: () -> Void) throws -> Bool {
        let person = state.withLock { state in
            let person = people.first { !state.taken.contains($0.id) }
            if let person { state.taken.insert(person.id) }
            return person
        }
        guard let person else { return false }
        let status: Int
        do {
            status = try connection.send("DELETE", "/v1/account", headers: ["Authorization": "Bearer " + person.access]).0
        } catch { return false }
        #expect(status == 204)
        if status == 204 { state.withLock { _ = $0.gone.insert(person.id) } }
        whenAcknowledged()
        return true
    }

    /// Checks the data that the process has left: the accounts and the file of keys.
    func expectWholeOrGone() throws {
        let own = data + "/.muniment"
        let book = try AccountDatabase(folder: own)
        defer { book.close() }
        _ = try book.verify()
        let keys = try KeyFile(path: own + "/accounts/keys", master: book.master, isNeeded: true)
        defer { keys.close() }
        for person in people {
            switch (book.read { $0.account(person.id) }, try keys.slot(of: person.id)) {
            case (let account?, .key):
                #expect(!gone.contains(person.id), "\(person.email) is back")
                #expect(account.email?.text == person.email && account.profile.displayName == person.name)
                #expect(account.identity(.password) != nil)
            case (nil, .destroyed): state.withLock { _ = $0.gone.insert(person.id) }
            case (let account, let slot): Issue.record("\(person.email) is half there: \(account == nil), \(slot)")
            }
        }
    }
}

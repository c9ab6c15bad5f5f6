import Credentials
import Dispatch
import Events
import IssuerSupport
import Muniment
import Permissions
import RandomHistories
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: credentials are withdrawn at random moments while changes wait for the writer")
struct WithdrawalHistoryTests {
    @Test("E16 In random schedules, a withdrawn token, session, account, JWT or privilege makes no commit with a later turn")
    func randomSchedules() async throws {
        let issuer = try TestIssuer()
        defer { issuer.stop() }
        try issuer.serve(keys: [(try TestKeys.p256.get(), ["kid": "k1"])])
        let believed = try issuer.settings
        var (committed, withdrawn) = (0, 0)
        for number in 0..<TestSettings.withdrawalHistoryCount {
            let mails = KeptMails()
            try await withListeners {
                $0.callers.issuer = believed
                $0.openAccounts(mails)
            } _: { fixture in
                let client = AccountsClient(fixture.direct, mails)
                var schedule = try await WithdrawalSchedule(
                    seed: TestSettings.firstSeed &+ UInt64(number), fixture, client)
                for _ in 0..<3 { try await schedule.runTurn() }
                committed += try schedule.checkLog()
                withdrawn += schedule.withdrawnCount
            }
        }
        // The test proves nothing if no credential is withdrawn, or if no change commits.
        #expect(committed > 0 && withdrawn > 0)
    }
}

/// Callers with credentials of all kinds, who send changes while some of the credentials are withdrawn.
private struct WithdrawalSchedule {
    enum Kind: CaseIterable {
        case token, expiringToken, session, account, jwt, privilege
    }

    private struct Credential {
        let kind: Kind
        let principal: Name
        let secret: String
        var tokenID = ""
        var sent = 0
        var isWithdrawn = false
        /// The last revision that a change of this credential may have.
        var end = Revision.open
    }

    private let fixture: ServiceFixture
    private let client: AccountsClient
    private let store: Store
    private let seed: UInt64
    private var random: SplitMix64
    private var credentials: [Credential] = []
    private var markCount = 0

    var withdrawnCount: Int { credentials.filter { $0.end != .open }.count }

    init(seed: UInt64, _ fixture: ServiceFixture, _ client: AccountsClient) async throws {
        (self.seed, self.fixture, self.client) = (seed, fixture, client)
        random = SplitMix64(seed: seed)
        let hosted = try fixture.service.data.store(.default)
        store = try #require(hosted).store
        try await store.commit(
            Transaction(
                "user:root",
                [
                    .defineClass("doc"), .defineClass("own"), .register("user:own"),
                    .grant("everyone", on: "store", ["create", "update"]), .grant("everyone", on: "class:doc", ["create"]),
                    .grant("user:own", on: "class:own", ["create"]),
                ]))
        let registry = TokenRegistry(dataDirectory: fixture.directory)
        // Two tokens of one user: the second one must work after the first one was revoked.
        for kind in Kind.allCases.shuffled(using: &random).prefix(4) + [.token, .token] {
            switch kind {
            case .session, .account:
                let person = try await client.signUp("person\(credentials.count)@example.com")
                credentials.append(Credential(kind: kind, principal: Name(person.principal), secret: person.access))
            case .jwt:
                let now = fixture.clock.now.microseconds / 1_000_000
                let jwt = try TestJWT.make(claims: ["sub": "jwt", "exp": .integer(now + 10)])
                credentials.append(Credential(kind: kind, principal: "user:jwt", secret: jwt))
            case .token, .expiringToken, .privilege:
                let principal: Name = kind == .token ? "user:eve" : kind == .privilege ? "user:own" : "user:short"
                let until = kind == .expiringToken ? fixture.clock.now.later(seconds: 60) : nil
                let made = try registry.create(
                    stores: .named(["default"]), right: .act(as: principal), until: until, at: fixture.clock.now)
                credentials.append(
                    Credential(kind: kind, principal: principal, secret: made.secret, tokenID: made.token.id))
            }
        }
    }

    /// Sends changes and withdraws credentials in a random order while one transaction occupies the writer. Then lets the writer
    /// continue, and sends a change with each credential.
    mutating func runTurn() async throws {
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let mark = nextMark()
        let store = store
        let busy = Task.detached {
            try await store.commit(
                Transaction("user:root", [mark]) {
                    begun.signal()
                    goOn.wait()
                })
        }
        await Task.detached { begun.wait() }.value
        var waiting: [(sender: Int, status: Task<Int, any Error>)] = []
        var ending: [(Int, Task<Revision?, any Error>)] = []
        do {
            for _ in 0..<random.number(4...10) {
                let index = random.number(0...credentials.count - 1)
                if random.number(0...2) > 0 || credentials[index].isWithdrawn {
                    waiting.append((index, send(index)))
                    if random.number(0...1) == 0, !credentials[index].isWithdrawn {
                        let actor = credentials[index].principal
                        try await until("the change waits for the writer") {
                            !fixture.service.runningCommits.waitForEnd(of: actor, seconds: 0)
                        }
                    }
                } else if let task = try await withdraw(index) {
                    ending.append((index, task))
                }
            }
        } catch {
            goOn.signal()
            throw error
        }
        goOn.signal()
        let turn = try #require(try await busy.value.revision)
        // These were withdrawn during the transaction, so all waiting changes have a later turn.
        for index in credentials.indices where credentials[index].isWithdrawn {
            credentials[index].end = min(credentials[index].end, turn)
        }
        for (index, task) in ending { credentials[index].end = try #require(try await task.value) }
        for (sender, status) in waiting {
            let status = try await status.value
            #expect([200, 401, 403].contains(status) && (status == 200 || credentials[sender].isWithdrawn), "\(context(sender))")
        }
        for index in credentials.indices {
            let status = try await send(index).value
            #expect((status == 200) == !credentials[index].isWithdrawn, "\(status) \(context(index))")
        }
    }

    /// Checks that no commit of a withdrawn credential is after its end.
    ///
    /// - Returns: the number of commits of all credentials.
    func checkLog() throws -> Int {
        var count = 0
        try store.log(from: .genesis, to: store.head.revision) { commit in
            for case .objectCreated(let event) in commit.commit.events {
                guard let name = event.object.name, let index = Int(name.drop { $0 != ":" }.dropFirst().prefix { $0 != "-" })
                else { continue }
                count += 1
                #expect(commit.commit.revision <= credentials[index].end, "\(name) \(context(index))")
            }
        }
        return count
    }

    private func context(_ index: Int) -> String { "MUNIMENT_SEED=\(seed) MUNIMENT_HISTORIES=1: \(credentials[index])" }

    private mutating func nextMark() -> Change {
        markCount += 1
        return .createObject(Name("doc:mark\(markCount)"))
    }

    private mutating func send(_ index: Int) -> Task<Int, any Error> {
        credentials[index].sent += 1
        let credential = credentials[index]
        let name = "\(credential.kind == .privilege ? "own" : "doc"):\(index)-\(credential.sent)"
        let direct = fixture.direct
        return Task {
            try await direct.send(
                "POST", "/v1/stores/default/transactions", token: credential.secret,
                json: #"{"do":[{"op":"createObject","object":"\#(name)"}]}"#
            ).status
        }
    }

    /// Withdraws a credential.
    ///
    /// - Returns: nil if it has ended already; otherwise a task that returns the last revision before its end, and needs the writer.
    private mutating func withdraw(_ index: Int) async throws -> Task<Revision?, any Error>? {
        credentials[index].isWithdrawn = true
        let (credential, client, store) = (credentials[index], client, store)
        switch credential.kind {
        case .token:
            try TokenRegistry(dataDirectory: fixture.directory).revoke(id: credential.tokenID, at: fixture.clock.now)
            return nil
        case .expiringToken, .jwt:
            // A JWT is accepted for 60 seconds after its expiry.
            fixture.clock.advance(seconds: 71)
            for other in credentials.indices where [.expiringToken, .jwt].contains(credentials[other].kind) {
                credentials[other].isWithdrawn = true
            }
            return nil
        case .session:
            #expect(try await client.send("POST", "/v1/account/sign-out", as: credential.secret).status == 204)
            return nil
        case .account:
            let mark = nextMark()
            return Task {
                #expect(try await client.send("DELETE", "/v1/account", as: credential.secret).status == 204)
                return try await store.commit(Transaction("user:root", [mark])).revision
            }
        case .privilege:
            return Task { try await store.commit(Transaction("user:root", [.revoke("user:own", on: "class:own")])).revision }
        }
    }
}

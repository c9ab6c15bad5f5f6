import Credentials
import Events
import HTTPServer
import Identity
import Muniment
import Permissions
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("A credential that ends before the request body arrives, or during the request")
struct CredentialExpiryDuringRequestTests {
    /// A request with only its head sent. The body follows later.
    private struct Held {
        let service: MunimentService
        let request: HTTPRequest
        let answers: AsyncStream<HTTPResponse>

        /// - Throws: ``NotAdmitted`` if the service refuses the head.
        init(_ service: MunimentService, _ method: String, _ path: String, token: String, json: String) throws {
            self.service = service
            let (answers, continuation) = AsyncStream.makeStream(of: HTTPResponse.self)
            self.answers = answers
            let headers = [HTTPHeader("Authorization", "Bearer " + token), HTTPHeader("Content-Type", "application/json")]
            request = HTTPRequest(method: method, target: path, headers: headers, body: Array(json.utf8)) {
                continuation.yield($0)
                continuation.finish()
            }
            guard case .body = service.admit(request) else { throw NotAdmitted() }
        }

        /// Sends the body and returns the status.
        func status() async throws -> Int {
            if case .now(let response) = service.answer(request) { request.respond(response) }
            return try #require(await answers.first { _ in true }).status
        }
    }

    private struct NotAdmitted: Error {}

    private static func creation(of objects: String..., mode: String = "all") -> String {
        let changes = objects.map { #"{"op":"createObject","object":"\#($0)","value":1}"# }.joined(separator: ",")
        return #"{"mode":"\#(mode)","do":[\#(changes)]}"#
    }

    /// Prepares a class. Every user may create objects of it.
    private static let openClass: [Change] = [
        .defineClass("doc"), .grant("everyone", on: "store", ["create", "update"]), .grant("everyone", on: "class:doc", ["create"]),
    ]

    @Test(
        "I9 A change is refused if its author deletes the account while the body is arriving",
        .timeLimit(.minutes(60)))
    func deleted() async throws {
        try await withAccounts { fixture in
            for change in Self.openClass { try fixture.commit(change) }
            let ann = try await fixture.client.signUp("ann@example.com")
            let token = try fixture.service.token(.act(as: Name(ann.principal)))
            let held = try [ann.access, token].map { credential in
                try [
                    Held(
                        fixture.service.service, "POST", "/v1/stores/default/transactions", token: credential,
                        json: Self.creation(of: "doc:a", "doc:b", mode: "each")),
                    Held(fixture.service.service, "PUT", "/v1/stores/default/objects/doc:c", token: credential, json: "1"),
                    Held(
                        fixture.service.service, "POST", "/v1/stores/default/check", token: credential,
                        json: #"{"subject":"\#(ann.principal)","privilege":"read","object":"store"}"#),
                ]
            }
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: ann.access).status == 204)
            let hosted = try fixture.service.service.data.store(.default)
            let store = try #require(hosted).store
            let before = try store.head.revision
            for request in held.joined() { #expect(try await request.status() == 401, "\(request.request.path)") }
            #expect(try store.head.revision == before)
            #expect(try store.read { try $0.directAccess(of: Name(ann.principal)) }.isEmpty)
        }
    }

    @Test("I6 A session that is signed out while a body is arriving makes no change", .timeLimit(.minutes(60)))
    func signedOut() async throws {
        try await withAccounts { fixture in
            for change in Self.openClass { try fixture.commit(change) }
            let ann = try await fixture.client.signUp("ann@example.com")
            let held = try Held(
                fixture.service.service, "POST", "/v1/stores/default/transactions", token: ann.access,
                json: Self.creation(of: "doc:a"))
            #expect(try await fixture.client.send("POST", "/v1/account/sign-out", as: ann.access).status == 204)
            #expect(try await held.status() == 401)
            #expect(try fixture.service.service.data.store(.default)?.store.read { try $0.exists("doc:a") } == false)
        }
    }

    @Test("A token that is revoked while a body is arriving makes no change", .timeLimit(.minutes(60)))
    func revoked() async throws {
        try await withService { fixture in
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            let made = try registry.create(stores: .all, right: .administer, at: fixture.clock.now)
            let held = try Held(
                fixture.service, "POST", "/v1/stores", token: made.secret,
                json: #"{"store":"later","preset":"open","administrator":"user:root"}"#)
            try registry.revoke(id: made.token.id, at: fixture.clock.now)
            #expect(try await held.status() == 401)
            #expect(try fixture.service.data.names() == [.default])
        }
    }

    @Test("I6 Changes made one by one stop when the session ends, and earlier ones are kept", .timeLimit(.minutes(60)))
    func oneByOne() async throws {
        let ending = Mutex<(@Sendable () -> Void)?>(nil)
        try await withAccounts {
            let clock = $0.storeOptions.clock
            $0.storeOptions.clock = {
                // Reading the time is the first step of a commit.
                ending.withLock { $0.take() }?()
                return clock()
            }
        } _: { fixture in
            for change in Self.openClass { try fixture.commit(change) }
            let ann = try await fixture.client.signUp("ann@example.com")
            let accounts = try #require(fixture.service.service.accounts).accounts
            ending.withLock { $0 = { try? accounts.signOut(ann.access) } }
            let answer = try await fixture.door.send(
                "POST", "/v1/stores/default/transactions", token: ann.access,
                json: Self.creation(of: "doc:a", "doc:b", "doc:c", mode: "each"))
            #expect(answer.status == 401, "\(answer.text)")
            let hosted = try fixture.service.service.data.store(.default)
            let made = try #require(hosted).store.read { now in try ["doc:a", "doc:b", "doc:c"].map { try now.exists(Name($0)) } }
            #expect(made == [true, false, false])
        }
    }

    @Test(
        "I9 Revoking all access of a user waits for the user's running commits, up to a limit",
        .timeLimit(.minutes(60)))
    func onTheirWay() async {
        let commits = RunningCommits()
        let (began, begins) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let commit = Task {
            await commits.during("user:ann") {
                begins.finish()
                for await _ in ends {}
            }
        }
        for await _ in began {}
        #expect(!commits.waitForEnd(of: "user:ann", seconds: 0))
        #expect(commits.waitForEnd(of: "user:bob", seconds: 0))
        let waiting = Task { await blocking { commits.waitForEnd(of: "user:ann", seconds: 60) } }
        end.finish()
        #expect(await waiting.value)
        await commit.value
    }
}

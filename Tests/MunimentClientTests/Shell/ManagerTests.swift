import Events
import Synchronization
import TestSupport
import Testing

@testable import MunimentClient

@Suite("The shell of the client")
struct ManagerTests {
    private let email = EmailIdentityProvider(email: "ann@example.com", password: "secret word")

    /// Answers whatever a manager of one person asks.
    static let service: ScriptedTransport.Script = { request in
        switch request.path {
        case "/v1/accounts/sign-in": Answered.json(200, Answered.session(1))
        case "/v1/accounts/refresh": Answered.json(200, Answered.session(2, at: 590))
        case "/v1/account": Answered.json(200, Answered.account())
        case "/v1/account/recent-sign-in": Answered.json(200, ["secondsLeft": .integer(300), "maxAge": .integer(300)])
        default: Answered.problem(404, "not-found")
        }
    }

    @Test("Whoever signs in before the manager has had time to begin comes behind what was kept", .timeLimit(.minutes(10)))
    func beginning() async throws {
        let clock = ManualClock()
        for _ in 0..<20 {
            let store = RecordingStore(StoredSession(refresh: "r0", ends: clock.now.later(seconds: 1_000)))
            let manager = AuthManager(try .test(ScriptedTransport(ManagerTests.service), clock, store: store))
            try await manager.signIn(with: email)
            // Which of two requests gets to the service first is nobody's to say, but not what was kept in which order.
            #expect(store.saved.first == "r0", "its refresh was begun")
            #expect(store.saved.last == "r1")
        }
    }

    @Test("However many callers need a new token, one refresh is sent, and all go on with its token")
    func sharedRefresh() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(ManagerTests.service)
        let manager = AuthManager(try .test(transport, clock))
        try await manager.signIn(with: email)
        clock.advance(seconds: 590)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await manager.accessToken() } }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: "a2", count: 50))
        #expect(transport.count("POST /v1/accounts/refresh") == 1)
    }

    @Test(
        "I1 Every listener gets the present state first and then every change, and all of them the same",
        .timeLimit(.minutes(10)))
    func states() async throws {
        let manager = AuthManager(try .test(ScriptedTransport(ManagerTests.service), ManualClock()))
        // They listen from here on, whoever reads when.
        var listeners = (0..<3).map { _ in manager.states.makeAsyncIterator() }
        let ann = try await manager.signIn(with: email)
        #expect(manager.authenticationState == .authenticated(ann))
        try? await manager.signOut()
        try await manager.signIn(with: email)
        try? await manager.signOut()
        let changes: [AuthenticationState] = [
            .notAuthenticated, .authenticated(ann), .notAuthenticated, .authenticated(ann), .notAuthenticated,
        ]
        for index in listeners.indices {
            var seen: [AuthenticationState] = []
            // Whether it is known already that nobody is signed in when they begin to listen depends on which of the two comes first.
            while seen.suffix(5) != changes[...], let state = await listeners[index].next() { seen.append(state) }
            #expect(seen == changes || seen == [.notDetermined] + changes)
        }
    }

    @Test("What was kept brings the person back, and what is kept then is the new refresh token alone")
    func restored() async throws {
        let clock = ManualClock()
        let store = InMemorySessionStore(StoredSession(refresh: "r0", ends: clock.now.later(seconds: 1_000)))
        let transport = ScriptedTransport(ManagerTests.service)
        let manager = AuthManager(try .test(transport, clock, store: store))
        let state = await manager.states.first { $0 != .notDetermined }
        #expect(state?.user?.displayName == "Ann")
        #expect(store.load() == StoredSession(refresh: "r2", ends: Instant.newYear.later(seconds: 86_990)))
        #expect(transport.requests.map(\.body?["refresh"]) == [.string("r0")])
    }

    @Test("A service that is not reached at the start signs nobody out, and is asked until it answers")
    func unreachedAtStart() async throws {
        let clock = ManualClock()
        let store = InMemorySessionStore(StoredSession(refresh: "r0", ends: clock.now.later(seconds: 1_000)))
        let tries = Mutex(0)
        let transport = ScriptedTransport { request in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            return number < 20 ? .failure(.notSent("down")) : ManagerTests.service(request)
        }
        let manager = AuthManager(try .test(transport, clock, store: store))
        let states = await manager.states.prefix { $0 == .notDetermined }.reduce(into: 0) { count, _ in count += 1 }
        #expect(states <= 1)
        #expect(manager.authenticationState.user?.displayName == "Ann")
        #expect(transport.count("POST /v1/accounts/refresh") == 20)
        #expect(Set(transport.requests.map(\.body)).count == 1, "every try is the same request")
    }

    @Test("A session that cannot be read is reported and none; one that cannot be kept is reported, and goes on")
    func failingStore() async throws {
        struct Failing: SessionStore {
            struct Full: Error {}
            func load() throws -> StoredSession? { throw Full() }
            func save(_ session: StoredSession?) throws { throw Full() }
        }
        let reports = Mutex<[String]>([])
        var configuration = try AuthConfiguration.test(ScriptedTransport(ManagerTests.service), ManualClock(), store: Failing())
        configuration.report = { line in reports.withLock { $0.append(line) } }
        let manager = AuthManager(configuration)
        _ = try await manager.signIn(with: email)
        #expect(manager.authenticationState.user?.displayName == "Ann")
        #expect(reports.withLock { $0.count } == 2)
        #expect(reports.withLock { $0.allSatisfy { !$0.contains("r1") } })
    }

    @Test("I7 Whoever waits for the person and gives up is let go, and nothing was sent")
    func givingUp() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(ManagerTests.service)
        let manager = AuthManager(try .test(transport, clock))
        let person = SilentPerson()
        await manager.setReauthenticationDelegate(person)
        try await manager.signIn(with: email)
        clock.advance(seconds: 300)
        let change = Task { try await manager.updatePassword("another word") }
        await person.isAsked()
        change.cancel()
        await #expect(throws: AuthError.cancelledByUser) { try await change.value }
        #expect(transport.requests.map(\.description) == ["POST /v1/accounts/sign-in"])
    }

    @Test("I7 Without anybody to ask, a change that needs a recent sign-in fails with what it needs, and nothing is sent")
    func nobodyToAsk() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(ManagerTests.service)
        let manager = AuthManager(try .test(transport, clock))
        try await manager.signIn(with: email)
        clock.advance(seconds: 300)
        await #expect(throws: AuthError.recentSignInRequired(maxAgeSeconds: 300)) { try await manager.unlink("acme") }
        #expect(transport.requests.count == 1)
    }
}

/// What was kept in place of one another.
private final class RecordingStore: SessionStore {
    private let begun: StoredSession?
    private let kept = Mutex<[String?]>([])

    init(_ begun: StoredSession?) { self.begun = begun }

    /// The refresh tokens, in order.
    var saved: [String?] { kept.withLock { $0 } }

    func load() -> StoredSession? { begun }
    func save(_ session: StoredSession?) { kept.withLock { $0.append(session?.refresh) } }
}

/// A person who is asked and says nothing.
private final class SilentPerson: AuthManagerReauthenticating {
    private let (stream, continuation) = AsyncStream<Void>.makeStream()

    func isAsked() async { for await _ in stream { return } }

    func authManager(
        _ manager: AuthManager, reauthenticateUsing providers: [IdentityProviderUserInfo],
        challenge: ProfileChangeReauthenticationChallenge
    ) { continuation.yield() }
}

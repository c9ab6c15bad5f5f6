import Events
import Synchronization
import TestSupport
import Testing

@testable import MunimentClient

@Suite("Client manager")
struct ManagerTests {
    private let email = EmailIdentityProvider(email: "ann@example.com", password: "secret word")

    /// Responds to each request of a manager with one user.
    static let service: ScriptedTransport.Script = { request in
        switch request.path {
        case "/v1/accounts/sign-in": Answered.json(200, Answered.session(1))
        case "/v1/accounts/refresh": Answered.json(200, Answered.session(2, at: 590))
        case "/v1/account": Answered.json(200, Answered.account())
        case "/v1/account/recent-sign-in": Answered.json(200, ["secondsLeft": .integer(300), "maxAge": .integer(300)])
        default: Answered.problem(404, "not-found")
        }
    }

    @Test("A sign-in before the manager has loaded the stored session takes effect after it", .timeLimit(.minutes(60)))
    func beginning() async throws {
        let clock = ManualClock()
        for _ in 0..<20 {
            let store = RecordingStore(StoredSession(refresh: "r0", ends: clock.now.later(seconds: 1_000)))
            let manager = AuthManager(try .test(ScriptedTransport(ManagerTests.service), clock, store: store))
            try await manager.signIn(with: email)
            // The two requests may arrive in any order, but the sessions are saved in a fixed order.
            #expect(store.saved.first == "r0", "its refresh was begun")
            #expect(store.saved.last == "r1")
        }
    }

    @Test("If many callers need a new token, the manager sends one refresh and all callers get its token")
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
        "I1 Each listener gets the current state first and then every change; all listeners get the same",
        .timeLimit(.minutes(60)))
    func states() async throws {
        let manager = AuthManager(try .test(ScriptedTransport(ManagerTests.service), ManualClock()))
        // The listeners start here; the time of their reads does not matter.
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
            // Each listener may also see `notDetermined` first, depending on how soon the manager starts.
            while seen.suffix(5) != changes[...], let state = await listeners[index].next() { seen.append(state) }
            #expect(seen == changes || seen == [.notDetermined] + changes)
        }
    }

    @Test("A stored session signs the user in, and then the store holds only the new refresh token")
    func restored() async throws {
        let clock = ManualClock()
        let store = InMemorySessionStore(StoredSession(refresh: "r0", ends: clock.now.later(seconds: 1_000)))
        let transport = ScriptedTransport(ManagerTests.service)
        let manager = AuthManager(try .test(transport, clock, store: store))
        let state = await manager.states.first { $0 != .notDetermined }
        #expect(state?.user?.displayName == "Ann")
        #expect(store.load() == StoredSession(refresh: "r2", ends: Instant.newYear.later(seconds: 86_990)))
        #expect(try transport.requests.map { try $0.member("refreshToken") } == [.string("r0")])
    }

    @Test("If the service is unreachable at the start, the user stays signed in and the manager retries until it answers")
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

    @Test("A session that cannot be read is reported and ignored; one that cannot be saved is reported and still used")
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

    @Test("I7 A caller that cancels while the user is asked returns, and nothing is sent")
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

    @Test("I7 Without a delegate, a change that needs a recent sign-in fails with the reason, and sends nothing")
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

/// Records each saved session.
private final class RecordingStore: SessionStore {
    private let begun: StoredSession?
    private let kept = Mutex<[String?]>([])

    init(_ begun: StoredSession?) { self.begun = begun }

    /// The saved refresh tokens, in order.
    var saved: [String?] { kept.withLock { $0 } }

    func load() -> StoredSession? { begun }
    func save(_ session: StoredSession?) { kept.withLock { $0.append(session?.refresh) } }
}

/// A user who never answers a challenge.
private final class SilentPerson: AuthManagerReauthenticating {
    private let (stream, continuation) = AsyncStream<Void>.makeStream()

    func isAsked() async { for await _ in stream { return } }

    func authManager(
        _ manager: AuthManager, reauthenticateUsing providers: [IdentityProviderUserInfo],
        challenge: ProfileChangeReauthenticationChallenge
    ) { continuation.yield() }
}

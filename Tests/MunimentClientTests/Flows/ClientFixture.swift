import Events
import Identity
import IdentitySupport
import Muniment
import OpenIDConnect
import Permissions
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import MunimentClient
@testable import Service

/// A running service with accounts, and managers that connect to it over sockets and use the same clock.
struct ClientFixture {
    let service: ServiceFixture
    let mails: KeptMails
    let address: ServiceAddress

    var clock: ManualClock { service.clock }

    /// Creates a device: a manager, and a transport that records its requests.
    func device(
        _ name: String = "laptop", store: any SessionStore = InMemorySessionStore(), clockBehindSeconds: Int64 = 0
    ) -> (manager: AuthManager, wire: WatchedTransport) {
        let wire = WatchedTransport(SystemTransport(address, timeoutSeconds: 1_200))
        let clock = clock
        var configuration = AuthConfiguration(service: address, store: store, device: name)
        configuration.transport = wire
        configuration.clock = { clock.now.later(seconds: -clockBehindSeconds) }
        configuration.pause = { _ in }
        return (AuthManager(configuration), wire)
    }

    static let ann = EmailIdentityProvider(email: "ann@example.com", password: "a long password")

    /// Signs Ann up on a device, with the code from her mail.
    @discardableResult func signUpAnn(on manager: AuthManager) async throws -> AuthUser {
        _ = try await manager.signUp(with: ClientFixture.ann, displayName: "Ann")
        return try await manager.verify(try await code())
    }

    /// Returns the code of a new mail to `email`, after the first `count` mails.
    func code(to email: String = "ann@example.com", after count: Int = 0) async throws -> String {
        try await mails.nextCode(to: email, after: count)
    }

    /// Makes changes in the default store as its administrator.
    func commit(_ changes: Change...) throws {
        try service.service.data.store(.default)?.store.commit(Transaction("user:root", changes))
    }

    /// Returns whether the object exists in the default store.
    func hasObject(_ name: Name) throws -> Bool {
        try service.service.data.store(.default)?.store.read { try $0.exists(name) } ?? false
    }
}

/// A transport that records each request, and drops the responses that the test selects.
final class WatchedTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let state = Mutex<(sent: [String], losing: Set<String>)>(([], []))
    private let meanwhile = Mutex<[String: @Sendable () -> Void]>([:])

    init(_ inner: any HTTPTransport) { self.inner = inner }

    /// Returns the requests sent since the last call.
    func takeSent() -> [String] {
        state.withLock { state in
            defer { state.sent = [] }
            return state.sent
        }
    }

    /// Drops the response to the next matching request. The service still executes the request.
    func loseAnswer(to request: String) { state.withLock { _ = $0.losing.insert(request) } }

    /// Runs a closure after the service executes the next matching request, before the response arrives.
    func whenSent(_ request: String, _ body: @escaping @Sendable () -> Void) { meanwhile.withLock { $0[request] = body } }

    func send(_ request: ServiceRequest) async throws(TransportError) -> ServiceResponse {
        let isLost = state.withLock { state in
            state.sent.append(request.description)
            return state.losing.remove(request.description) != nil
        }
        let answer = try await inner.send(request)
        meanwhile.withLock { $0.removeValue(forKey: request.description) }?()
        if isLost { throw .noAnswer("the answer was lost") }
        return answer
    }

    /// The manager opens no streams.
    func open(_ request: ServiceRequest) async throws(TransportError) -> any ResponseStream {
        throw .notSent("the test has no streams")
    }
}

/// Runs a test with a service that has accounts.
func withClients(
    _ change: @escaping (inout AccountServiceSettings) -> Void = { _ in }, _ body: (ClientFixture) async throws -> Void
) async throws {
    let mails = KeptMails()
    try await withService { settings in
        var options = AccountServiceSettings(mailer: mails)
        change(&options)
        settings.accounts = options
    } _: { service in
        let address = try ServiceAddress("http://127.0.0.1:\(try service.listen())")
        try await body(ClientFixture(service: service, mails: mails, address: address))
    }
}

/// An OpenID provider in a separate process. The service accepts it as `acme`.
struct Acme {
    let process: OpenIDProcess
    static let id = IdentityProviderID("acme")
    static let redirectURI = "http://127.0.0.1/back"

    private let settings: OpenIDSettings

    /// - Parameter users: the claims of each user, by subject.
    init(users: [String: JSONObject]) throws {
        process = try OpenIDProcess(users: users)
        settings = try OpenIDSettings(
            id: try #require(ProviderID(Acme.id.text)), issuer: process.issuer, clientID: "client", clientSecret: "secret",
            redirectURIs: [Acme.redirectURI], trustsEmail: true, priority: 20)
    }

    /// Adds this provider to the service's options.
    func add(to options: inout AccountServiceSettings) { options.providers.append(OpenIDProvider(settings)) }

    /// Signs in as the user does in the browser, then finishes the sign-in with the redirect, as the application does.
    func provider(
        _ manager: AuthManager, as subject: String, isReauthentication: Bool = false
    ) async throws -> OpenIDIdentityProvider {
        let beginning = try await manager.beginOpenID(
            Acme.id, redirectURI: Acme.redirectURI, isReauthentication: isReauthentication)
        let answer = try process.signIn(at: beginning.authorizationURL, as: subject)
        let query = answer.map { "\($0)=\(FormFields.escaped($1))" }.joined(separator: "&")
        return try beginning.finish(redirectedTo: "\(Acme.redirectURI)?\(query)")
    }
}

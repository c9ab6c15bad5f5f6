internal import Foundation
public import Primitives
internal import Synchronization

/// Manages the signed-in user of this device and the user's account (CONFORMANCE I1).
///
/// A separate state machine makes all decisions; this actor performs its effects and passes events to it. Any task can call the
/// methods. Each call:
///
/// - waits until the authentication state is known,
/// - refreshes expiring tokens,
/// - repeats the request if the service cannot have processed it,
/// - ends with a result or an ``AuthError``.
public actor AuthManager {
    private var machine: AuthMachine
    private let transport: any HTTPTransport
    private let configuration: AuthConfiguration
    private let broadcast = StateBroadcast()
    private var callers: [JobID: CheckedContinuation<Result<AuthValue, AuthError>, Never>] = [:]
    private var lastJob: UInt64 = 0
    private var events: [AuthEvent] = []
    private var isHandling = false
    private var isStarted = false
    private weak var delegate: (any AuthManagerReauthenticating)?
    /// The requested new email, which a challenge shows.
    var emailToConfirm = ""

    /// Starts the manager, which determines the authentication state.
    ///
    /// - Parameter configuration: the service, and the session store.
    public init(_ configuration: AuthConfiguration) {
        self.configuration = configuration
        machine = AuthMachine(policy: configuration.retries)
        transport =
            configuration.transport ?? SystemTransport(configuration.service, timeoutSeconds: configuration.timeoutSeconds)
        Task { [weak self] in await self?.start() }
    }

    /// The authentication state, as far as it is known.
    public nonisolated var authenticationState: AuthenticationState { broadcast.state }

    /// The current state, followed by every change.
    public nonisolated var states: AuthenticationStateSequence { AuthenticationStateSequence(broadcast: broadcast) }

    /// The identity that is linked with the next sign-in by one of its providers; nil if it does not exist.
    public var pendingLink: PendingLink? { machine.pendingLink }

    /// Sets the delegate that asks the user to reauthenticate. The manager keeps a weak reference.
    public func setReauthenticationDelegate(_ delegate: (any AuthManagerReauthenticating)?) { self.delegate = delegate }

    var device: String? { configuration.device }

    func sentCode(_ use: SentCodeUse) throws(AuthError) -> SentCode {
        guard let sent = machine.sentCodes[use] else { throw .nothingToVerify }
        return sent
    }

    /// Runs a job and waits for its result. If the task is cancelled, only a sign-out is started.
    func perform(_ job: AuthJob) async throws(AuthError) -> AuthValue {
        start()
        // `onCancel` runs before the job exists and cannot cancel it. Without this check, the job would be sent.
        if Task.isCancelled, job.reading != .signedOut { throw .cancelledByUser }
        lastJob += 1
        let id = JobID(number: lastJob)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                callers[id] = continuation
                take(.asked(id, job))
            }
        } onCancel: {
            Task { await self.take(.givenUp(id)) }
        }
        return try result.get()
    }

    func cancelChallenge(_ challenge: ProfileChangeReauthenticationChallenge) { take(.challengeCancelled(challenge.id)) }

    /// Loads the stored session before any other event, so that a new sign-in replaces it.
    private func start() {
        guard !isStarted else { return }
        isStarted = true
        do { take(.started(try configuration.store.load())) } catch {
            configuration.report("the session of this device cannot be read: \(error)")
            take(.started(nil))
        }
    }

    /// Passes an event to the machine and performs its effects. Events that arrive meanwhile are handled afterwards.
    private func take(_ event: AuthEvent) {
        events.append(event)
        guard !isHandling else { return }
        isHandling = true
        defer { isHandling = false }
        while !events.isEmpty {
            let nonce = randomText()
            for effect in machine.handle(events.removeFirst(), at: configuration.clock(), nonce: nonce) { execute(effect) }
        }
    }

    private func execute(_ effect: AuthEffect) {
        switch effect {
        case .keep(let session):
            do { try configuration.store.save(session) } catch {
                configuration.report("the session of this device cannot be stored, and ends with the process: \(error)")
            }
        case .tell(let state): broadcast.tell(state)
        case .send(let sender, let request):
            let transport = transport
            Task {
                let outcome: Result<ServiceResponse, TransportError>
                do throws(TransportError) { outcome = .success(try await transport.send(request.encoded())) } catch {
                    outcome = .failure(error)
                }
                take(.answered(sender, outcome))
            }
        case .wait(let sender, let milliseconds):
            let pause = configuration.pause
            Task { [weak self] in
                await pause(milliseconds)
                await self?.take(.waited(sender))
            }
        case .challenge(let challenge, let providers):
            guard let delegate else { return take(.challengeUnheard(challenge.id)) }
            Task { await delegate.authManager(self, reauthenticateUsing: providers, challenge: challenge) }
        case .finish(let id, let result): callers.removeValue(forKey: id)?.resume(returning: result)
        }
    }
}

extension AuthManager {
    private static let configured = Mutex<AuthManager?>(nil)

    /// Creates ``shared``. Call it once, early in the life of an application.
    ///
    /// - Parameter configuration: the service, and the session store.
    @discardableResult public static func configure(_ configuration: AuthConfiguration) -> AuthManager {
        configured.withLock { manager in
            precondition(manager == nil, "AuthManager.configure was called before; make further managers with AuthManager(_:)")
            let made = AuthManager(configuration)
            manager = made
            return made
        }
    }

    /// The manager of the application. Call ``configure(_:)`` first.
    public static var shared: AuthManager {
        guard let manager = configured.withLock({ $0 }) else { preconditionFailure("call AuthManager.configure first") }
        return manager
    }
}

/// The configuration of a manager.
public struct AuthConfiguration: Sendable {
    public var service: ServiceAddress
    /// Stores the session between two starts of the process.
    public var store: any SessionStore
    /// The name of this device in the list of sessions, at most 128 bytes; nil for no name.
    public var device: String?
    /// How failed requests are repeated.
    public var retries = RetryPolicy()
    /// The timeout of a request in seconds.
    public var timeoutSeconds = 15
    /// Called with an error if the session could not be stored on this device. The text contains no secrets.
    public var report: @Sendable (String) -> Void = { _ in }
    /// Returns the current time. It decides when tokens are renewed and whether a sign-in is recent.
    public var clock: @Sendable () -> Instant = { Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
    /// Waits for the given time. Returns early if the task is cancelled.
    var pause: @Sendable (_ milliseconds: Int64) async -> Void = { try? await Task.sleep(for: .milliseconds($0)) }
    /// Sends the requests to the service; nil for HTTP.
    public var transport: (any HTTPTransport)?

    /// - Parameters:
    ///   - service: the address of the service.
    ///   - store: stores the session. The default is in memory, so the session is lost when the process ends.
    ///   - device: the name of this device in the list of sessions.
    public init(service: ServiceAddress, store: any SessionStore = InMemorySessionStore(), device: String? = nil) {
        self.service = service
        self.store = store
        self.device = device
    }
}

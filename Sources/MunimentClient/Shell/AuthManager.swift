internal import Secrets
internal import Synchronization

/// Who is signed in on this device, and everything that they can do about their account (CONFORMANCE I1).
///
/// A state machine of its own decides; this carries out what it wants and brings it what happens. Calls can come from any task. Each
/// one waits until it is known who is signed in, gets new tokens where the old ones end, is sent again where nothing can have been
/// done, and ends with a result or an ``AuthError``.
public actor AuthManager {
    private var machine: AuthMachine
    private let transport: any AuthTransport
    private let configuration: AuthConfiguration
    private let broadcast = StateBroadcast()
    private var callers: [JobID: CheckedContinuation<Result<AuthValue, AuthError>, Never>] = [:]
    private var lastJob: UInt64 = 0
    private var events: [AuthEvent] = []
    private var isHandling = false
    private var isStarted = false
    private weak var delegate: (any AuthManagerReauthenticating)?
    /// What the code for another email was asked for: a challenge shows it.
    var emailToConfirm = ""

    /// Begins to find out who is signed in.
    ///
    /// - Parameter configuration: the service, and where the session is kept.
    public init(_ configuration: AuthConfiguration) {
        self.configuration = configuration
        machine = AuthMachine(policy: configuration.retries)
        transport = configuration.transport ?? ServiceTransport(configuration.service, timeoutSeconds: configuration.timeoutSeconds)
        Task { [weak self] in await self?.start() }
    }

    /// Whether somebody is signed in, as far as that is known now.
    public nonisolated var authenticationState: AuthenticationState { broadcast.state }

    /// The present state, and then every change of it.
    public nonisolated var states: AuthenticationStates { AuthenticationStates(broadcast: broadcast) }

    /// What is linked behind the next sign-in by one of its providers; nil where nothing is.
    public var pendingLink: PendingLink? { machine.pendingLink }

    /// Who asks the person to show anew who they are. It is not kept alive here.
    public func setReauthenticationDelegate(_ delegate: (any AuthManagerReauthenticating)?) { self.delegate = delegate }

    var device: String? { configuration.device }

    func sentCode(_ use: SentCodeUse) throws(AuthError) -> SentCode {
        guard let sent = machine.sentCodes[use] else { throw .nothingToVerify }
        return sent
    }

    /// Has something done, and waits for what comes of it. Nothing is begun for a task that is cancelled, except signing out.
    func perform(_ job: AuthJob) async throws(AuthError) -> AuthValue {
        start()
        // Its `onCancel` runs before there is a job to give up: one that is sent at once would be sent nevertheless.
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

    /// Brings in what was kept, before anything else: whoever signs in comes behind the one who was signed in.
    private func start() {
        guard !isStarted else { return }
        isStarted = true
        do { take(.started(try configuration.store.load())) } catch {
            configuration.report("the session of this device cannot be read: \(error)")
            take(.started(nil))
        }
    }

    /// Has the machine take in what happened, and carries out what it wants. What happens meanwhile comes behind it.
    private func take(_ event: AuthEvent) {
        events.append(event)
        guard !isHandling else { return }
        isHandling = true
        defer { isHandling = false }
        while !events.isEmpty {
            let nonce = Base64URL.encode(Secrets.randomBytes(16))
            for effect in machine.handle(events.removeFirst(), at: configuration.clock(), nonce: nonce) { carryOut(effect) }
        }
    }

    private func carryOut(_ effect: AuthEffect) {
        switch effect {
        case .keep(let session):
            do { try configuration.store.save(session) } catch {
                configuration.report("the session of this device cannot be kept, and is over with the process: \(error)")
            }
        case .tell(let state): broadcast.tell(state)
        case .send(let sender, let request):
            let transport = transport
            Task {
                let outcome: Result<AuthAnswer, AuthTransportFailure>
                do throws(AuthTransportFailure) { outcome = .success(try await transport.send(request)) } catch {
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

    /// Makes ``shared``, once, early in the life of an application.
    ///
    /// - Parameter configuration: the service, and where the session is kept.
    /// - Returns: the manager.
    @discardableResult public static func configure(_ configuration: AuthConfiguration) -> AuthManager {
        configured.withLock { manager in
            precondition(manager == nil, "AuthManager.configure was called before; make further managers with AuthManager(_:)")
            let made = AuthManager(configuration)
            manager = made
            return made
        }
    }

    /// The manager of the application: ``configure(_:)`` comes before.
    public static var shared: AuthManager {
        guard let manager = configured.withLock({ $0 }) else { preconditionFailure("call AuthManager.configure first") }
        return manager
    }
}

import Dispatch
import Files
import Glibc
import Synchronization

/// Handles signals while this object exists.
final class SignalHandler {
    /// The signals that end a process.
    static let stops = [SIGTERM, SIGINT]

    private let sources: [any DispatchSourceSignal]

    /// - Parameters:
    ///   - signals: the numbers of the signals.
    ///   - queue: the queue that calls `handler`.
    ///   - handler: called with the number of each signal.
    init(_ signals: [Int32], on queue: DispatchQueue = .global(), _ handler: @escaping @Sendable (Int32) -> Void) {
        unblockSignals(signals)
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            // A signal that arrives before the registration is ignored.
            let registered = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { registered.signal() }
            source.activate()
            registered.wait()
            return source
        }
    }

    deinit { cancel() }

    /// Ignores the signals from now on.
    func cancel() { for source in sources { source.cancel() } }
}

/// The signals that end a service: the first one gracefully, a second one immediately.
final class StopSignal {
    private let came = DispatchSemaphore(value: 0)
    private let handler: SignalHandler

    init() {
        let (came, stopping) = (came, Stopping())
        handler = SignalHandler(SignalHandler.stops) { number in
            guard !stopping.hasBegun.exchange(true, ordering: .relaxed) else { _exit(128 + number) }
            came.signal()
        }
    }

    /// Waits for the first signal. A second one is handled while this object exists.
    func wait() { came.wait() }
}

private final class Stopping: Sendable {
    let hasBegun = Atomic(false)
}

/// SIGHUP, the signal to reload files.
final class ReloadSignal {
    private let action: Action
    private let handler: SignalHandler

    private final class Action: Sendable {
        let reload: Mutex<@Sendable () -> Void>

        init(_ reload: @escaping @Sendable () -> Void) { self.reload = Mutex(reload) }
    }

    /// - Parameter reload: called for each signal, one call at a time.
    init(_ reload: @escaping @Sendable () -> Void) {
        let action = Action(reload)
        self.action = action
        handler = SignalHandler([SIGHUP], on: DispatchQueue(label: "reloading")) { _ in action.reload.withLock { $0 }() }
    }

    /// Calls `reload` for later signals.
    func replace(with reload: @escaping @Sendable () -> Void) { action.reload.withLock { $0 = reload } }

    /// Ignores the signal from now on.
    func cancel() { handler.cancel() }
}

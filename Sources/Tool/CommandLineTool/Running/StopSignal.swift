import Dispatch
import Files
import Glibc
import Synchronization

/// The signals that end a service: the first one gracefully, a second one immediately.
final class StopSignal {
    private let came = DispatchSemaphore(value: 0)
    private let sources: [any DispatchSourceSignal]

    init() {
        let (came, stopping) = (came, Stopping())
        sources = startStopSources { number in
            guard !stopping.hasBegun.exchange(true, ordering: .relaxed) else { _exit(128 + number) }
            came.signal()
        }
    }

    /// Waits for the first signal. A second one is handled while this object exists.
    func wait() { came.wait() }
}

/// Handles SIGTERM and SIGINT while this object exists.
final class Interruption {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter handler: called with the number of the signal.
    init(_ handler: @escaping @Sendable (Int32) -> Void) { sources = startStopSources(handler) }

    deinit { for source in sources { source.cancel() } }
}

/// Returns sources that call `handler` with the number of each signal that is to end the process.
private func startStopSources(_ handler: @escaping @Sendable (Int32) -> Void) -> [any DispatchSourceSignal] {
    unblockSignals([SIGTERM, SIGINT])
    return [SIGTERM, SIGINT].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { handler(number) }
        source.start()
        return source
    }
}

/// SIGHUP, the signal to reload files.
final class ReloadSignal {
    private let source: any DispatchSourceSignal
    private let action: Action

    private final class Action: Sendable {
        let reload: Mutex<@Sendable () -> Void>

        init(_ reload: @escaping @Sendable () -> Void) { self.reload = Mutex(reload) }
    }

    /// - Parameter reload: called for each signal, one call at a time.
    init(_ reload: @escaping @Sendable () -> Void) {
        unblockSignals([SIGHUP])
        signal(SIGHUP, SIG_IGN)
        let action = Action(reload)
        self.action = action
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "reloading"))
        source.setEventHandler { action.reload.withLock { $0 }() }
        source.start()
    }

    /// Calls `reload` for later signals.
    func replace(with reload: @escaping @Sendable () -> Void) { action.reload.withLock { $0 = reload } }

    /// Ignores the signal from now on.
    func cancel() { source.cancel() }
}

extension DispatchSourceSignal {
    /// Activates the source, and waits until it is registered: a signal that arrives earlier is ignored.
    fileprivate func start() {
        let registered = DispatchSemaphore(value: 0)
        setRegistrationHandler { registered.signal() }
        activate()
        registered.wait()
    }
}

private final class Stopping: Sendable {
    let hasBegun = Atomic(false)
}

import Dispatch
import Files
import Glibc
import Synchronization

/// The signals that end a service: the first one gracefully, a second one immediately.
final class StopSignal {
    private let came = DispatchSemaphore(value: 0)
    private let sources: [any DispatchSourceSignal]

    init() {
        unblockSignals([SIGTERM, SIGINT])
        let (came, stopping) = (came, Stopping())
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                guard !stopping.hasBegun.exchange(true, ordering: .relaxed) else { _exit(128 + number) }
                came.signal()
            }
            source.start()
            return source
        }
    }

    /// Waits for the first signal. A second one is handled while this object exists.
    func wait() { came.wait() }
}

/// SIGHUP, the signal to reload files.
final class ReloadSignal {
    private let source: any DispatchSourceSignal

    /// - Parameter reload: called for each signal, one call at a time.
    init(_ reload: @escaping @Sendable () -> Void) {
        unblockSignals([SIGHUP])
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "reloading"))
        source.setEventHandler(handler: reload)
        source.start()
    }

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

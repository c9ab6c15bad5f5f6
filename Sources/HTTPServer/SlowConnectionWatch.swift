internal import Dispatch

/// Ends slow connections, once a second.
struct SlowConnectionWatch: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    init(_ engine: Engine) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "slow connections"))
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { engine.endSlowConnections() }
        timer.activate()
    }

    func cancel() { timer.cancel() }
}

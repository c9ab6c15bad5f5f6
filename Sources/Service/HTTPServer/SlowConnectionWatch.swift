internal import Dispatch

/// Closes slow connections, and stops servers without connections, once a second.
struct SlowConnectionWatch: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    init(_ engine: Engine, _ daemons: Daemons) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "slow connections"))
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler {
            engine.endSlowConnections()
            daemons.stopEmptied()
        }
        timer.activate()
    }

    func cancel() { timer.cancel() }
}

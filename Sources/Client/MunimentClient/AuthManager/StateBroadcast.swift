internal import Synchronization

/// Publishes the state to readers and subscribers.
final class StateBroadcast: Sendable {
    private struct Content {
        var state = AuthenticationState.notDetermined
        var listeners: [UInt64: AsyncStream<AuthenticationState>.Continuation] = [:]
        var last: UInt64 = 0
    }

    private let content = Mutex(Content())

    var state: AuthenticationState { content.withLock { $0.state } }

    /// Sends a state to all subscribers.
    func tell(_ state: AuthenticationState) {
        content.withLock { content in
            content.state = state
            for listener in content.listeners.values { listener.yield(state) }
        }
    }

    /// Returns a stream that starts with the current state and contains every later change.
    func listen() -> AsyncStream<AuthenticationState> {
        let (stream, continuation) = AsyncStream.makeStream(of: AuthenticationState.self)
        content.withLock { content in
            content.last += 1
            let id = content.last
            content.listeners[id] = continuation
            continuation.onTermination = { [weak self] _ in self?.forget(id) }
            continuation.yield(content.state)
        }
        return stream
    }

    private func forget(_ id: UInt64) { _ = content.withLock { $0.listeners.removeValue(forKey: id) } }
}

/// The states of a manager: the current one, and then every change, in order. Each loop has a separate subscription.
public struct AuthenticationStateSequence: AsyncSequence, Sendable {
    public typealias Element = AuthenticationState

    let broadcast: StateBroadcast

    public func makeAsyncIterator() -> AsyncStream<AuthenticationState>.Iterator { broadcast.listen().makeAsyncIterator() }
}

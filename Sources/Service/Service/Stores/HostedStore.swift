internal import Muniment

/// A store that the service has open.
final class HostedStore: Sendable {
    let name: StoreName
    let store: Store

    let decisions = DecisionCounts()
    /// Nil if the store has no decision log.
    let decisionLog: DecisionLog?

    init(_ name: StoreName, _ store: Store, _ decisionLog: DecisionLog?) {
        self.name = name
        self.store = store
        self.decisionLog = decisionLog
    }
}

internal import Muniment

/// A store that the service has open.
final class HostedStore: Sendable {
    let name: StoreName
    let store: Store

    init(_ name: StoreName, _ store: Store) {
        self.name = name
        self.store = store
    }
}

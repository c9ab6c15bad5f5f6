public import Events

/// What changes at a place in an object's value (``Store/observe(_:at:as:since:)``).
///
/// Each iteration is an observation of its own, and begins where the sequence does.
public struct ObservedChanges: AsyncSequence, Sendable {
    public typealias Element = ObservedChange
    public typealias Failure = ObservationEnd

    let store: Store
    let start: Observer

    /// The revision behind which it begins.
    public var since: Revision { start.revision }

    public func makeAsyncIterator() -> Iterator { Iterator(store: store, observer: start) }

    /// One observation. Nothing is kept for it outside of itself but while it waits.
    public struct Iterator: AsyncIteratorProtocol {
        private let store: Store
        private var observer: Observer
        /// The rest of a commit's changes, the next one last.
        private var pending: [ObservedChange] = []
        private var hasEnded = false

        init(store: Store, observer: Observer) {
            self.store = store
            self.observer = observer
        }

        /// The next change; waits for it. Nil once the task is cancelled, and after the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ObservationEnd) -> ObservedChange? {
            while !hasEnded, !Task.isCancelled {
                if let change = pending.popLast() { return change }
                switch store.look(&observer) {
                case .changes(let changes) where changes.isEmpty: await Task.yield()
                case .changes(let changes): pending = changes.reversed()
                case .more: await Task.yield()
                case .nothing(let things): await store.waitForCommits(behind: observer.revision, touching: things)
                case .end(let end):
                    hasEnded = true
                    throw end
                }
            }
            hasEnded = true
            return nil
        }
    }
}

public import Events

/// The changes at a path in an object's value (``Store/observe(_:at:as:since:)``).
///
/// Each iteration is a separate observation, and begins at the start of the sequence.
public struct ObservedChanges: AsyncSequence, Sendable {
    public typealias Element = ObservedChange
    public typealias Failure = ObservationEnd

    let store: Store
    let start: Observer

    /// The revision before the first observed one.
    public var since: Revision { start.revision }

    public func makeAsyncIterator() -> Iterator { Iterator(store: store, observer: start) }

    /// One observation. The store keeps state for it only while it waits.
    public struct Iterator: AsyncIteratorProtocol {
        private let store: Store
        private var observer: Observer
        /// The remaining changes of a commit, the next one last.
        private var pending: [ObservedChange] = []
        private var hasEnded = false

        init(store: Store, observer: Observer) {
            self.store = store
            self.observer = observer
        }

        /// Waits for the next change and returns it. Returns nil after the task was cancelled, and after the end.
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

public import Events
internal import Permissions

/// The changes at a path in an object's value (``Store/observe(_:at:as:since:)``).
///
/// Each iteration is a separate observation, and begins at the start of the sequence.
public struct ObservedChangeSequence: AsyncSequence, Sendable {
    public typealias Element = ObservedChange
    public typealias Failure = ObservationError

    let store: Store
    let start: Observer

    /// The revision before the first observed one.
    public var since: Revision { start.revision }

    public func makeAsyncIterator() -> Iterator { Iterator(store: store, observer: start) }

    /// One observation. The store keeps state for it only while it waits.
    public struct Iterator: AsyncIteratorProtocol {
        private let store: Store
        private var observer: Observer
        /// The remaining changes of a commit. The last element is the next change.
        private var pending: [ObservedChange] = []
        private var hasEnded = false
        /// The position of the observation, for other tasks.
        public let position: FeedPosition

        init(store: Store, observer: Observer) {
            self.store = store
            self.observer = observer
            position = FeedPosition(store.feed)
        }

        /// Returns whether the observer may read the object now, and it is not another object of the same name. A change that was
        /// delivered late may have a value that the observer may no longer read.
        package func mayReadNow() -> Bool { store.mayReadNow(observer) }

        /// Waits for the next change and returns it. Returns nil after the task was cancelled, and after the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ObservationError) -> ObservedChange? {
            while !hasEnded, !Task.isCancelled {
                if let change = pending.popLast() { return change }
                switch store.look(&observer) {
                case .changes(let changes) where changes.isEmpty: await Task.yield()
                case .changes(let changes): pending = changes.reversed()
                case .more: await Task.yield()
                case .nothing(let entities):
                    await store.waitForCommits(after: observer.revision, touching: entities, telling: position)
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

/// One change that a commit made at the observed path.
///
/// A commit with several changes there causes several of these, all with its revision: first the changes of children, in the
/// order of their names, and last the change of the value itself. After the last one the receiver has the whole step.
public struct ObservedChange: Hashable, Sendable {
    /// The revision of the change.
    public let revision: Revision
    /// The time of the commit.
    public let time: Instant
    /// The actor of the commit.
    public let actor: Name
    public let kind: Kind

    public init(revision: Revision, time: Instant, actor: Name, kind: Kind) {
        self.revision = revision
        self.time = time
        self.actor = actor
        self.kind = kind
    }

    /// The kind of change. Children are the members of the object at the path, or the elements of the array there under their
    /// indexes; other values have no children.
    public enum Kind: Hashable, Sendable {
        case childAdded(name: String, value: JSONValue)
        case childChanged(name: String, before: JSONValue, after: JSONValue)
        case childRemoved(name: String, before: JSONValue)
        /// The value at the path has changed; nil if the path does not exist.
        case valueChanged(before: JSONValue?, after: JSONValue?)
    }
}

extension ObservedChange.Kind {
    /// Returns the changes from one value to another at the same path, in the order of delivery. Linear in the values.
    static func changes(from before: JSONValue?, to after: JSONValue?) -> [ObservedChange.Kind] {
        guard before != after else { return [] }
        let (old, new) = (before?.children ?? [:], after?.children ?? [:])
        let names = Set(old.keys).union(new.keys).sorted()
        let children = names.compactMap { name -> ObservedChange.Kind? in
            switch (old[name], new[name]) {
            case (nil, let value?): .childAdded(name: name.text, value: value)
            case (let before?, nil): .childRemoved(name: name.text, before: before)
            case (let before?, let after?) where before != after:
                .childChanged(name: name.text, before: before, after: after)
            default: nil
            }
        }
        return children + [.valueChanged(before: before, after: after)]
    }
}

/// The reason an observation ended. All earlier changes were delivered before.
public enum ObservationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The caller may not read the object at this revision, even if it may again later.
    case accessEnded(at: Revision)
    /// The object was deleted, directly or with an object above it. A later object of the same name is a different object.
    case objectDeleted(at: Revision)
    /// The store was closed. After reopening it, observing can continue from the last delivered revision.
    case storeClosed
    /// The store cannot be read.
    case unreadable(why: String)

    public var description: String {
        switch self {
        case .accessEnded(let revision):
            "the caller may not read the object at revision \(revision): observe from a later revision with read access"
        case .objectDeleted(let revision): "the object was deleted at revision \(revision): observe another one"
        case .storeClosed: "the store was closed: open it, and observe since the last revision that was delivered"
        case .unreadable(let why): "the store cannot be read (\(why)): repair it, and observe since the last revision delivered"
        }
    }
}

internal import EventLog
internal import Files
internal import Projections
internal import Synchronization

/// The index that a store reads. A writer in another process can fold a new one in its place; whoever reads on notices, and
/// moves on to that.
final class IndexInUse: Sendable {
    private let folder: StoreFolder
    private let state: Mutex<State>
    /// The log's stamp when the index was last found in its place.
    private let seenStamp: Atomic<Int>

    private struct State {
        var index: Index
        var identity: FileIdentity?
        /// Those that were replaced. Somebody may be in the middle of reading them, so they are closed with the store.
        var retired: [Index] = []
    }

    /// - Parameter open: opens the index; what is at its path is looked at first, so that a change meanwhile is noticed later.
    init(in folder: StoreFolder, open: () throws -> Index) throws {
        self.folder = folder
        let identity = FileIdentity(folder.index + "/data.mdb")
        state = Mutex(State(index: try open(), identity: identity))
        seenStamp = Atomic(-1)
    }

    var current: Index { state.withLock { $0.index } }

    /// Moves on to the index that is in place now, if it is another one. What an index in place says can only change with the
    /// log, so as long as that has not there is nothing to look for.
    func follow(_ log: EventLog, open: () throws -> Index) throws {
        let stamp = log.stamp
        guard stamp != seenStamp.load(ordering: .acquiring) else { return }
        try state.withLock { state in
            let identity = FileIdentity(folder.index + "/data.mdb")
            guard identity != state.identity else { return }
            let index = try open()
            state.retired.append(state.index)
            state.index = index
            state.identity = identity
        }
        seenStamp.store(stamp, ordering: .releasing)
    }

    /// Closes every index. Nothing may be reading.
    func close() {
        state.withLock { state in
            for index in state.retired + [state.index] { index.close() }
            state.retired = []
        }
    }
}

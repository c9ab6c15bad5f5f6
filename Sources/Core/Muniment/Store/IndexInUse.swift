internal import EventLog
internal import Files
internal import Projections
internal import Synchronization

/// The index that a store reads. A writer in another process can replace it with a rebuilt one. Readers notice that and switch to
/// the new index.
final class IndexInUse: Sendable {
    private let folder: StoreFolder
    private let state: Mutex<State>
    /// The log's stamp when the index was last found at its path.
    private let seenStamp: Atomic<Int>

    private struct State {
        var index: Index
        var identity: FileIdentity?
        /// Replaced indexes. They may still have readers, so they are closed with the store.
        var retired: [Index] = []
    }

    /// - Parameter open: opens the index. The file at its path is checked before, so that a replacement meanwhile is noticed later.
    init(in folder: StoreFolder, open: () throws -> Index) throws {
        self.folder = folder
        let identity = FileIdentity(folder.index + "/data.mdb")
        state = Mutex(State(index: try open(), identity: identity))
        seenStamp = Atomic(-1)
    }

    var current: Index { state.withLock { $0.index } }

    /// Switches to the index at the path, if it was replaced. An index can change only with the log. If the log has not changed,
    /// the path is not checked.
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

    /// Closes every index. There must be no readers.
    func close() {
        state.withLock { state in
            for index in state.retired + [state.index] { index.close() }
            state.retired = []
        }
    }
}

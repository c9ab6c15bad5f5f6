internal import EventLog
public import Events
internal import Hashing
public import Permissions
internal import Projections

/// Asking a store.
extension Store {
    /// Answers questions at one moment. The snapshot is valid inside `body` only; do not commit in there.
    ///
    /// - Throws: ``StoreError/noSuchRevision(_:head:)``, and what `body` throws.
    public func read<R>(at moment: Moment = .now, _ body: (Snapshot) throws -> R) throws -> R {
        try withReader { reader in
            let instant = try turn(reader, to: moment)
            return try body(Snapshot(reader: reader, instant: instant, memory: queryMemory, log: log))
        }
    }

    /// Turns a reader to a moment, and answers the instant that this is.
    func turn(_ reader: IndexReader, to moment: Moment) throws -> Instant {
        switch moment {
        case .now:
            if let failure = writer?.failure { throw StoreError.behindTheLog(why: failure) }
            return reader.revision == .genesis ? options.clock() : max(options.clock(), reader.state.time)
        case .revision(let revision):
            guard revision <= reader.state.revision else {
                throw StoreError.noSuchRevision(revision, head: reader.state.revision)
            }
            reader.look(at: revision)
            return try log.read { try reader.time(of: revision, in: $0) }
        case .time(let instant):
            reader.look(at: try reader.revision(at: instant))
            return instant
        case .revisionAt(let revision, let instant):
            _ = try turn(reader, to: .revision(revision))
            return instant
        }
    }

    /// When a revision was committed: its time in the log, or that of a later correction of the clock if that is earlier.
    public func time(of revision: Revision) throws -> Instant {
        try withReader { reader in try log.read { try reader.time(of: revision, in: $0) } }
    }

    func withReader<R>(_ body: (IndexReader) throws -> R) throws -> R {
        try users.enter()
        defer { users.leave() }
        if writer == nil { try indexInUse.follow(log) { try Store.openIndexForReading(folder, log, options) } }
        let index = index
        let reader = try readers.take(of: index)
        defer { readers.putBack(reader, of: index) }
        let result = try body(reader)
        guard !reader.isOvertaken else { throw StoreError.overtaken(path: folder.path) }
        return result
    }

    /// The last commit that can be asked about. One that a writer was told of is there; one on its way to the disk is not yet.
    public var head: StoreHead {
        get throws {
            try withReader { reader in
                let state = reader.state
                return StoreHead(revision: state.revision, time: state.time, hash: state.hash.description)
            }
        }
    }

    /// How many events there are up to the head.
    public var eventCount: UInt64 { get throws { try withReader { $0.state.eventCount } } }

    /// What everyone had when the store was new.
    public var preset: Preset { get throws { try withReader { $0.state.preset } } }

    /// Who administers the store now.
    public var administrators: [Name] {
        get throws { try withReader { reader in try reader.names(of: reader.administratorsNow()).map { Name($0) } } }
    }
}

/// The last commit of a store. Its hash vouches for the whole history.
public struct StoreHead: Hashable, Sendable {
    public let revision: Revision
    public let time: Instant
    /// SHA-256, as 64 hexadecimal digits.
    public let hash: String
}

extension IndexReader {
    /// When a revision was committed, as the corrections of the clock have it.
    func time(of revision: Revision, in log: LogReader) throws -> Instant {
        state.time(of: revision, recorded: try log.time(of: revision))
    }
}

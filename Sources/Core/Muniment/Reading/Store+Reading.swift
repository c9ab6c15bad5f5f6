internal import EventLog
public import Events
internal import Hashing
internal import Permissions
internal import Projections

extension Store {
    /// Calls `body` with a snapshot of one moment, for questions. The snapshot is valid only inside `body`, which must not
    /// commit.
    ///
    /// - Throws: ``StoreError/noSuchRevision(_:head:)``, and the errors of `body`.
    public func read<R>(at moment: Moment = .now, _ body: (Snapshot) throws -> R) throws -> R {
        try withReader { reader in
            let instant = try turn(reader, to: moment)
            return try body(Snapshot(reader: reader, instant: instant, memory: queryMemory, log: log))
        }
    }

    /// Moves a reader to a moment, and returns its instant.
    func turn(_ reader: IndexReader, to moment: Moment) throws -> Instant {
        switch moment {
        case .now:
            try checkIndex()
            return reader.revision == .genesis ? options.clock() : max(options.clock(), reader.state.time)
        case .revision(let revision):
            try reader.requireRevision(revision)
            reader.move(to: revision)
            return try log.read { try reader.time(of: revision, in: $0) }
        case .time(let instant):
            // A commit that corrects the clock is before the last one in the index.
            if instant >= min(reader.state.time, log.head?.time ?? reader.state.time) { try checkIndex() }
            reader.move(to: try reader.revision(at: instant))
            return instant
        case .revisionAt(let revision, let instant):
            _ = try turn(reader, to: .revision(revision))
            return instant
        }
    }

    /// Throws `behindTheLog` if the index lacks acknowledged commits, so that nothing about the present can be told.
    func checkIndex() throws {
        if let failure = writer?.failure { throw StoreError.behindTheLog(why: failure) }
    }

    /// Returns the commit time of a revision: its time in the log, or the time of a later correction of the clock if that is
    /// earlier.
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

    /// The last commit that can be read. It includes every acknowledged commit, and no commit that is not durable yet.
    public var head: StoreHead {
        get throws {
            try withReader { reader in
                let state = reader.state
                return StoreHead(revision: state.revision, time: state.time, hash: state.hash.description)
            }
        }
    }

    /// The number of events up to the head.
    public var eventCount: UInt64 { get throws { try withReader { $0.state.eventCount } } }

    /// The privileges of everyone when the store was created.
    public var preset: Preset { get throws { try withReader { $0.state.preset } } }

    /// The present administrators of the store.
    public var administrators: [Name] {
        get throws {
            try checkIndex()
            return try withReader { reader in try reader.names(of: reader.administratorsNow()).map { Name($0) } }
        }
    }
}

/// The last commit of a store. Its hash covers the whole history.
public struct StoreHead: Hashable, Sendable {
    public let revision: Revision
    public let time: Instant
    /// SHA-256, as 64 hexadecimal digits.
    public let hash: String
}

/// The record of refused commands: who tried what, when, and which rule refused it (CONFORMANCE E9).
///
/// It contains every command that ``Store/commit(_:)-(Transaction)`` or ``Importer/add(_:)`` refuses, before the caller is told.
/// Refused questions are not recorded.
extension Store {
    /// Calls `body` with refused commands in order, after checking their hash chain.
    ///
    /// - Parameters:
    ///   - first: the number of the first one.
    ///   - last: the number of the last one; nil for the newest. Numbers after the newest are ignored.
    ///   - body: receives each refusal, and SHA-256 of the chain up to it as 64 hexadecimal digits.
    /// - Throws: `LogError` for a damaged record, and the errors of `body`.
    public func refusals(
        from first: RefusalNumber = .first, to last: RefusalNumber? = nil,
        _ body: (_ refusal: RecordedRefusal, _ hash: String) throws -> Void
    ) throws {
        try users.during {
            try log.readRefusals { log in
                try log.forEachRefusal(from: first, to: last ?? RefusalNumber(.max)) { try body($0, $1.description) }
            }
        }
    }

    /// The number of commands that were ever refused, which is the number of the last refusal. Logarithmic.
    public var refusalCount: UInt64 {
        get throws { try users.during { try log.readRefusals { try $0.lastRefusal() }?.number.rawValue ?? 0 } }
    }
}

extension IndexReader {
    /// Returns the commit time of a revision, after corrections of the clock.
    func time(of revision: Revision, in log: LogReader) throws -> Instant {
        state.time(of: revision, recorded: try log.time(of: revision))
    }

    /// Throws ``StoreError/noSuchRevision(_:head:)`` for a revision after the head.
    func requireRevision(_ revision: Revision) throws {
        guard revision <= state.revision else { throw StoreError.noSuchRevision(revision, head: state.revision) }
    }

    /// Returns a set of privileges by name; nil if the store does not define one of them.
    func privileges(named names: [String]) -> Privileges? {
        var privileges: Privileges = []
        for name in names {
            guard let privilege = privilege(name) else { return nil }
            privileges.formUnion(privilege)
        }
        return privileges
    }
}

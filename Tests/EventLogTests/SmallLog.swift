import EventLog
import Events
import Hashing
import LMDB
import TestSupport

/// A log in a folder of its own, and its rows as LMDB has them.
struct SmallLog {
    let folder: ScratchFolder
    var path: String { folder.path }

    init() throws { folder = try ScratchFolder() }

    /// A log of so many commits.
    init(commits: Int) throws {
        try self.init()
        let log = try open()
        for number in 0..<commits { _ = try log.append([Self.commit(number)]) }
        log.close()
    }

    func open(isReadOnly: Bool = false, mapBytes: Int = 1 << 24) throws -> EventLog {
        try EventLog(path: path, isReadOnly: isReadOnly, mapBytes: mapBytes)
    }

    /// Every commit, read and checked.
    func readAll() throws -> [Commit] {
        let log = try open(isReadOnly: true)
        defer { log.close() }
        return try log.commits()
    }

    /// A commit that looks different from the others: another time, origin, and kind and number of events.
    static func commit(_ number: Int) -> Commit {
        let time = Instant(microseconds: 1_700_000_000_000_000 + Int64(number) * 1000)
        var origin = Origin()
        if number % 2 == 1 { origin.comment = "number \(number)" }
        if number % 3 == 2 { origin.importLine = UInt64(number) }
        if number % 4 == 3 {
            origin.idempotencyKey = "key \(number)"
            origin.requestDigest = [UInt8](repeating: UInt8(number), count: 32)
        }
        let object = ObjectID(rawValue: 16 + UInt64(number))
        let events: [Event] = [
            .objectCreated(
                ObjectCreated(
                    object: Introduction(object, name: "doc:\(number)"), classID: ClassID(rawValue: 9), parent: nil, owner: .system)
            ),
            .accessGranted(
                AccessGranted(object: object, subject: .everyone, privileges: .read, until: time.advanced(byMicroseconds: 5))),
            .objectDeleted(ObjectDeleted(object: object)),
        ]
        return Commit(
            revision: Revision(UInt64(number)), time: time, actor: .system, origin: origin,
            events: Array(events.prefix(1 + number % 3)))
    }

    // MARK: Behind the log's back

    private func withTable<R>(_ body: (Environment, Table) throws -> R) throws -> R {
        let environment = try Environment(path: path, options: EnvironmentOptions(mapBytes: 1 << 24, syncsCommits: false))
        defer { environment.close() }
        return try body(environment, try environment.table(nil, creating: true))
    }

    func rows() throws -> [[UInt8]] {
        try withTable { environment, table in
            let view = try environment.beginReading()
            defer { view.end() }
            let cursor = try view.cursor(over: table)
            defer { cursor.close() }
            var rows: [[UInt8]] = []
            var isThere = try cursor.first()
            while isThere {
                cursor.withRow { _, value in rows.append(value.indices.map { value[$0] }) }
                isThere = try cursor.next()
            }
            return rows
        }
    }

    /// Puts another value in the place of a record; nil takes the record away.
    func rewrite(_ revision: Int, _ value: [UInt8]?) throws {
        try withTable { environment, table in
            let key = (0..<8).map { UInt8(truncatingIfNeeded: revision >> (56 - 8 * $0)) }
            let transaction = try environment.beginWriting()
            if let value {
                try transaction.put(value.span, in: table, for: key.span)
            } else {
                try transaction.delete(from: table, key: key.span)
            }
            try transaction.commit()
        }
    }

    /// The value of a record whose commit has these bytes, behind these other values.
    static func value(_ commitBytes: [UInt8], behind previous: [UInt8]?) throws -> [UInt8] {
        let before = previous.flatMap { Digest(bytes: Array($0.suffix(Digest.byteCount))) } ?? .zero
        return commitBytes + Digest(chaining: before, commitBytes).bytes
    }
}

extension EventLog {
    /// Every commit, checked.
    func commits() throws -> [Commit] {
        guard let head else { return [] }
        return try read { reader in
            var commits: [Commit] = []
            try reader.forEachCommit(from: .genesis, to: head.revision) { commit, _ in commits.append(commit) }
            return commits
        }
    }
}

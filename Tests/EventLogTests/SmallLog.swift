import EventLog
import Events
import Hashing
import LMDB
import TestSupport

/// A log in a separate folder, with access to its LMDB rows.
struct SmallLog {
    let folder: ScratchFolder
    var path: String { folder.path }

    init() throws { folder = try ScratchFolder() }

    /// Creates a log with the given number of commits.
    init(commits: Int) throws {
        try self.init()
        let log = try open()
        for number in 0..<commits { _ = try log.append([Self.commit(number)]) }
        log.close()
    }

    func open(isReadOnly: Bool = false, mapBytes: Int = 1 << 24) throws -> EventLog {
        try EventLog(path: path, isReadOnly: isReadOnly, mapBytes: mapBytes)
    }

    /// Returns all commits and checks their hashes.
    func readAll() throws -> [Commit] {
        let log = try open(isReadOnly: true)
        defer { log.close() }
        return try log.commits()
    }

    /// Returns a commit that differs from the others in time, origin, and kind and number of events.
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
            .objectDeleted(object),
        ]
        return Commit(
            revision: Revision(UInt64(number)), time: time, actor: .system, origin: origin,
            events: Array(events.prefix(1 + number % 3)))
    }

    /// Returns all refusals and checks their hashes.
    func readRefusals() throws -> [RecordedRefusal] {
        let log = try open(isReadOnly: true)
        defer { log.close() }
        return try log.refusals()
    }

    /// Returns a refusal that differs from the others.
    static func refusal(_ number: Int) -> RecordedRefusal {
        let json = String(repeating: "[", count: 40 * number)
        return RecordedRefusal(
            number: RefusalNumber(UInt64(number)), time: commit(number).time, head: Revision(1), caller: "user:\(number)",
            origin: commit(number).origin, code: "noPrivilege", message: "no, for the time \(number)",
            change: number % 2 == 0 ? nil : number, changeCount: number + 1,
            tried: number % 3 == 0 ? nil : RefusedChange(operation: "grant", objects: ["doc:\(number)"], json: json))
    }

    // MARK: Direct access to the file

    private func withTable<R>(_ name: String? = nil, _ body: (Environment, Table) throws -> R) throws -> R {
        let options = EnvironmentOptions(mapBytes: 1 << 24, syncsCommits: false, tableLimit: 1)
        let environment = try Environment(path: path, options: options)
        defer { environment.close() }
        return try body(environment, try environment.table(name, creating: true))
    }

    /// Returns the rows of a table. Without a name, this is the table of commits.
    func rows(of name: String? = nil) throws -> [(key: [UInt8], value: [UInt8])] {
        try withTable(name) { environment, table in
            let view = try environment.beginReading()
            defer { view.end() }
            let cursor = try view.cursor(over: table)
            defer { cursor.close() }
            var rows: [(key: [UInt8], value: [UInt8])] = []
            var isThere = try cursor.first()
            while isThere {
                cursor.withRow { key, value in rows.append((key.indices.map { key[$0] }, value.indices.map { value[$0] })) }
                isThere = try cursor.next()
            }
            return rows
        }
    }

    func rows() throws -> [[UInt8]] { try rows(of: nil).map(\.value) }

    /// Replaces the value of a record, or deletes the record if the value is nil.
    func rewrite(_ revision: Int, _ value: [UInt8]?) throws { try put(value, under: Self.key(revision)) }

    /// Does the same for the record of a refusal.
    func rewriteRefusal(_ number: Int, _ value: [UInt8]?) throws { try put(value, under: Self.key(number), of: "refusals") }

    private static func key(_ number: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }

    func put(_ value: [UInt8]?, under key: [UInt8], of name: String? = nil) throws {
        try withTable(name) { environment, table in
            let transaction = try environment.beginWriting()
            if let value {
                try transaction.put(value.span, in: table, for: key.span)
            } else {
                try transaction.delete(from: table, key: key.span)
            }
            try transaction.commit()
        }
    }

    /// Returns the value of a record with these commit bytes, chained to the previous record's value.
    static func value(_ commitBytes: [UInt8], after previous: [UInt8]?) throws -> [UInt8] {
        let before = previous.flatMap { Digest(bytes: Array($0.suffix(Digest.byteCount))) } ?? .zero
        return commitBytes + Digest(chaining: before, commitBytes).bytes
    }
}

extension EventLog {
    /// Returns all commits and checks their hashes.
    func commits() throws -> [Commit] {
        guard let head else { return [] }
        return try read { reader in
            var commits: [Commit] = []
            try reader.forEachCommit(from: .genesis, to: head.revision) { commit, _ in commits.append(commit) }
            return commits
        }
    }
}

extension EventLog {
    /// Returns a range of refusals and checks their hashes.
    func refusals(from first: UInt64 = 1, to last: UInt64 = .max) throws -> [RecordedRefusal] {
        try readRefusals { reader in
            var refusals: [RecordedRefusal] = []
            try reader.forEachRefusal(from: RefusalNumber(first), to: RefusalNumber(last)) { refusal, _ in refusals.append(refusal)
            }
            return refusals
        }
    }
}

internal import Events
internal import LMDB

/// A source of the objects that a query examines, in sequence.
protocol CandidateSource: AnyObject {
    /// Returns the next object; nil after the last.
    func next() throws -> ObjectID?
    func close()
}

/// The entities related to an entity at the reader's revision, in the order of numbers.
final class RelatedSource: CandidateSource {
    private let cursor: Cursor
    private let prefix: RelationPrefix
    private let revision: Revision
    private let start: UInt64
    private var hasBegun = false

    /// - Parameter start: only objects after this one are returned.
    init(_ reader: IndexReader, _ prefix: RelationPrefix, after start: ObjectID? = nil) throws {
        cursor = try reader.transaction.cursor(over: reader.tables[.relations])
        self.prefix = prefix
        revision = reader.revision
        self.start = start.map { $0.rawValue + 1 } ?? 0
    }

    func next() throws -> ObjectID? {
        while try step() {
            let key = cursor.fixedKey
            guard prefix.matches(key) else { return nil }
            let holds = try cursor.withRow { _, row in
                try VersionRow.end(key: key, tag: .relations, row) > revision && key.begin <= revision
            }
            if holds { return ObjectID(rawValue: key.second) }
        }
        return nil
    }

    private func step() throws -> Bool {
        if hasBegun { return try cursor.next() }
        hasBegun = true
        return try cursor.seek(atOrAfter: prefix.key(start, .open))
    }

    func close() { cursor.close() }
}

/// Several sources in sequence, without duplicates.
final class JoinedSource: CandidateSource {
    private var sources: [any CandidateSource]
    private var seen: Set<ObjectID> = []

    init(_ sources: [any CandidateSource]) { self.sources = sources.reversed() }

    func next() throws -> ObjectID? {
        while let source = sources.last {
            while let object = try source.next() {
                if seen.insert(object).inserted { return object }
            }
            source.close()
            sources.removeLast()
        }
        return nil
    }

    func close() { for source in sources { source.close() } }
}

/// The objects with entries or permissions for some subjects. If objects inherit, all objects below them too.
final class NamedSource: CandidateSource {
    private let reader: IndexReader
    private let inherits: Bool
    private var prefixes: [RelationPrefix]
    private var open: RelatedSource?
    private var seen: Set<ObjectID> = []

    /// - Parameter inherits: whether the wanted objects can inherit from objects above them.
    init(_ reader: IndexReader, for subjects: [PrincipalID], inherits: Bool) throws {
        self.reader = reader
        self.inherits = inherits
        prefixes = try reader.relationsNaming(subjects)
    }

    func next() throws -> ObjectID? {
        while true {
            if let open {
                while let object = try open.next() {
                    guard seen.insert(object).inserted else { continue }
                    if inherits { prefixes.append(.children(of: object)) }
                    return object
                }
                open.close()
                self.open = nil
            }
            guard let prefix = prefixes.popLast() else { return nil }
            open = try RelatedSource(reader, prefix)
        }
    }

    func close() { open?.close() }
}

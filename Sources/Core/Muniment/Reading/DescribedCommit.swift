internal import EventLog
public import Events
internal import Hashing
internal import Permissions
internal import Projections

/// A commit with the names of the entities in its events.
public struct DescribedCommit {
    public let commit: Commit
    private let digest: Digest
    private let reader: IndexReader
    private let names: NameMemory

    /// SHA-256 of the chain up to this commit, as 64 hexadecimal digits.
    public var hash: String { digest.description }

    /// Returns the parts of the commit about a name that an audience may know: descriptions of events, and the origin. If no
    /// event contains the name, an unrestricted audience receives all events, since one of them ended something related to the
    /// name.
    package func redacted(about name: Name, to audience: Audience) throws -> (events: [EventDescription], origin: Origin) {
        guard audience != .unrestricted else {
            let events = try commit.events.map(EventDescriber(commit: self).describe)
            let mentions = events.filter { $0.mentions(name) }
            return (mentions.isEmpty ? events : mentions, commit.origin)
        }
        guard let number = try reader.number(of: name) else { return ([], Origin()) }
        let disclosure = try Disclosure(to: audience, reader)
        let (told, origin) = try disclosure.events(of: commit) { _, event in
            try disclosure.isAbout(ObjectID(rawValue: number), event, at: commit.revision)
        }
        let events = try told.map { place, withheld in
            try EventDescriber(commit: self, withholding: withheld).describe(commit.events[place])
        }
        return (events, origin)
    }

    /// - Parameter names: the names that earlier descriptions have read from the same reader.
    init(commit: Commit, hash: Digest, reader: IndexReader, names: NameMemory = NameMemory()) {
        self.commit = commit
        digest = hash
        self.reader = reader
        self.names = names
    }

    /// The time of the commit, or the time of a later correction of the clock if that is earlier.
    public var correctedTime: Instant { reader.state.time(of: commit.revision, recorded: commit.time) }

    /// Returns the name of a number of this store.
    public func name(_ id: some EntityID) throws -> String { try names.name(of: id, in: reader) }

    /// Returns the names in a set of privileges, sorted; `*` alone for every privilege, including those defined later.
    public func names(of privileges: Privileges) -> [String] {
        privileges == .all ? ["*"] : reader.state.privilegeNames.names(of: privileges)
    }
}

/// Names that were read from a reader. Records of a page often have the same names.
final class NameMemory {
    private var names: [UInt64: String] = [:]

    func name(of id: some EntityID, in reader: IndexReader) throws -> String {
        if let known = names[id.rawValue] { return known }
        let name = try reader.name(of: id)
        names[id.rawValue] = name
        return name
    }
}

extension Store {
    /// Calls `body` with each commit of a range of revisions in order, after checking the hash chain. Revision 0 is the store's
    /// creation.
    public func log(from first: Revision, to last: Revision, _ body: (DescribedCommit) throws -> Void) throws {
        try withReader { reader in
            try log.read { log in
                try log.forEachCommit(from: first, to: min(last, reader.state.revision)) { commit, hash in
                    try body(DescribedCommit(commit: commit, hash: hash, reader: reader))
                }
            }
        }
    }

    /// Calls `body` with each commit that changed an object, a subject or a role, in order.
    ///
    /// - Throws: `Refusal` with `unknownObject` for a name that the store never had.
    public func history(of name: Name, _ body: (DescribedCommit) throws -> Void) throws {
        try withReader { reader in
            let revisions = try revisions(of: name, reader)
            try log.read { log in
                for revision in revisions {
                    try log.forEachCommit(from: revision, to: revision) { commit, hash in
                        try body(DescribedCommit(commit: commit, hash: hash, reader: reader))
                    }
                }
            }
        }
    }

    /// Returns the revisions that changed an object, a subject or a role, in order, after one revision and up to another. For a
    /// history that is read in pages.
    ///
    /// - Throws: `Refusal` with `unknownObject` for a name that the store never had.
    package func revisions(of name: Name, after: Revision?, through last: Revision) throws -> [Revision] {
        try withReader { reader in
            try revisions(of: name, reader).filter { revision in
                revision <= last && (after.map { revision > $0 } ?? true)
            }
        }
    }

    private func revisions(of name: Name, _ reader: IndexReader) throws -> [Revision] {
        if let problem = name.problem { throw problem }
        guard let number = try reader.number(of: name) else {
            throw Refusal(.unknownObject, "the store has no record of `\(name)`: check the name")
        }
        return try Array(reader.revisions(of: ObjectID(rawValue: number)))
    }
}

internal import EventLog
internal import Events
internal import Permissions
internal import Projections

/// How far one that observes has come. It asks the index what is behind that; nothing else is kept for it.
struct Observer: Sendable {
    let object: ObjectID
    /// The revision that created the object: one of its name that was created at another revision is another object.
    let created: Revision
    let caller: Name
    let path: JSONPath
    /// Everything up to here was delivered, or was nothing that had to be.
    private(set) var revision: Revision
    /// The value at the path at `revision`; not known before the first change needs it.
    private var value = Known.not

    private enum Known: Sendable {
        case not
        case value(JSONValue?)
    }

    /// What a look found.
    enum Sight {
        /// What a commit changed; nothing where it was elsewhere in the value.
        case changes([ObservedChange])
        /// Nothing yet, and more to look at.
        case more
        /// Nothing up to the head. Only a commit that touches one of these things, by number, can change that.
        case nothing(restsOn: Set<UInt64>)
        case end(ObservationEnd)
    }

    /// Versions that end on the way, at most, before others have their turn.
    private static let stepsPerLook = 256

    init(object: ObjectID, created: Revision, caller: Name, path: JSONPath, revision: Revision) {
        self.object = object
        self.created = created
        self.caller = caller
        self.path = path
        self.revision = revision
    }

    /// Goes on to the next revision at which the value is another one, and on the way to every one at which anything is another
    /// that the right to read it rests on. In between nothing can have changed, so that no revision has to be looked at there.
    mutating func look(_ reader: IndexReader, _ log: EventLog) throws -> Sight {
        guard revision <= reader.state.revision else {
            throw StoreError.behindTheLog(why: "it ends at \(reader.state.revision), and revision \(revision) was read before")
        }
        for _ in 0..<Self.stepsPerLook {
            reader.look(at: revision)
            let access = try reader.readAccess(of: caller, to: object)
            guard access.created == created else { return .end(.objectDeleted(at: revision)) }
            guard access.mayRead else { return .end(.accessEnded(at: revision)) }
            let version = try reader.valueVersion(of: object)
            let next = min(access.until, version.end)
            guard next <= reader.state.revision else {
                revision = reader.state.revision
                return .nothing(restsOn: Set(access.things))
            }
            if next < version.end {
                revision = next
            } else if let sight = try cross(to: next, from: version, reader, log) {
                return sight
            }
        }
        return .more
    }

    /// Goes on to a revision at which a version of the value begins, where the object can be read.
    private mutating func cross(
        to next: Revision, from version: ValueVersion, _ reader: IndexReader, _ log: EventLog
    ) throws -> Sight? {
        reader.look(at: next)
        let access = try reader.readAccess(of: caller, to: object)
        // The next step says so.
        guard access.mayRead, access.created == created else {
            revision = next
            return nil
        }
        let before: JSONValue?
        if case .value(let known) = value { before = known } else { before = try value(version) }
        let after = try value(reader.valueVersion(of: object))
        let kinds = ObservedChange.Kind.changes(from: before, to: after)
        let changes = try kinds.isEmpty ? [] : described(kinds, at: next, reader, log)
        (revision, value) = (next, .value(after))
        return .changes(changes)
    }

    /// The value at the path in a version of the whole. One without JSON reads as null.
    private func value(_ version: ValueVersion) throws -> JSONValue? {
        try (version.json.map(JSONText.decode) ?? .null).value(at: path)
    }

    private func described(
        _ kinds: [ObservedChange.Kind], at revision: Revision, _ reader: IndexReader, _ log: EventLog
    ) throws -> [ObservedChange] {
        let header = try log.read { try $0.header(of: revision) }
        let actor = Name(try reader.name(of: header.actor))
        return kinds.map { ObservedChange(revision: revision, time: header.time, actor: actor, kind: $0) }
    }
}

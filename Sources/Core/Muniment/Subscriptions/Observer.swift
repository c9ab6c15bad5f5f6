internal import EventLog
internal import Events
internal import Permissions
internal import Projections

/// The position of an observer. It reads later changes from the index; the store keeps no other state for it.
struct Observer: Sendable {
    let object: ObjectID
    /// The revision that created the object: an object of the same name created at another revision is a different object.
    let created: Revision
    let caller: Name
    let path: JSONPath
    /// The last processed revision: all relevant changes up to it were delivered.
    private(set) var revision: Revision
    /// The value at the path at `revision`; unknown until the first change needs it.
    private var value = Known.not

    private enum Known: Sendable {
        case not
        case value(JSONValue?)
    }

    enum AdvanceResult {
        /// The changes of a commit; empty if it changed only other parts of the value.
        case changes([ObservedChange])
        /// No change yet, and more revisions to examine.
        case more
        /// No change up to the head. Only a commit that touches one of these entities, by number, can cause one.
        case nothing(restsOn: Set<UInt64>)
        case end(ObservationError)
    }

    /// The maximum number of versions to examine before other observers take their turn.
    private static let stepsPerLook = 256

    init(object: ObjectID, created: Revision, caller: Name, path: JSONPath, revision: Revision) {
        self.object = object
        self.created = created
        self.caller = caller
        self.path = path
        self.revision = revision
    }

    /// Advances to the next revision with another value. It stops at every revision that changes anything the access depends on.
    /// No relevant change is possible between these revisions, so the others are skipped.
    mutating func look(_ reader: IndexReader, _ log: EventLog) throws -> AdvanceResult {
        guard revision <= reader.state.revision else {
            throw StoreError.behindTheLog(why: "it ends at \(reader.state.revision), but revision \(revision) was read before")
        }
        for _ in 0..<Self.stepsPerLook {
            reader.move(to: revision)
            let access = try reader.readAccess(of: caller, to: object)
            guard access.created == created else { return .end(.objectDeleted(at: revision)) }
            guard access.isAllowed else { return .end(.accessEnded(at: revision)) }
            let version = try reader.valueVersion(of: object)
            let next = min(access.until, version.end)
            guard next <= reader.state.revision else {
                revision = reader.state.revision
                return .nothing(restsOn: Set(access.entities))
            }
            if next < version.end {
                revision = next
            } else if let sight = try cross(to: next, from: version, reader, log) {
                return sight
            }
        }
        return .more
    }

    /// Advances to the first revision of a version of the value, if the object is readable there.
    private mutating func cross(
        to next: Revision, from version: ValueVersion, _ reader: IndexReader, _ log: EventLog
    ) throws -> AdvanceResult? {
        reader.move(to: next)
        let access = try reader.readAccess(of: caller, to: object)
        // The next step reports this.
        guard access.isAllowed, access.created == created else {
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

    /// Returns the value at the path in a version of the whole value. A version without JSON reads as null.
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

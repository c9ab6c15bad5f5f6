internal import Events
internal import Permissions
internal import Projections

/// An audit filter resolved to the numbers and times of a store. Used for the index lookup and to check each record found.
struct AuditSelection {
    private let filter: AuditFilter
    private let state: IndexState
    private var actor: PrincipalID?
    private var object: ObjectID?
    private var subject: PrincipalID?
    private var eventKinds: Set<Event.Kind> = []
    private var operations: Set<String> = []
    /// The index lookup for events; nil if no event can match.
    private(set) var events: AuditPattern?
    /// The same for refused commands.
    private(set) var refusals: AuditPattern?
    private(set) var times: ClosedRange<Instant>
    /// The revisions with matching numbers, whatever their time.
    private(set) var revisions: ClosedRange<Revision>

    /// - Throws: `Refusal` with `malformed` for an ill-formed name or an unknown kind.
    init(_ filter: AuditFilter, _ reader: IndexReader, now: Instant) throws {
        self.filter = filter
        state = reader.state
        for name in [filter.object, filter.subject] { if let problem = name?.problem { throw problem } }
        for kind in filter.kinds {
            if let found = Event.Kind.allCases.first(where: { $0.name == kind }) {
                eventKinds.insert(found)
            } else if Change.operations.contains(kind) {
                operations.insert(kind)
            } else {
                let all = AuditFilter.allKinds.map { "`\($0)`" }.joined(separator: ", ")
                throw Refusal(.malformed, "unknown kind `\(Name(kind).excerpt)`; use \(all)")
            }
        }
        let (from, to) = (try AuditSelection.bound(filter.from, reader, now), try AuditSelection.bound(filter.to, reader, now))
        guard from.time ?? .distantPast <= to.time ?? .forever, from.revision ?? .genesis <= to.revision ?? .open else {
            throw Refusal(.malformed, "the audit ends before it starts: swap its two ends")
        }
        times = (from.time ?? .distantPast)...(to.time ?? .forever)
        revisions = (from.revision ?? .genesis)...(to.revision ?? reader.state.revision)
        events = try eventPattern(reader)
        refusals = refusalPattern
    }

    private static func bound(
        _ moment: Moment?, _ reader: IndexReader, _ now: Instant
    ) throws -> (time: Instant?, revision: Revision?) {
        switch moment {
        case nil: return (nil, nil)
        case .now: return (now, nil)
        case .time(let time): return (time, nil)
        case .revision(let revision), .revisionAt(let revision, _):
            try reader.requireRevision(revision)
            return (nil, revision)
        }
    }

    private mutating func eventPattern(_ reader: IndexReader) throws -> AuditPattern? {
        guard filter.outcome != .refused, filter.kinds.isEmpty || !eventKinds.isEmpty else { return nil }
        var groups: [[AuditTerm]] = []
        func number(_ name: Name?, _ facet: AuditFacet) throws -> UInt64? {
            // Only refused commands can have an actor with an ill-formed name.
            guard let name, name.problem == nil, let number = try reader.number(of: name) else { return nil }
            groups.append([AuditTerm(facet, id: number)])
            return number
        }
        actor = try number(filter.actor, .actor).map(PrincipalID.init(rawValue:))
        object = try number(filter.object, .object).map(ObjectID.init(rawValue:))
        subject = try number(filter.subject, .subject).map(PrincipalID.init(rawValue:))
        // No event contains a name that is unknown to the store.
        guard (actor == nil) == (filter.actor == nil), (object == nil) == (filter.object == nil),
            (subject == nil) == (filter.subject == nil)
        else { return nil }
        if !eventKinds.isEmpty { groups.append(eventKinds.map { AuditTerm(.kind, id: UInt64($0.rawValue)) }) }
        if let requestID = filter.requestID { groups.append([AuditTerm(.request, text: requestID)]) }
        return AuditPattern(groups)
    }

    private var refusalPattern: AuditPattern? {
        guard filter.outcome != .done, filter.kinds.isEmpty || !operations.isEmpty else { return nil }
        let texts: [(AuditFacet, String?)] = [
            (.actor, filter.actor?.text), (.object, filter.object?.text), (.subject, filter.subject?.text),
            (.request, filter.requestID),
        ]
        let groups = texts.compactMap { facet, text in text.map { [AuditTerm(facet, text: $0)] } }
        return AuditPattern(operations.isEmpty ? groups : groups + [operations.map { AuditTerm(.kind, text: $0) }])
    }

    // MARK: Records

    /// Whether the index finds events by the checksum of a text as well. Two texts can have the same checksum.
    var isFoundByText: Bool { filter.requestID != nil }

    func covers(_ commit: Commit) -> Bool {
        revisions.contains(commit.revision) && times.contains(state.time(of: commit.revision, recorded: commit.time))
    }

    /// Returns whether an event of a commit matches. Does not check revision and time.
    func matches(_ event: Event, of commit: Commit) -> Bool {
        if let actor, commit.actor != actor { return false }
        if let object, !event.effect.objects.contains(object) { return false }
        if let subject, event.effect.subject != subject { return false }
        if !eventKinds.isEmpty, !eventKinds.contains(event.kind) { return false }
        return isRequest(commit.origin)
    }

    func matches(_ refusal: RecordedRefusal) -> Bool {
        let time = state.time(of: refusal.head, recorded: refusal.time)
        guard revisions.contains(refusal.head), times.contains(time), isRequest(refusal.origin) else { return false }
        return isSame(filter.actor, [refusal.caller]) && isSame(filter.object, refusal.tried?.objects ?? [])
            && isSame(filter.subject, refusal.tried?.subjects ?? [])
            && (operations.isEmpty || refusal.tried.map { operations.contains($0.operation) } ?? false)
    }

    private func isRequest(_ origin: Origin) -> Bool {
        guard let asked = filter.requestID else { return true }
        return origin.requestID.map { Name($0) == Name(asked) } ?? false
    }

    private func isSame(_ name: Name?, _ texts: [String]) -> Bool {
        name.map { name in texts.contains { Name($0) == name } } ?? true
    }
}

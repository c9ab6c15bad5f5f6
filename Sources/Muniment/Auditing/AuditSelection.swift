internal import Events
internal import Permissions
internal import Projections

/// A filter as a store's numbers and times: what the index is asked for, and what each record found there is held against.
struct AuditSelection {
    private let filter: AuditFilter
    private let state: IndexState
    private var actor: PrincipalID?
    private var object: ObjectID?
    private var subject: PrincipalID?
    private var eventKinds: Set<Event.Kind> = []
    private var operations: Set<String> = []
    /// What the index is asked for; nil where no event can be meant.
    private(set) var events: AuditPattern?
    /// The same for refused commands.
    private(set) var refusals: AuditPattern?
    private(set) var times: ClosedRange<Instant>
    /// The revisions that are not of the wrong number, whatever their time.
    private(set) var revisions: ClosedRange<Revision>

    /// - Throws: `Refusal` with `malformed` for a name of the wrong form or a kind that there is not.
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
                throw Refusal(.malformed, "there is no kind `\(Name(kind).excerpt)`; there are \(all)")
            }
        }
        let (from, to) = (try AuditSelection.bound(filter.from, reader, now), try AuditSelection.bound(filter.to, reader, now))
        guard from.time ?? .distantPast <= to.time ?? .forever, from.revision ?? .genesis <= to.revision ?? .open else {
            throw Refusal(.malformed, "the audit is to end before it begins: swap the two moments")
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
            guard revision <= reader.state.revision else {
                throw StoreError.noSuchRevision(revision, head: reader.state.revision)
            }
            return (nil, revision)
        }
    }

    private mutating func eventPattern(_ reader: IndexReader) throws -> AuditPattern? {
        guard filter.outcome != .refused, filter.kinds.isEmpty || !eventKinds.isEmpty else { return nil }
        var groups: [[AuditTerm]] = []
        func number(_ name: Name?, _ facet: AuditFacet) throws -> UInt64? {
            // A caller that was refused can have had a name that is none, and nothing else can.
            guard let name, name.problem == nil, let number = try reader.number(of: name) else { return nil }
            groups.append([AuditTerm(facet, id: number)])
            return number
        }
        actor = try number(filter.actor, .actor).map(PrincipalID.init(rawValue:))
        object = try number(filter.object, .object).map(ObjectID.init(rawValue:))
        subject = try number(filter.subject, .subject).map(PrincipalID.init(rawValue:))
        // Nothing ever happened with what the store never heard of.
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

    /// Whether events are found by the checksum of a text as well, which two texts can share.
    var isFoundByText: Bool { filter.requestID != nil }

    /// Whether a commit's revision and time are meant.
    func covers(_ commit: Commit) -> Bool {
        revisions.contains(commit.revision) && times.contains(state.time(of: commit.revision, recorded: commit.time))
    }

    /// Whether one of the events of a commit is meant, but for when it was.
    func matches(_ event: Event, of commit: Commit) -> Bool {
        if let actor, commit.actor != actor { return false }
        if let object, !event.auditObjects.contains(object) { return false }
        if let subject, event.auditSubject != subject { return false }
        if !eventKinds.isEmpty, !eventKinds.contains(event.kind) { return false }
        return isRequest(commit.origin)
    }

    func matches(_ refusal: RecordedRefusal) -> Bool {
        let time = state.time(of: refusal.head, recorded: refusal.time)
        guard revisions.contains(refusal.head), times.contains(time), isRequest(refusal.origin) else { return false }
        let names = refusal.triedNames
        return isSame(filter.actor, [refusal.caller]) && isSame(filter.object, names.objects)
            && isSame(filter.subject, names.subjects)
            && (operations.isEmpty || names.operation.map(operations.contains) ?? false)
    }

    private func isRequest(_ origin: Origin) -> Bool {
        guard let asked = filter.requestID else { return true }
        return origin.requestID.map { Name($0) == Name(asked) } ?? false
    }

    private func isSame(_ name: Name?, _ texts: [String]) -> Bool {
        name.map { name in texts.contains { Name($0) == name } } ?? true
    }
}

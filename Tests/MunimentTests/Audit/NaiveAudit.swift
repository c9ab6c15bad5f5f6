import Events
import Muniment
import Permissions

/// A naive audit. It reads the whole log and the record of refusals, and compares each record with a filter, by the names that a
/// reader of the log sees.
struct NaiveAudit {
    /// The audit changes for a record.
    struct Row: Hashable {
        let revision: Revision
        /// The index of the event in its commit; nil for a refusal.
        let index: Int?
        /// The refusal's number; nil for an event.
        let number: RefusalNumber?
        let time: Instant
        let actor: Name
        let requestID: String?
        let kind: String?
        let objects: Set<Name>
        let subjects: Set<Name>
    }

    private(set) var rows: [Row] = []

    init(_ store: Store) throws {
        var refusals: [RecordedRefusal] = []
        try store.refusals { refusal, _ in refusals.append(refusal) }
        var rest = refusals[...]
        try store.log(from: .genesis, to: store.head.revision) { commit in
            for (index, event) in commit.commit.events.enumerated() {
                rows.append(try Row(commit, index, NaiveAudit.members(of: EventDescriber(commit: commit).describe(event).json)))
            }
            while let refusal = rest.first, refusal.head == commit.commit.revision {
                rows.append(try Row(refusal))
                rest.removeFirst()
            }
        }
    }

    static func members(of json: JSONValue) -> JSONObject { if case .object(let members) = json { members } else { [:] } }

    /// Returns the rows that match a filter, in its order.
    func rows(_ filter: AuditFilter) -> [Row] {
        let found = rows.filter { row in
            (filter.actor.map { $0 == row.actor } ?? true)
                && (filter.object.map { row.objects.contains($0) } ?? true)
                && (filter.subject.map { row.subjects.contains($0) } ?? true)
                && (filter.kinds.isEmpty || row.kind.map(filter.kinds.contains) ?? false)
                && (filter.requestID.map { $0 == row.requestID } ?? true)
                && isBehind(filter.from, row) && isBefore(filter.to, row)
                && (filter.outcome == .any || (filter.outcome == .done) == (row.number == nil))
        }
        return filter.order == .oldestFirst ? found : found.reversed()
    }

    private func isBehind(_ moment: Moment?, _ row: Row) -> Bool {
        switch moment {
        case .revision(let revision): row.revision >= revision
        case .time(let time): row.time >= time
        default: true
        }
    }

    private func isBefore(_ moment: Moment?, _ row: Row) -> Bool {
        switch moment {
        case .revision(let revision): row.revision <= revision
        case .time(let time): row.time <= time
        default: true
        }
    }
}

extension NaiveAudit.Row {
    fileprivate init(_ commit: DescribedCommit, _ index: Int, _ members: JSONObject) throws {
        guard case .string(let kind)? = members["kind"] else { throw NaiveAudit.NoKind() }
        let actor = Name(try commit.name(commit.commit.actor))
        var (objects, subjects) = NaiveAudit.names(members)
        if kind == "StoreCreated" || kind.hasPrefix("Administrator") { objects = [.store] }
        if case .string(let principal)? = members["principal"] {
            if kind == "PrincipalRegistered" { objects = [Name(principal)] } else { subjects = [Name(principal)] }
        }
        self.init(
            revision: commit.commit.revision, index: index, number: nil, time: commit.commit.time, actor: actor,
            requestID: commit.commit.origin.requestID, kind: kind, objects: objects, subjects: subjects)
    }

    fileprivate init(_ refusal: RecordedRefusal) throws {
        let tried = try refusal.tried.map { NaiveAudit.members(of: try JSONText.decode(Array($0.json.utf8))) } ?? [:]
        var (objects, subjects) = NaiveAudit.names(tried)
        if case .string(let name)? = tried["class"] { objects = [.class(name)] }
        var operation: String?
        if case .string(let name)? = tried["op"] { operation = name }
        if case .string(let principal)? = tried["principal"] {
            objects = [operation == "register" ? Name(principal) : .store]
            if operation != "register" { subjects = [Name(principal)] }
        }
        self.init(
            revision: refusal.head, index: nil, number: refusal.number, time: refusal.time, actor: Name(refusal.caller),
            requestID: refusal.origin.requestID, kind: operation, objects: objects, subjects: subjects)
    }
}

extension NaiveAudit {
    struct NoKind: Error {}

    fileprivate static func names(_ members: JSONObject) -> (objects: Set<Name>, subjects: Set<Name>) {
        func texts(_ names: [String]) -> Set<Name> {
            Set(names.compactMap { name in if case .string(let text)? = members[name] { Name(text) } else { nil } })
        }
        return (texts(["object", "role", "class", "permission"]), texts(["subject", "member", "owner"]))
    }
}

extension NaiveAudit.Row {
    /// Converts a record of the store's answer, for the comparison.
    init(_ record: AuditRecord) {
        switch record.source {
        case .event(_, let revision, let index):
            self.init(
                revision: revision, index: index, number: nil, time: record.time, actor: Name(record.actor),
                requestID: record.origin.requestID, kind: record.kind, objects: Set(record.objects.map { Name($0) }),
                subjects: Set(record.subjects.map { Name($0) }))
        case .refusal(let refusal):
            self.init(
                revision: refusal.head, index: nil, number: refusal.number, time: record.time, actor: Name(record.actor),
                requestID: record.origin.requestID, kind: record.kind, objects: Set(record.objects.map { Name($0) }),
                subjects: Set(record.subjects.map { Name($0) }))
        }
    }
}

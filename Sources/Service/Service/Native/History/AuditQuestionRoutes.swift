internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// The queries for auditors besides the audit list.
enum AuditQuestionRoutes {
    static let all = [access, entry, report]

    static let access = Route(
        "GET", "/v1/stores/{store}/audit/access", "auditAccess", need: .store,
        RouteDescription("the subjects with a privilege on an object during a span, and when each had it", group: "Audit")
            .withResponse(
                "the spans of each subject",
                Schema.object(
                    ["access": Schema.list(Schema.named("SubjectAccess")), "object": Schema.name, "privileges": Schema.privileges],
                    optional: .next), lines: Schema.named("SubjectAccess")
            ),
        .queued(.listedPrivileges, .name("object", "the object"), .from, .page(.names, at: .to)) {
            call, privileges, object, from, request in
            let from = from ?? .revision(.genesis)
            try call.requirePermissionToQuery(aboutObject: object)
            let asked = QueryMembers(privileges: privileges, object: object).members
            let page = try call.page(request, of: asked, from: from) { end in
                try call.store.accessSpans(
                    with: call.store.privileges(named: privileges), on: object, from: from, to: end, for: call.audience)
            }
            return try call.answer(page, to: asked, as: "access") { $0.json }
        })

    static let entry = Route(
        "GET", "/v1/stores/{store}/audit/changes", "auditChanges", need: .store,
        RouteDescription("when and how the access of a subject to an object began and ended", group: "Audit")
            .withResponse(
                "the changes of access, oldest first",
                Schema.object(
                    [
                        "object": Schema.name, "privileges": Schema.privileges, "subject": Schema.name,
                        "transitions": Schema.list(Schema.named("AccessTransition")),
                    ], optional: .next), lines: Schema.named("AccessTransition")
            ),
        .queued(
            .name("subject", "the subject"), .listedPrivileges, .name("object", "the object"), .from, .page(.names, at: .to)
        ) { call, subject, privileges, object, from, request in
            let from = from ?? .revision(.genesis)
            try call.requirePermissionToQuery(about: subject, on: object)
            let asked = QueryMembers(subject: subject, privileges: privileges, object: object).members
            let page = try call.page(request, of: asked, from: from) { end in
                try call.store.accessTransitions(
                    of: subject, with: call.store.privileges(named: privileges), on: object, from: from, to: end, for: call.audience
                )
            }
            return try call.answer(page, to: asked, as: "transitions") { $0.json }
        })

    static let report = Route(
        "GET", "/v1/stores/{store}/audit/subject", "auditSubject", need: .store,
        RouteDescription("all access of a subject, now or earlier: roles, levels, objects", group: "Audit")
            .withNote("A page has at most `limit` entries, of `roles`, then of `classes`, then of `objects`.")
            .withResponse(
                "the report",
                Schema.object(
                    JSONObject([
                        "administrator": Schema.flag, "known": Schema.flag, "subject": Schema.name, "store": Schema.privileges,
                        "classes": Schema.list(Schema.named("Holding")), "objects": Schema.list(Schema.named("Holding")),
                        "roles": Schema.list(Schema.named("RoleOfSubject")),
                    ]).with(.when), optional: .next)
            ),
        .queued(.name("subject", "who"), .page(.names)) { call, subject, request in
            guard subject.isSubject else {
                throw Problem(
                    MemberProblem(
                        path: "subject", problem: "cannot have access",
                        remedy: "name a user, a thing, a role, everyone or anonymous"))
            }
            try call.requirePermissionToQuery(about: subject)
            let list = try call.list(request, of: QueryMembers(subject: subject).members)
            return try call.read(at: list.point) { snapshot in
                call.answer(page(of: try snapshot.accessReport(of: subject).json, list, snapshot), at: snapshot.revision)
            }
        })

    /// Returns a report with only those entries of its lists that belong to a page.
    private static func page(of report: JSONObject, _ list: PagedList, _ snapshot: Snapshot) -> JSONObject {
        var entries: [(list: String, entry: JSONValue)] = []
        for name in ["roles", "classes", "objects"] {
            if case .array(let values)? = report[name] { entries += values.map { (name, $0) } }
        }
        let page = list.page(of: entries, snapshot)
        var (part, lists) = (report, ["roles": [JSONValue](), "classes": [], "objects": []])
        for (name, entry) in page.items { lists[name, default: []].append(entry) }
        for (name, entries) in lists { part[name] = .array(entries) }
        return part.with(page.members)
    }
}

extension RequestContext {
    /// Returns the page of a list about a span.
    ///
    /// - Parameters:
    ///   - request: the page, and the end of the span.
    ///   - question: all arguments of the query except the span.
    ///   - start: the begin of the span.
    ///   - find: returns the list, for the end of the span.
    fileprivate func page<Item: Sendable>(
        _ request: PageRequest, of question: JSONObject, from start: Moment, _ find: (_ end: Moment) throws -> [Item]
    ) throws -> ListPage<Item> {
        let begin = try read(at: ReadConsistency(moment: start, atLeast: nil)) { $0.members }
        let list = try list(request, of: question.with(["from": .object(begin)]))
        let (last, instant) = try read(at: list.point) { ($0.revision, $0.instant) }
        return list.page(of: try find(.revisionAt(last, instant)), at: last, instant, [:])
    }
}

internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// The queries for auditors besides the audit list.
enum AuditQuestionRoutes {
    static let all = [access, entry, report]

    private static let privileges = ParameterDescription.query(
        "privileges", "the privileges, separated by commas", .object(["type": .string("string"), "minLength": .integer(1)]),
        isRequired: true)

    static let access = Route(
        "GET", "/v1/stores/{store}/audit/access", "auditAccess", need: .store,
        RouteDescription("the subjects with a privilege on an object during a span, and when each had it", group: "Audit")
            .withParameters(privileges, .query("object", "the object", Schema.name, isRequired: true), .from, .to, .atLeast)
            .paged(.names)
            .withResponse(
                "the spans of each subject",
                Schema.object(
                    ["access": Schema.list(Schema.named("SubjectAccess")), "object": Schema.name, "privileges": Schema.privileges],
                    optional: .next), lines: Schema.named("SubjectAccess")
            ),
        .queued { call in
            var arguments = try call.arguments()
            let (privileges, object) = (try arguments.listedPrivileges(), try arguments.name("object"))
            let from = try arguments.optionalMoment("from") ?? .revision(.genesis)
            let request = try arguments.page(.names, momentIn: "to")
            try arguments.finish()
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
            .withParameters(
                .query("subject", "the subject", Schema.name, isRequired: true), privileges,
                .query("object", "the object", Schema.name, isRequired: true), .from, .to, .atLeast
            )
            .paged(.names)
            .withResponse(
                "the changes of access, oldest first",
                Schema.object(
                    [
                        "object": Schema.name, "privileges": Schema.privileges, "subject": Schema.name,
                        "transitions": Schema.list(Schema.named("AccessTransition")),
                    ], optional: .next), lines: Schema.named("AccessTransition")
            ),
        .queued { call in
            var arguments = try call.arguments()
            let (subject, object) = (try arguments.name("subject"), try arguments.name("object"))
            let privileges = try arguments.listedPrivileges()
            let from = try arguments.optionalMoment("from") ?? .revision(.genesis)
            let request = try arguments.page(.names, momentIn: "to")
            try arguments.finish()
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
            .withParameters(.query("subject", "who", Schema.name, isRequired: true), .at, .atLeast).paged(.names)
            .withResponse(
                "the report",
                Schema.object(
                    JSONObject([
                        "administrator": Schema.flag, "known": Schema.flag, "subject": Schema.name, "store": Schema.privileges,
                        "classes": Schema.list(Schema.named("Holding")), "objects": Schema.list(Schema.named("Holding")),
                        "roles": Schema.list(Schema.named("RoleOfSubject")),
                    ]).with(.when), optional: .next)
            ),
        .queued { call in
            var arguments = try call.arguments()
            let (subject, request) = (try arguments.name("subject"), try arguments.page(.names))
            try arguments.finish()
            guard subject.isSubject else {
                throw arguments.wrong("subject", "cannot have access", "name a user, a thing, a role, everyone or anonymous")
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

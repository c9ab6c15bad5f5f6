import Events
import Muniment
import Permissions
import Wire

extension Option {
    fileprivate static let actor = Option(
        "actor", value: "PRINCIPAL", "only actions and attempts of this caller; `store` for the store itself")
    fileprivate static let object = Option("object", value: "NAME", "only records about this object, class, role or principal")
    fileprivate static let subject = Option("subject", value: "PRINCIPAL", "only records that changed the access of this subject")
    fileprivate static let kind = Option(
        "kind", value: "KIND[,KIND…]", "only these kinds: of events such as AccessGranted, of refused commands such as grant")
    fileprivate static let request = Option("request", value: "ID", "only records with this request id")
    fileprivate static let outcome = Option(
        "outcome", value: "done|refused|any", "only successful or refused commands (default any)")
    static let cursor = Option("cursor", value: "CURSOR", "continue after the previous page, with its cursor")
}

extension Command {
    static let audit = Command(
        "audit", "show who did what and when, with refused commands",
        options: [
            .actor, .object, .subject, .kind, .request, .outcome, .firstMoment, .lastMoment, .limit, .cursor, .reverse, .format,
            .utc, .json, .store,
        ],
        example: Example(
            "audit --actor user:bob",
            """
            #1  2026-01-31T10:15:00Z  user:bob  noPrivilege
                {"op":"grant","subject":"user:bob","object":"folder:top","privileges":["read"]}
                the caller lacks `setPermissions` on `folder:top`: somebody who may set permissions there can grant it
            """)
    ) { call in
        let filter = try call.auditFilter()
        let limit = try call.options.value(of: .limit, Values.count)
        var cursor = try call.options.value(of: .cursor) { text in try Invocation.understood { try AuditCursor(text) } }
        var printer = try ListPrinter(call, columns: AuditRecord.columns)
        let zone = printer.zone
        let rest = try call.withStore(.reading) { store in
            // The commit of the previous record: its records have one heading.
            var revision: Revision?
            var left = limit ?? .max
            while true {
                let page = try Invocation.understood {
                    try store.audit(filter, after: cursor, limit: min(left, 1_000))
                }
                for record in page.records {
                    try printer.print(record.json, lines: record.lines(in: zone, after: revision), rows: [record.row(in: zone)])
                    revision = if case .event(_, let own, _) = record.source { own } else { nil }
                }
                left -= page.records.count
                cursor = page.cursor
                if page.isLast {
                    if printer.isEmpty { try call.noteNoRecords(filter, in: store) }
                    return nil as AuditCursor?
                }
                if left <= 0 { return page.cursor }
            }
        }
        try printer.end()
        if let rest { call.note("more records follow: continue with --cursor \(rest)") }
        return .success
    }
}

extension Invocation {
    /// Runs a query, and converts its error for an invalid query to a usage error.
    static func understood<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let refusal as Refusal where refusal.code == .malformed {
            throw UsageError(refusal.message)
        }
    }

    fileprivate func auditFilter() throws -> AuditFilter {
        let kinds = options[.kind].map(Values.list)
        if let kinds, kinds.isEmpty { throw UsageError("--kind is empty; write a kind, or several like AccessGranted,grant") }
        var filter = AuditFilter(
            actor: try name(.actor), object: try name(.object), subject: try name(.subject),
            kinds: kinds ?? [], requestID: options[.request],
            from: try moment(.firstMoment), to: try lastMoment(.lastMoment),
            order: options.isSet(.reverse) ? .newestFirst : .oldestFirst)
        let outcome: AuditFilter.Outcome? = try options.choice(of: .outcome, "is not an outcome; write done, refused or any")
        if let outcome { filter.outcome = outcome }
        return filter
    }
}

extension Invocation {
    /// Says why a list is empty, so that a name without any record is not taken for a name without records in the span.
    fileprivate func noteNoRecords(_ filter: AuditFilter, in store: Store) throws {
        guard options[.cursor] == nil else { return }
        let asked = [
            ("did nothing and tried nothing", AuditFilter(actor: filter.actor), filter.actor),
            ("was never changed", AuditFilter(object: filter.object), filter.object),
            ("never gained or lost access", AuditFilter(subject: filter.subject), filter.subject),
        ]
        var isExplained = false
        for case (let words, let filter, let name?) in asked where try store.audit(filter, limit: 1).records.isEmpty {
            let exists = try store.read { try $0.exists(name) }
            note("`\(name)` \(words): the store has no such record" + (exists ? "" : ", and the name does not exist now"))
            isExplained = true
        }
        if !isExplained { note("no record matches the options") }
        if filter.subject != nil || filter.object != nil {
            note("changes of roles, parents and `everyone` are separate records: `audit changes` and `audit turnover` include them")
        }
    }
}

extension AuditRecord {
    /// Returns the record as lines, with a heading unless the record before it has the same one.
    ///
    /// - Parameter last: the revision of the record before it.
    fileprivate func lines(in zone: Zone, after last: Revision?) -> [String] {
        switch source {
        case .refusal(let refusal): return RefusalDescription(refusal, hash: "").lines(time: zone.text)
        case .event(_, let revision, _):
            let heading = "r\(revision)  \(zone.text(time))  \(actor == Name.store.text ? "the store" : actor)" + origin.note
            return (revision == last ? [] : [heading]) + ["    " + sentence(in: zone)]
        }
    }
}

extension Option {
    fileprivate static let since = Option("since", value: "NUMBER", "the first refusal (default: the oldest)")
}

extension Command {
    static let refusals = Command(
        "refusals", "list refused commands, oldest first: caller, command, time and reason",
        options: [.since, .format, .utc, .json, .store],
        example: Example(
            "refusals --since 1",
            """
            #1  2026-01-31T10:15:00Z  user:bob  noPrivilege
                {"op":"grant","subject":"user:bob","object":"folder:top","privileges":["read"]}
                the caller lacks `setPermissions` on `folder:top`: somebody who may set permissions there can grant it
            """)
    ) { call in
        let since = try call.options.value(of: .since, Values.refusal) ?? .first
        var printer = try ListPrinter(call, columns: RefusalDescription.columns)
        let zone = printer.zone
        try call.withStore(.reading) { store in
            try store.refusals(from: since) { refusal, hash in
                let description = RefusalDescription(refusal, hash: hash)
                try printer.print(
                    .object(description.members), lines: description.lines(time: zone.text), rows: [description.row(of: refusal)])
            }
        }
        try printer.end()
        return .success
    }
}

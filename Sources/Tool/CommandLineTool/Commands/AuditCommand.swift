import Events
import Muniment
import Permissions

extension Option {
    fileprivate static let actor = Option(
        "actor", value: "PRINCIPAL", "only actions and attempts of this caller; `store` for the store itself")
    fileprivate static let object = Option("object", value: "NAME", "only records about this object, class, role or principal")
    fileprivate static let subject = Option("subject", value: "PRINCIPAL", "only records that changed the access of this subject")
    fileprivate static let kind = Option(
        "kind", value: "KIND[,KIND…]", "only these kinds: of events such as AccessGranted, of refused commands such as grant")
    fileprivate static let request = Option("request", value: "ID", "only records with this request id")
    fileprivate static let outcome = Option("outcome", value: "OUTCOME", "done, refused or any (default: any)")
    fileprivate static let limit = Option("limit", value: "NUMBER", "the largest number of records (default: all)")
    fileprivate static let newest = Option("newest", "the newest first")
    static let cursor = Option("cursor", value: "CURSOR", "continue after the previous page, with its cursor")
    static let firstMoment = Option("from", value: "REVISION|TIME", "the start of the span (default: the oldest)")
    static let lastMoment = Option("to", value: "REVISION|TIME", "the end of the span (default: the newest)")
}

extension Command {
    static let audit = Command(
        "audit", "show who did what and when, with refused commands; with --json one record per line",
        options: [
            .actor, .object, .subject, .kind, .request, .firstMoment, .lastMoment, .outcome, .limit, .cursor, .newest, .json,
            .store,
        ],
        example: Example(
            "audit --actor user:bob",
            """
            #1  2026-01-31T10:15:00Z  user:bob  noPrivilege
                {"op":"grant","subject":"user:bob","object":"folder:top","privileges":["read"]}
                the caller lacks `setPermissions` on `folder:top`: somebody who may set permissions there can grant it
            """)
    ) { call in
        try call.end()
        let filter = try call.auditFilter
        let limit = try call.options[.limit].map(Values.count)
        var cursor = try call.options[.cursor].map { text in try Invocation.understood { try AuditCursor(text) } }
        let rest = try call.withStore(.reading) { store in
            var left = limit ?? .max
            var printer = AuditPrinter(output: call.output, isJSON: call.isJSON)
            while true {
                let page = try Invocation.understood {
                    try store.audit(filter, after: cursor, limit: min(left, AuditPrinter.recordsPerPage))
                }
                for record in page.records { try printer.print(record) }
                left -= page.records.count
                cursor = page.cursor
                if page.isLast { return nil as AuditCursor? }
                if left <= 0 { return page.cursor }
            }
        }
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

    fileprivate var auditFilter: AuditFilter {
        get throws {
            let kinds = options[.kind].map(Values.list)
            if let kinds, kinds.isEmpty { throw UsageError("--kind is empty; write a kind, or several like AccessGranted,grant") }
            var filter = AuditFilter(
                actor: try name(.actor), object: try name(.object), subject: try name(.subject),
                kinds: kinds ?? [], requestID: options[.request],
                from: try options[.firstMoment].map(Values.moment), to: try options[.lastMoment].map(Values.moment),
                order: options.isSet(.newest) ? .newestFirst : .oldestFirst)
            if let text = options[.outcome] {
                guard let outcome = AuditFilter.Outcome(rawValue: text) else {
                    throw UsageError("`\(text)` is not an outcome; write done, refused or any")
                }
                filter.outcome = outcome
            }
            return filter
        }
    }
}

/// Prints records: in text form grouped by commit, in JSON one object per line.
private struct AuditPrinter {
    /// The number of records per page.
    static let recordsPerPage = 1000

    let output: Output
    let isJSON: Bool
    /// The commit of the records that are currently printed.
    private var revision: Revision?

    init(output: Output, isJSON: Bool) {
        self.output = output
        self.isJSON = isJSON
    }

    mutating func print(_ record: AuditRecord) throws {
        if isJSON { return try output.json(record.json) }
        switch record.source {
        case .event(_, let revision, _):
            if revision != self.revision { try output.line(record.heading(revision)) }
            self.revision = revision
            try output.line("    " + record.sentence)
        case .refusal(let refusal):
            revision = nil
            for line in RefusalDescription(refusal, hash: "").lines { try output.line(line) }
        }
    }
}

extension AuditRecord {
    fileprivate func heading(_ revision: Revision) -> String {
        var line = "r\(revision)  \(time)  \(actor == Name.store.text ? "the store" : actor)"
        line += origin.note
        return line
    }
}

extension Option {
    fileprivate static let since = Option("since", value: "NUMBER", "the first refusal (default: the oldest)")
}

extension Command {
    static let refusals = Command(
        "refusals", "list refused commands, oldest first: caller, command, time and reason",
        options: [.since, .json, .store],
        example: Example(
            "refusals --since 1",
            """
            #1  2026-01-31T10:15:00Z  user:bob  noPrivilege
                {"op":"grant","subject":"user:bob","object":"folder:top","privileges":["read"]}
                the caller lacks `setPermissions` on `folder:top`: somebody who may set permissions there can grant it
            """)
    ) { call in
        try call.end()
        let since = try call.options[.since].map(Values.refusal) ?? .first
        let (output, isJSON) = (call.output, call.isJSON)
        try call.withStore(.reading) { store in
            try store.refusals(from: since) { refusal, hash in
                let description = RefusalDescription(refusal, hash: hash)
                if isJSON { return try output.json(description.json) }
                for line in description.lines { try output.line(line) }
            }
        }
        return .success
    }
}

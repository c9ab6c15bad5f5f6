import Credentials
import Events
import Permissions
import Service

extension Option {
    fileprivate static let stores = Option("store", value: "NAME", "whose decisions: the store's name in the data directory")
    fileprivate static let subject = Option("subject", value: "PRINCIPAL", "only about this one")
    fileprivate static let object = Option("object", value: "NAME", "only about this object")
    fileprivate static let action = Option("action", value: "PRIVILEGE", "only about this privilege or action")
    fileprivate static let asker = Option("caller", value: "ID", "only those that were asked for with this token")
    fileprivate static let request = Option("request", value: "ID", "only those of the request with this id")
    fileprivate static let only = Option("only", value: "allowed|denied", "only those that were allowed, or denied")
    fileprivate static let first = Option("from", value: "TIME", "the first moment (default: the oldest)")
    fileprivate static let last = Option("to", value: "TIME", "the last moment (default: the newest)")
    fileprivate static let newest = Option("newest", "the newest first")
    fileprivate static let limit = Option("limit", value: "NUMBER", "so many decisions at most (default: all)")
    fileprivate static let after = Option("after", value: "NUMBER", "go on behind the decision of this number")
}

extension Command {
    static let decisions = Command(
        "decisions", "what the service decided, where it keeps the store's decisions; with --json a decision a line",
        options: [
            .data, .stores, .subject, .object, .action, .asker, .request, .only, .first, .last, .newest, .limit, .after, .json,
        ],
        example: Example(
            "decisions --data data --store default --subject user:ann",
            "1  2026-01-31T10:21:00Z  yes  user:ann  read  doc:plan  r12  t1")
    ) { call in
        try call.end()
        let filter = try call.decisionFilter
        let store = call.options[.stores] ?? "default"
        guard StoreName(store) != nil else { throw UsageError("`\(store)` is no name of a store in a data directory") }
        let search = DecisionSearch(of: store, in: try call.dataDirectory)
        guard search.isThere else {
            throw UsageError("no decisions of `\(store)` are kept here; start the service with `--decision-log \(store)`")
        }
        var left = try call.options[.limit].map(Values.count) ?? .max
        var after = try call.options[.after].map { UInt64(try Values.count($0)) }
        var dropped: UInt64 = 0
        repeat {
            let page = try search.page(filter, after: after, limit: min(left, 1_000))
            for decision in page.decisions { try call.print(decision) }
            (left, after, dropped) = (left - page.decisions.count, page.next, dropped + page.dropped)
        } while after != nil && left > 0
        if dropped > 0 { call.note("\(counted(dropped, "decision")) came faster than they could be kept") }
        if let after { call.note("there is more: go on with --after \(after)") }
        return .success
    }
}

extension Call {
    fileprivate var decisionFilter: DecisionFilter {
        get throws {
            var filter = DecisionFilter()
            filter.subject = try name(.subject)?.text
            filter.resource = try name(.object)?.text
            filter.action = options[.action]
            filter.caller = options[.asker]
            filter.requestID = options[.request]
            filter.newestFirst = options.isSet(.newest)
            filter.from = try options[.first].map(Values.time)
            filter.to = try options[.last].map(Values.time)
            switch options[.only] {
            case nil: break
            case "allowed": filter.isAllowed = true
            case "denied": filter.isAllowed = false
            case let text?: throw UsageError("`\(text)` is neither allowed nor denied; write one of them")
            }
            return filter
        }
    }

    fileprivate func print(_ decision: Decision) throws {
        if isJSON { return try output.json(.object(decision.json)) }
        let words = [
            "\(decision.number)", "\(decision.time)", decision.isAllowed ? "yes" : "no ", decision.subject, decision.action,
            decision.resource, "r\(decision.revision)", decision.caller ?? "-",
        ]
        try output.line(words.joined(separator: "  ") + (decision.requestID.map { "  " + $0 } ?? ""))
    }
}

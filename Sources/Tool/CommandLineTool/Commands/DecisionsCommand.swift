import Credentials
import Events
import Permissions
import Service
import Wire

extension Option {
    fileprivate static let stores = Option("store", value: "NAME", "the name of the store in the data directory")
    fileprivate static let subject = Option("subject", value: "PRINCIPAL", "only about this subject")
    fileprivate static let object = Option("object", value: "NAME", "only about this object")
    fileprivate static let action = Option("action", value: "PRIVILEGE", "only about this privilege or action")
    fileprivate static let asker = Option("credential", value: "ID", "only decisions requested with this token")
    fileprivate static let request = Option("request", value: "ID", "only decisions of the request with this id")
    fileprivate static let only = Option("only", value: "allowed|denied", "only allowed, or only denied decisions")
    fileprivate static let first = Option(
        "from", value: "TIME", "the start of the span; a day means its start (default: the oldest)")
    fileprivate static let last = Option("to", value: "TIME", "the end of the span; a day means its end (default: the newest)")
}

extension Command {
    static let decisions = Command(
        "decisions", "show the decisions that the service has logged for a store",
        options: [
            .data, .stores, .subject, .object, .action, .asker, .request, .only, .first, .last, .limit, .cursor, .reverse,
            .format, .utc, .json,
        ],
        example: Example(
            "decisions --data data --store default --subject user:ann",
            "1  2026-01-31T10:21:00Z  yes  user:ann  read  doc:plan  r12  t1")
    ) { call in
        let filter = try call.decisionFilter()
        let store = call.options[.stores] ?? "default"
        guard StoreName(store) != nil else {
            throw UsageError("`\(store)` is not a store name; write the name of a folder in the data directory")
        }
        let search = DecisionSearch(of: store, in: try call.dataDirectory)
        guard search.exists else {
            throw UsageError("the decisions of `\(store)` are not logged; start the service with `--decision-log \(store)`")
        }
        var left = try call.options.value(of: .limit, Values.count) ?? .max
        var after = try call.options.value(of: .cursor) { UInt64(try Values.count($0)) }
        var dropped: UInt64 = 0
        var printer = try ListPrinter(call, columns: Decision.columns)
        let zone = printer.zone
        repeat {
            let page = try search.page(filter, after: after, limit: min(left, 1_000))
            for decision in page.decisions {
                try printer.print(.object(decision.json), lines: [decision.line(in: zone)], rows: [decision.row])
            }
            (left, after, dropped) = (left - page.decisions.count, page.next, dropped + page.dropped)
        } while after != nil && left > 0
        try printer.end()
        if dropped > 0 { call.note("\(counted(dropped, "decision")) dropped: the log could not keep up") }
        if let after { call.note("more decisions follow: continue with --cursor \(after)") }
        return .success
    }
}

extension Invocation {
    fileprivate func decisionFilter() throws -> DecisionFilter {
        var filter = DecisionFilter()
        filter.subject = try name(.subject)?.text
        filter.resource = try name(.object)?.text
        filter.action = options[.action]
        filter.credential = options[.asker]
        filter.requestID = options[.request]
        filter.newestFirst = options.isSet(.reverse)
        filter.from = try time(.first)
        filter.to = try lastTime(.last)
        filter.isAllowed = try options.value(of: .only) { text in
            switch text {
            case "allowed": true
            case "denied": false
            default: throw UsageError("`\(text)` is not an outcome; write allowed or denied")
            }
        }
        return filter
    }
}

extension Decision {
    fileprivate static let columns = [
        "number", "time", "allowed", "subject", "action", "resource", "revision", "credential", "request",
    ]

    fileprivate func line(in zone: Zone) -> String {
        let words = [
            "\(number)", zone.text(time), isAllowed ? "yes" : "no ", subject, action, resource, "r\(revision)", credential ?? "-",
        ]
        return words.joined(separator: "  ") + (requestID.map { "  " + $0 } ?? "")
    }

    fileprivate var row: [Cell] {
        [
            .number(number), .time(time), .flag(isAllowed), .text(subject), .text(action), .text(resource), .revision(revision),
            .text(credential), .text(requestID),
        ]
    }
}

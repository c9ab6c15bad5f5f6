import Events
import Muniment
import Permissions
import Wire

extension Option {
    fileprivate static let filter = Option(
        "where", value: "JSON", "only objects whose properties have these values, or compare so: <, <=, >, >=, prefix")
    fileprivate static let sort = Option("sort", value: "PROPERTY,…", "by which properties; one with a dash in front descends")
    fileprivate static let limit = Option(
        "limit", value: "N",
        "at most so many, in the order in which they were first named unless sorted, and where the next ones begin")
    fileprivate static let after = Option("after", value: "CURSOR", "those behind a list that said where it goes on")
}

extension Command {
    static let objectList = Command(
        "object list", "the objects of a class that somebody may read and query", sentence: "[of] CLASS",
        options: [.filter, .sort, .limit, .after, .reader] + Option.question,
        example: Example(#"object list doc --where '{"title":{"prefix":"Pl"}}' --sort title"#, "doc:plan")
    ) { call in
        call.skip("of")
        let className = try call.className()
        try call.end()
        let condition = try call.options[.filter].map(Condition.init(written:))
        let caller = try call.caller
        guard call.isPaged else {
            let (names, when) = try call.ask { (try $0.list(class: className, where: condition, as: caller), $0.members) }
            return try call.answer(names, as: "objects", to: Asked(className: className), when)
        }
        let query = try call.query(className, condition)
        let page = try call.page(of: query, as: caller)
        if call.isJSON {
            try call.output.json(.object(Asked(className: className).answer(page)))
        } else {
            for name in page.objects { try call.output.line(name) }
            // Printed to standard error, so that a program does not read it as a name.
            if let next = page.next { call.note("there are more, with the same words and --after \(next)") }
        }
        return .success
    }
}

extension Call {
    /// Whether the query is sorted or limited, so that the class must define its properties.
    fileprivate var isPaged: Bool { options[.sort] != nil || options[.limit] != nil || options[.after] != nil }

    fileprivate func query(_ className: String, _ condition: Condition?) throws -> Query {
        let order = Values.list(options[.sort] ?? "").map { word in
            word.hasPrefix("-") ? Query.Order.descending(String(word.dropFirst())) : .ascending(word)
        }
        let limit = try options[.limit].map { text in
            guard let limit = Int(text), limit > 0 else {
                throw UsageError("`\(text)` is no number of objects; write a whole number from 1 on")
            }
            return limit
        }
        return Query(className, where: condition, order: order, limit: limit)
    }

    fileprivate func page(of query: Query, as caller: Name) throws -> QueryPage {
        guard let text = options[.after] else { return try ask { try $0.query(query, as: caller) } }
        guard options[.at] == nil else { throw UsageError("`--after` goes on at the revision of its list; leave out `--at`") }
        let cursor = try QueryCursor(text)
        return try withStore(.reading) { try $0.query(query, as: caller, after: cursor) }
    }
}

extension Condition {
    /// Parses a condition in the syntax of `--where`.
    fileprivate init(written text: String) throws {
        let json = try Values.json(text)
        do { try self.init(filter: json) } catch { throw UsageError("`\(text)`: \(error.message)") }
    }
}

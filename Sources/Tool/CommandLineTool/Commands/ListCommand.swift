import Events
import Muniment
import Permissions
import Wire

extension Option {
    fileprivate static let filter = Option(
        "where", value: "JSON", "only objects with these property values or comparisons: <, <=, >, >=, prefix")
    fileprivate static let sort = Option(
        "sort", value: "PROPERTY,…", "sort by these properties; a leading dash sorts in descending order")
    fileprivate static let pageLimit = Option(
        "limit", value: "NUMBER",
        "the largest number of objects, in the order of their creation unless sorted; prints a cursor for the next page")
}

extension Command {
    static let objectList = Command(
        "object list", "list the objects of a class that a subject may read and query", sentence: "[of] CLASS",
        options: [.filter, .sort, .pageLimit, .cursor, .reader] + Option.list,
        example: Example(#"object list doc --where '{"title":{"prefix":"Pl"}}' --sort title"#, "doc:plan")
    ) { call in
        call.skip("of")
        let className = try call.className()
        try call.end()
        let condition = try call.options.value(of: .filter, Condition.init(written:))
        let caller = try call.caller
        guard call.isPaged else {
            let (names, when) = try call.ask { (try $0.list(class: className, where: condition, as: caller), $0.members) }
            return try call.answer(
                .object(QueryMembers(className: className).answer(names, as: "objects", when)), lines: names,
                table: Table("object", names))
        }
        let query = try call.query(className, condition)
        let page = try call.page(of: query, as: caller)
        let code = try call.answer(
            .object(QueryMembers(className: className).answer(page)), lines: page.objects, table: Table("object", page.objects))
        // Printed to standard error, so that a program does not read it as a name.
        if try call.format() != .json, let next = page.next {
            call.note("more objects follow: repeat the command with --cursor \(next)")
        }
        return code
    }
}

extension Invocation {
    /// Whether the query is sorted or limited, so that the class must define its properties.
    fileprivate var isPaged: Bool { options[.sort] != nil || options[.pageLimit] != nil || options[.cursor] != nil }

    fileprivate func query(_ className: String, _ condition: Condition?) throws -> Query {
        let order = Values.list(options[.sort] ?? "").map { word in
            word.hasPrefix("-") ? Query.Order.descending(String(word.dropFirst())) : .ascending(word)
        }
        return Query(className, where: condition, order: order, limit: try options.value(of: .pageLimit, Values.count))
    }

    fileprivate func page(of query: Query, as caller: Name) throws -> QueryPage {
        guard let text = options[.cursor] else { return try ask { try $0.query(query, as: caller) } }
        guard options[.at] == nil else { throw UsageError("`--cursor` uses the revision of its list; omit `--at`") }
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

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
        let asked = QueryMembers(className: className)
        guard call.isPaged else {
            let query = Query(className, where: condition, limit: nil)
            let (names, note, when) = try call.ask { snapshot in
                let names = try snapshot.list(class: className, where: condition, as: caller)
                return (names, names.isEmpty ? try snapshot.note(onEmpty: query, as: caller) : nil, snapshot.members)
            }
            if let note { call.note(note.message) }
            return try call.answer(
                .object(asked.answer(names, as: "objects", when).with(JSONObject(note: note))), lines: names,
                table: Table("object", names))
        }
        let query = try call.query(className, condition)
        let (page, note) = try call.page(of: query, as: caller)
        if let note { call.note(note.message) }
        let code = try call.answer(
            .object(asked.answer(page).with(JSONObject(note: note))), lines: page.objects, table: Table("object", page.objects))
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

    fileprivate func page(of query: Query, as caller: Name) throws -> (QueryPage, ListNote?) {
        guard let text = options[.cursor] else {
            return try ask { snapshot in
                let page = try snapshot.query(query, as: caller)
                return (page, page.objects.isEmpty ? try snapshot.note(onEmpty: query, as: caller) : nil)
            }
        }
        guard options[.at] == nil else { throw UsageError("`--cursor` uses the revision of its list; omit `--at`") }
        let cursor = try QueryCursor(text)
        return (try withStore(.reading) { try $0.query(query, as: caller, after: cursor) }, nil)
    }
}

extension Condition {
    /// Parses a condition in the syntax of `--where`.
    fileprivate init(written text: String) throws {
        let json = try Values.json(text)
        do { try self.init(filter: json) } catch { throw UsageError("`\(text)`: \(error.message)") }
    }
}

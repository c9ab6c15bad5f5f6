package import Events

/// How names and privileges of another system are written in a store: a JSON file of the user.
public struct ImportMapping: Sendable {
    /// The tables and views to read of an SQLite database.
    package var tables: [String] = []
    /// A `SELECT` for an SQLite database, in place of its tables. Its columns have the names of those of a CSV file.
    public var query: String?
    /// The names of the columns in a CSV file or a table, for columns with other names than their meaning.
    package var columns: [CSVColumn: String] = [:]
    /// The class of subjects without a class in their name.
    package var subjectClass = "user"
    /// The class of objects without a class in their name.
    package var objectClass = "resource"
    /// The classes of the source's types, where they differ.
    package var types: [ExactText: String] = [:]
    /// The privileges for a relation, an action or a level of the source. Other words are privileges themselves.
    package var privileges: [ExactText: [String]] = [:]
    /// The names in the store of users and things, by the names that they would have without it.
    package var names: [Name: Name] = [:]
    /// Columns of a CSV file or a table that the import may leave out.
    package var ignoredColumns: Set<String> = []

    /// The mapping without a file.
    public init() {}

    /// Reads a mapping file.
    ///
    /// - Throws: ``SourceFileError``, or `UnreadableFileError`.
    public init(file: String) throws {
        let source = try SourceFile(file)
        let value = try source.json()
        do throws(MemberProblem) { try self.init(value) } catch { throw SourceFileError(file: file, "\(error)") }
    }

    init(_ value: JSONValue) throws(MemberProblem) {
        var fields = try ObjectReader<MemberProblem>(value)
        for (name, column) in try fields.members("columns") {
            guard let meaning = CSVColumn(rawValue: name) else {
                let known = CSVColumn.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
                throw MemberProblem(path: "columns.\(Name(name).excerpt)", problem: "is unknown", remedy: "use one of \(known)")
            }
            columns[meaning] = try ImportMapping.texts(column, in: "columns." + name).joined()
        }
        subjectClass = try fields.optionalText("subjects") ?? subjectClass
        objectClass = try fields.optionalText("objects") ?? objectClass
        for (type, className) in try fields.members("types") {
            types[ExactText(type)] = try ImportMapping.texts(className, in: "types." + type).joined()
        }
        for (name, meaning) in try fields.members("privileges") {
            privileges[ExactText(name)] = try ImportMapping.texts(meaning, in: "privileges." + name, isList: true)
        }
        for (name, other) in try fields.members("names") {
            names[Name(name)] = Name(try ImportMapping.texts(other, in: "names." + name).joined())
        }
        ignoredColumns = Set(try fields.optionalTexts("ignore") ?? [])
        tables = try fields.optionalTexts("tables") ?? []
        try fields.finish()
    }

    /// Reads a text, or a list of texts if that is allowed.
    private static func texts(_ value: JSONValue, in place: String, isList: Bool = false) throws(MemberProblem) -> [String] {
        do throws(MemberProblem) {
            if isList, case .array = value { return try value.readTexts() }
            return [try value.readText()]
        } catch { throw error.inside(place) }
    }
}

extension ImportMapping {
    /// Returns the privileges for a word of the source.
    func privileges(_ word: String) -> [String] { privileges[ExactText(word)] ?? [word] }

    func className(ofType type: String) -> String { types[ExactText(type)] ?? type }

    func subject(_ text: String) -> Name { name(text, subjectClass) }

    /// Returns why a subject's name in the source is unclear in a store; nil if it is clear.
    func obstacle(ofSubject text: String) -> String? {
        guard [Name.everyone, .anonymous].contains(Name(text)), names[Name(text)] == nil else { return nil }
        return "`\(text)` may be one user of the source, and in a store it means many: write `user:\(text)` for one user, or "
            + "give `\(text)` its name in `names` of the mapping"
    }

    /// Returns the name of a user from a login without a class. The login may contain any characters, colons too.
    func user(_ login: String) -> Name { Name(subjectClass + ":" + login) }

    func object(_ text: String) -> Name { name(text, objectClass) }

    private func name(_ text: String, _ className: String) -> Name {
        if text == Name.everyone.text || text == Name.anonymous.text { return Name(text) }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return Name(className + ":" + text) }
        return Name(self.className(ofType: String(text[..<colon])) + text[colon...])
    }
}

internal import Events
internal import Foundation

/// Reads the texts of SpiceDB: a schema, and relationships, one per line.
struct SpiceDBSource {
    static func read(_ files: [SourceFile], _ mapping: ImportMapping, into facts: inout SourceFacts) throws {
        var model = RelationModel()
        var tuples: [RelationTuple] = []
        for file in files {
            if file.text.contains(/(?m)^[ \t]*definition\s/) {
                var schema = try SpiceDBSchema(file)
                try schema.read(into: &model)
            } else {
                for line in file.lines(comment: "//") { tuples.append(try tuple(line.text, file.place(line.number))) }
            }
        }
        guard !model.types.isEmpty else {
            throw SourceFileError(file: files[0].name, "the schema is missing; add a file with it, from `zed schema read`")
        }
        RelationSource(model, tuples, mapping).read(into: &facts)
    }

    private static func tuple(_ text: String, _ place: String) throws -> RelationTuple {
        let form =
            #/
            ([a-z0-9_/]+) : ([A-Za-z0-9/_|\-=+]+) [\#\ ] ([a-z0-9_]+)
            [@\ ] ([a-z0-9_/]+) : ([A-Za-z0-9/_|\-=+]+|\*) (?: \# ([a-z0-9_]+|\.\.\.) )?
            ((?:\[.*\])?)
            /#
        guard let match = text.wholeMatch(of: form) else {
            throw SourceFileError(file: place, "the line is not a relationship; write it like `doc:1#viewer@user:ann`")
        }
        var tuple = RelationTuple(
            place: place, object: RelationTuple.Reference(type: String(match.1), id: String(match.2)), relation: String(match.3),
            subject: RelationTuple.Reference(type: String(match.4), id: String(match.5)),
            subjectRelation: match.6.flatMap { $0 == "..." ? nil : String($0) })
        if match.7.isEmpty { return tuple }
        if let end = match.7.wholeMatch(of: /\[expiration:([^\]]+)\]/), let until = try? Instant(String(end.1)) {
            tuple.until = until
        } else {
            tuple.obstacle = "it has a caveat, which is evaluated with each request"
        }
        return tuple
    }
}

/// Reads the definitions of a schema. Caveats are left out, since relationships with one are not mapped.
struct SpiceDBSchema {
    private let file: SourceFile
    private var tokens: ArraySlice<Substring>

    init(_ file: SourceFile) throws(SourceFileError) {
        self.file = file
        let text = try Self.withoutComments(file)
        tokens = text.matches(of: /"[^"]*"|[A-Za-z0-9_\/]+|->|[^\sA-Za-z0-9_]/).map { $0.output }[...]
    }

    /// Returns the text with a blank for each comment, in one pass.
    private static func withoutComments(_ file: SourceFile) throws(SourceFileError) -> String {
        var rest = Array(file.text.utf8)[...]
        let end = Array("*/".utf8)
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "/"), let next = rest.first, next == byte || next == UInt8(ascii: "*") else {
                text.append(byte)
                continue
            }
            text.append(UInt8(ascii: " "))
            if next == byte {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
                continue
            }
            rest.removeFirst()
            while !rest.starts(with: end) {
                guard rest.popFirst() != nil else { throw problem("a comment has no `*/`", in: file) }
            }
            rest.removeFirst(end.count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    mutating func read(into model: inout RelationModel) throws {
        while let word = tokens.popFirst() {
            switch word {
            case "definition":
                let type = String(try name("a type"))
                guard model.types[type] == nil else { throw problem("`\(type)` is defined twice") }
                try expect("{")
                model.types[type] = try relations()
            case "caveat": try skipBlock()
            case "use": _ = tokens.popFirst()
            default: throw problem("`\(word)` is not a definition")
            }
        }
    }

    private mutating func relations() throws -> [String: RelationModel.Relation] {
        var relations: [String: RelationModel.Relation] = [:]
        while let word = tokens.first, word != "}" {
            tokens.removeFirst()
            let name = String(try name("a relation"))
            var relation = RelationModel.Relation()
            try expect(word == "relation" ? ":" : "=")
            let definition = body()
            switch word {
            case "relation":
                relation.isDirect = true
                // A type begins the list or follows a bar.
                for (index, token) in definition.enumerated() where index == 0 || definition[index - 1] == "|" {
                    relation.subjectTypes.insert(String(token))
                }
            case "permission": SpiceDBSchema.add(definition, to: &relation)
            default: throw problem("`\(word)` is neither a relation nor a permission")
            }
            guard relations.updateValue(relation, forKey: name) == nil else { throw problem("`\(name)` is defined twice") }
        }
        try expect("}")
        return relations
    }

    /// Takes the tokens before the next relation or permission, or the end of the definition.
    private mutating func body() -> [Substring] {
        var body: [Substring] = []
        while let next = tokens.first, !["relation", "permission", "}"].contains(next) { body.append(tokens.removeFirst()) }
        return body
    }

    private static func add(_ expression: [Substring], to relation: inout RelationModel.Relation) {
        for term in expression.split(separator: "+", omittingEmptySubsequences: false).map(Array.init) {
            switch term.count {
            case 1 where term[0] == "nil": break
            case 1 where term[0].first?.isLetter ?? false: relation.computed.insert(String(term[0]))
            case 3 where term[1] == "->":
                relation.arrows.insert(RelationModel.Arrow(parents: String(term[0]), relation: String(term[2])))
            default:
                relation.obstacle =
                    "only unions of relations and arrows can be mapped: a store has grants, and nothing takes access away"
            }
        }
    }

    private mutating func skipBlock() throws {
        tokens = tokens.drop { $0 != "}" }
        try expect("}")
    }

    private mutating func name(_ what: String) throws -> Substring {
        guard let name = tokens.popFirst(), name.first?.isLetter ?? false else { throw problem("the name of \(what) is missing") }
        return name
    }

    private mutating func expect(_ token: Substring) throws {
        guard let next = tokens.popFirst(), next == token else { throw problem("`\(token)` is missing") }
    }

    private func problem(_ text: String) -> SourceFileError { Self.problem(text, in: file) }

    private static func problem(_ text: String, in file: SourceFile) -> SourceFileError {
        SourceFileError(file: file.name, "\(text) in the schema; check it with `zed validate`")
    }
}

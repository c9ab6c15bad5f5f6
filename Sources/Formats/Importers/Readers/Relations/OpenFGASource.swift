internal import Events
internal import Foundation

/// Reads the JSON of OpenFGA: one authorization model, and tuples as `fga tuple read` or the API write them.
struct OpenFGASource {
    private var model: RelationModel?
    private var tuples: [RelationTuple] = []

    static func read(_ files: [SourceFile], _ mapping: ImportMapping, into facts: inout SourceFacts) throws {
        var source = OpenFGASource()
        for file in files { try source.read(file) }
        guard let model = source.model else {
            throw SourceFileError(
                file: files[0].name,
                "the authorization model is missing; add a file with its JSON, from `fga model get --format json`")
        }
        RelationSource(model, source.tuples, mapping).read(into: &facts)
    }

    private mutating func read(_ file: SourceFile) throws {
        if file.text.contains(/(?m)^[ \t]*(?:model|type[ \t]+\w+)[ \t]*$/) {
            throw SourceFileError(
                file: file.name,
                "the model is in the language of OpenFGA; convert it with `fga model transform --input-format fga --file \(file.name)`"
            )
        }
        let json = try file.json()
        let value = json["authorization_model"] ?? json
        if case .array(let definitions)? = value["type_definitions"] {
            guard model == nil else { throw SourceFileError(file: file.name, "the model is there twice; give one") }
            var read = RelationModel()
            for definition in definitions {
                guard case .string(let type)? = definition["type"] else {
                    throw SourceFileError(file: file.name, "a type definition has no `type`; export the model again")
                }
                read.types[type] = OpenFGASource.relations(definition)
            }
            model = read
            return
        }
        if case .string(let token)? = json["continuation_token"], !token.isEmpty {
            throw SourceFileError(
                file: file.name,
                "it is one page of the tuples: its `continuation_token` is not empty; read all with `--max-pages 0`")
        }
        let list = value["tuples"] ?? value["writes"]?["tuple_keys"] ?? value["tuple_keys"] ?? value
        guard case .array(let elements) = list else {
            throw SourceFileError(
                file: file.name, "the file has neither `type_definitions` nor a list of tuples; export it again as JSON")
        }
        for (index, element) in elements.enumerated() {
            let place = "\(file.name): tuple \(index + 1)"
            guard let tuple = OpenFGASource.tuple(element["key"] ?? element, place) else {
                throw SourceFileError(file: place, "it has no `user`, `relation` and `object` like `type:id`; correct it")
            }
            tuples.append(tuple)
        }
    }

    private static func tuple(_ json: JSONValue, _ place: String) -> RelationTuple? {
        guard case .object(let members) = json, let user = members.text("user"), let relation = members.text("relation"),
            let object = members.text("object").flatMap(reference)
        else { return nil }
        let parts = user.split(separator: "#", maxSplits: 1).map(String.init)
        guard let subject = parts.first.flatMap(reference) else { return nil }
        var hasCondition = false
        if let condition = members["condition"], condition != .null { hasCondition = true }
        return RelationTuple(
            place: place, object: object, relation: relation, subject: subject, subjectRelation: parts.count == 2 ? parts[1] : nil,
            obstacle: hasCondition ? "it has a condition, which is evaluated with each request" : nil)
    }

    private static func reference(_ text: String) -> RelationTuple.Reference? {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex, text.index(after: colon) != text.endIndex else {
            return nil
        }
        return RelationTuple.Reference(type: String(text[..<colon]), id: String(text[text.index(after: colon)...]))
    }

    private static func relations(_ definition: JSONValue) -> [String: RelationModel.Relation] {
        var relations: [String: RelationModel.Relation] = [:]
        guard case .object(let members)? = definition["relations"] else { return relations }
        for (name, rewrite) in members {
            var relation = RelationModel.Relation()
            add(rewrite, to: &relation)
            if case .array(let types)? = definition["metadata"]?["relations"]?[name]?["directly_related_user_types"] {
                for case .string(let type)? in types.map({ $0["type"] }) { relation.subjectTypes.insert(type) }
                relation.permitted = Set(types.compactMap(form))
            }
            relations[name] = relation
        }
        return relations
    }

    /// Returns the form of the subjects that a type restriction permits; nil with a condition, since such tuples are not mapped.
    private static func form(_ restriction: JSONValue) -> String? {
        guard case .object(let members) = restriction, let type = members.text("type"), members.text("condition") ?? "" == "" else {
            return nil
        }
        if let relation = members.text("relation"), !relation.isEmpty { return type + "#" + relation }
        return members["wildcard"] == nil ? type : type + ":*"
    }

    private static func add(_ rewrite: JSONValue, to relation: inout RelationModel.Relation) {
        func name(_ value: JSONValue?) -> String? { if case .string(let text)? = value { text } else { nil } }
        if rewrite["this"] != nil {
            relation.isDirect = true
        } else if let other = name(rewrite["computedUserset"]?["relation"]) {
            relation.computed.insert(other)
        } else if let way = rewrite["tupleToUserset"], let parents = name(way["tupleset"]?["relation"]),
            let other = name(way["computedUserset"]?["relation"])
        {
            relation.arrows.insert(RelationModel.Arrow(parents: parents, relation: other))
        } else if case .array(let children)? = rewrite["union"]?["child"] {
            for child in children { add(child, to: &relation) }
        } else {
            relation.obstacle = "an intersection or a difference takes access away, and a store has only grants"
        }
    }
}

internal import Events

/// The types and relations of a relationship-based system: those that unions of direct relations, other relations of the object and
/// relations of its parents define.
struct RelationModel {
    /// A relation of an object's parents: `viewer from parent`, or `parent->viewer`.
    struct Arrow: Hashable {
        /// The relation that names the parents.
        let parents: String
        let relation: String
    }

    struct Relation {
        /// Whether tuples can state it.
        var isDirect = false
        /// The types that tuples of it have as subjects.
        var subjectTypes: Set<String> = []
        /// The subjects that tuples of it may have, as `type`, `type:*` or `type#relation`; nil if the model does not say it.
        var permitted: Set<String>?
        /// The relations of the same object that include it.
        var computed: Set<String> = []
        var arrows: Set<Arrow> = []
        /// Why it cannot be mapped; nil if it can.
        var obstacle: String?
    }

    /// The relations of each type, by name.
    var types: [String: [String: Relation]] = [:]

    /// Returns the relations that use others that cannot be mapped, directly or through more relations, with one of these for each.
    func incomplete() -> [(type: String, relation: String, used: String)] {
        var lost = types.mapValues { Set($0.filter { $0.value.obstacle != nil }.keys) }
        var found: [(type: String, relation: String, used: String)] = []
        var isChanged = true
        while isChanged {
            isChanged = false
            for (type, relations) in types.sorted(by: { $0.key < $1.key }) {
                for (name, relation) in relations.sorted(by: { $0.key < $1.key }) where !(lost[type] ?? []).contains(name) {
                    let own = relation.computed.intersection(lost[type] ?? []).map { type + "#" + $0 }
                    let above = relation.arrows.flatMap { arrow in
                        (self.relation(arrow.parents, of: type)?.subjectTypes ?? []).filter {
                            lost[$0]?.contains(arrow.relation) ?? false
                        }
                        .map { $0 + "#" + arrow.relation }
                    }
                    guard let used = (own + above).min() else { continue }
                    found.append((type, name, used))
                    lost[type, default: []].insert(name)
                    isChanged = true
                }
            }
        }
        return found
    }

    func relation(_ name: String, of type: String) -> Relation? { types[type]?[name] }

    /// Whether the type restrictions of a relation permit the subject of a tuple.
    func permits(_ tuple: RelationTuple) -> Bool {
        relation(tuple.relation, of: tuple.object.type)?.permitted?.contains(tuple.form) ?? true
    }

    /// Returns the relations that name the parents of a type's objects.
    func parentRelations(of type: String) -> Set<String> {
        Set((types[type] ?? [:]).values.flatMap { $0.obstacle == nil ? $0.arrows.map(\.parents) : [] })
    }

    /// Returns the relations of an object that a relation implies, with itself.
    func implied(by name: String, of type: String) -> Set<String> {
        var (found, next): (Set<String>, [String]) = ([name], [name])
        while let relation = next.popLast() {
            for (other, definition) in types[type] ?? [:] where definition.obstacle == nil && definition.computed.contains(relation)
            {
                if found.insert(other).inserted { next.append(other) }
            }
        }
        return found
    }
}

/// How a model's relations are held in a store, which inherits privileges by name.
///
/// A holder of a relation on an object gets the relations that it implies there, and those that it gives on objects below.
struct RelationInheritance {
    /// What a holder of a relation gets on the object: by type and relation.
    private(set) var given: [String: [String: Set<String>]] = [:]
    /// The privileges that objects of a type inherit.
    private(set) var inherited: [String: Set<String>] = [:]
    /// Privileges from parents that inheritance by name would give to others too, or not to all: type, privilege and parents.
    private(set) var obstacles: [(type: String, privilege: String, parents: String)] = []

    private let model: RelationModel
    private let mapping: ImportMapping

    init(_ model: RelationModel, _ mapping: ImportMapping) {
        (self.model, self.mapping) = (model, mapping)
        for (type, relations) in model.types {
            for name in relations.keys { given[type, default: [:]][name] = model.implied(by: name, of: type) }
        }
        while passUp() {}
        for type in model.types.keys.sorted() { checkInheritance(of: type) }
    }

    private func privileges(_ relations: Set<String>) -> Set<String> { Set(relations.flatMap { mapping.privileges($0) }) }

    /// A relation of a type that its objects get from a relation of their parents.
    private struct Passage {
        let relation: String
        let parents: String
        let parentType: String
        let parentRelation: String
    }

    private func passages(of type: String) -> [Passage] {
        (model.types[type] ?? [:]).flatMap { name, relation -> [Passage] in
            guard relation.obstacle == nil else { return [] }
            return relation.arrows.flatMap { arrow in
                (model.relation(arrow.parents, of: type)?.subjectTypes ?? []).map {
                    Passage(relation: name, parents: arrow.parents, parentType: $0, parentRelation: arrow.relation)
                }
            }
        }
    }

    /// Gives holders on parents what they have below, if the parents' type has no relation of that name. Returns whether that
    /// changed anything.
    private mutating func passUp() -> Bool {
        var isChanged = false
        for type in model.types.keys {
            for passage in passages(of: type) {
                let passed = given[type]?[passage.relation] ?? []
                let own = model.types[passage.parentType] ?? [:]
                inherited[type, default: []].formUnion(privileges(passed))
                for holder in own.keys where model.implied(by: holder, of: passage.parentType).contains(passage.parentRelation) {
                    let new = passed.filter { own[$0] == nil }.subtracting(given[passage.parentType]?[holder] ?? [])
                    if !new.isEmpty {
                        given[passage.parentType, default: [:]][holder, default: []].formUnion(new)
                        isChanged = true
                    }
                }
            }
        }
        return isChanged
    }

    /// Compares inheritance by name with the model for each relation of each parent, and drops what differs.
    private mutating func checkInheritance(of type: String) {
        let passages = passages(of: type)
        let mask = inherited[type] ?? []
        var wrong: Set<[String]> = []
        for parents in Set(passages.map { [$0.parents, $0.parentType] }) {
            let (relation, parentType) = (parents[0], parents[1])
            for holder in model.types[parentType]?.keys.sorted() ?? [] {
                let held = model.implied(by: holder, of: parentType)
                var wanted: Set<String> = []
                for passage in passages
                where passage.parents == relation && passage.parentType == parentType && held.contains(passage.parentRelation) {
                    wanted.formUnion(given[type]?[passage.relation] ?? [])
                }
                let actual = mask.intersection(privileges(given[parentType]?[holder] ?? []))
                for name in privileges(wanted).symmetricDifference(actual) { wrong.insert([name, relation]) }
            }
        }
        for name in wrong.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            inherited[type]?.remove(name[0])
            obstacles.append((type, name[0], name[1]))
        }
    }
}

internal import Events

/// A tuple: a subject has a relation to an object.
struct RelationTuple {
    struct Reference {
        let type: String
        /// `*` for all subjects of the type.
        let id: String
    }

    let place: String
    let object: Reference
    let relation: String
    let subject: Reference
    /// If set, the subject is everyone with this relation.
    let subjectRelation: String?
    /// The subject as models restrict it: `type`, `type:*` or `type#relation`.
    var form: String { subjectRelation.map { subject.type + "#" + $0 } ?? subject.type + (subject.id == "*" ? ":*" : "") }
    var until: Instant?
    /// Why it cannot be mapped; nil if it can.
    var obstacle: String?
}

/// Turns tuples and their model into facts.
///
/// A relation becomes the privileges that the mapping gives it, by default one of its name. Holders of a relation that are the subject
/// of a tuple become a role. A relation that a parent gives is inherited.
struct RelationSource {
    /// A relation that can be a subject: everyone who has it.
    private struct Userset: Hashable {
        let type: String
        let relation: String
    }

    private let model: RelationModel
    private let tuples: [RelationTuple]
    private let mapping: ImportMapping
    private let inheritance: RelationInheritance
    private var roles: Set<Userset> = []

    init(_ model: RelationModel, _ tuples: [RelationTuple], _ mapping: ImportMapping) {
        var model = model
        // A model does not always say the types of subjects.
        for tuple in tuples
        where tuple.subjectRelation == nil && model.relation(tuple.relation, of: tuple.object.type)?.permitted == nil {
            model.types[tuple.object.type]?[tuple.relation]?.subjectTypes.insert(tuple.subject.type)
        }
        (self.model, self.tuples, self.mapping) = (model, tuples, mapping)
        inheritance = RelationInheritance(model, mapping)
        var next = tuples.filter { model.permits($0) }.compactMap { tuple in
            tuple.subjectRelation.map { Userset(type: tuple.subject.type, relation: $0) }
        }
        while let userset = next.popLast() {
            guard roles.insert(userset).inserted else { continue }
            // The members of a parent's relation are members too.
            for arrow in model.relation(userset.relation, of: userset.type)?.arrows ?? [] {
                let types = model.relation(arrow.parents, of: userset.type)?.subjectTypes ?? []
                next += types.map { Userset(type: $0, relation: arrow.relation) }
            }
        }
    }

    func read(into facts: inout SourceFacts) {
        for type in model.types.keys.sorted() {
            for (name, relation) in model.types[type]?.sorted(by: { $0.key < $1.key }) ?? [] {
                if let obstacle = relation.obstacle { facts.skip("`\(type)#\(name)`", obstacle) }
            }
        }
        for (type, name, used) in model.incomplete() {
            facts.skip("`\(type)#\(name)`", "it uses `\(used)`, which cannot be mapped, so not all of its holders have it")
        }
        readInheritance(into: &facts)
        for (type, privilege, parents) in inheritance.obstacles {
            facts.skip(
                "`\(type)#\(privilege)`",
                "it comes from `\(parents)`, and objects inherit by name: the holders of `\(privilege)` there are others than the model's"
            )
        }
        var types: [Name: String] = [:]
        for tuple in tuples {
            let other = [tuple.object, tuple.subject].first { reference in
                let name = object(reference)
                let first = types[name] ?? reference.type
                types[name] = first
                return reference.id != "*" && first != reference.type
            }
            if let other {
                facts.skip(tuple.place, "the mapping gives `\(object(other).excerpt)` to another type too; use another class")
            } else {
                read(tuple, into: &facts)
            }
        }
    }

    /// Objects of a class inherit what all its types with parents inherit.
    private func readInheritance(into facts: inout SourceFacts) {
        for (className, types) in Dictionary(grouping: model.types.keys, by: { mapping.className(ofType: $0) }) {
            let sets = types.filter { !model.parentRelations(of: $0).isEmpty }.map { inheritance.inherited[$0] ?? [] }
            let shared = sets.dropFirst().reduce(sets.first ?? []) { $0.intersection($1) }
            facts.inherited[className] = shared
            for privilege in Set(sets.joined()).subtracting(shared).sorted() {
                facts.skip("class `\(className)`", "not all of its types inherit `\(privilege)`; give them classes of their own")
            }
        }
    }

    private func read(_ tuple: RelationTuple, into facts: inout SourceFacts) {
        let type = tuple.object.type
        if let obstacle = tuple.obstacle { return facts.skip(tuple.place, obstacle) }
        guard let relation = model.relation(tuple.relation, of: type) else {
            return facts.skip(tuple.place, "the model has no relation `\(Name(type + "#" + tuple.relation).excerpt)`")
        }
        guard relation.isDirect, relation.obstacle == nil else {
            return facts.skip(tuple.place, "`\(type)#\(tuple.relation)` cannot be mapped")
        }
        guard model.permits(tuple) else {
            return facts.skip(
                tuple.place, "the model does not let `\(type)#\(tuple.relation)` have the subject `\(Name(tuple.form).excerpt)`")
        }
        if tuple.subjectRelation == nil, model.parentRelations(of: type).contains(tuple.relation) {
            return readParent(tuple, into: &facts)
        }
        guard let subject = subject(of: tuple, into: &facts) else { return }
        let period = SourceFacts.Period(to: tuple.until)
        for name in model.implied(by: tuple.relation, of: type).sorted() {
            let userset = Userset(type: type, relation: name)
            if roles.contains(userset) { facts.addMember(subject, to: role(userset, tuple.object.id), period, at: tuple.place) }
        }
        if isGroup(type) { return }
        let names = inheritance.given[type]?[tuple.relation] ?? []
        facts.addGrant(
            subject, Set(names.flatMap { mapping.privileges($0) }).sorted(), on: object(tuple.object), period, at: tuple.place)
    }

    private func readParent(_ tuple: RelationTuple, into facts: inout SourceFacts) {
        guard tuple.until == nil else { return facts.skip(tuple.place, "a parent cannot have an end") }
        guard tuple.subject.id != "*" else { return facts.skip(tuple.place, "a parent is one object, not all of a type") }
        for (name, relation) in model.types[tuple.object.type] ?? [:] {
            let userset = Userset(type: tuple.object.type, relation: name)
            guard roles.contains(userset) else { continue }
            for arrow in relation.arrows where arrow.parents == tuple.relation {
                let above = role(Userset(type: tuple.subject.type, relation: arrow.relation), tuple.subject.id)
                for implied in model.implied(by: name, of: tuple.object.type) {
                    let group = Userset(type: tuple.object.type, relation: implied)
                    if roles.contains(group) { facts.addMember(above, to: role(group, tuple.object.id), at: tuple.place) }
                }
            }
        }
        if !isGroup(tuple.object.type) {
            facts.addObject(object(tuple.object), parent: object(tuple.subject), at: tuple.place)
        }
    }

    /// Whether every relation of a type is used as a subject, so that its objects are roles and nothing else.
    private func isGroup(_ type: String) -> Bool {
        let parents = model.parentRelations(of: type)
        let isPure = (model.types[type] ?? [:]).allSatisfy {
            parents.contains($0.key) || roles.contains(Userset(type: type, relation: $0.key))
        }
        return isPure
            && !model.types.contains { other, relations in
                other != type
                    && model.parentRelations(of: other).contains { relations[$0]?.subjectTypes.contains(type) ?? false }
            }
    }

    private func subject(of tuple: RelationTuple, into facts: inout SourceFacts) -> Name? {
        let (type, id) = (tuple.subject.type, tuple.subject.id)
        if let relation = tuple.subjectRelation {
            guard let definition = model.relation(relation, of: type), definition.obstacle == nil else {
                facts.skip(tuple.place, "`\(Name(type + "#" + relation).excerpt)` cannot be mapped")
                return nil
            }
            return role(Userset(type: type, relation: relation), id)
        }
        let className = mapping.className(ofType: type)
        guard className == "user" || className == "thing" && id != "*" else {
            facts.skip(
                tuple.place,
                "subjects of the type `\(Name(type).excerpt)` are no users; give its class, user or thing, in `types` of the mapping"
            )
            return nil
        }
        return id == "*" ? .everyone : Name(className + ":" + id)
    }

    private func object(_ reference: RelationTuple.Reference) -> Name {
        Name(mapping.className(ofType: reference.type) + ":" + reference.id)
    }

    /// Returns `role:TYPE:ID#RELATION`, without a relation called `member`, and without a type that the mapping calls `role`.
    private func role(_ userset: Userset, _ id: String) -> Name {
        let type = mapping.className(ofType: userset.type) == "role" && userset.type != "role" ? "" : userset.type + ":"
        return Name("role:" + type + id + (userset.relation == "member" ? "" : "#" + userset.relation))
    }
}

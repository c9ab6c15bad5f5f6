import Events
import Importers
import Muniment
import RandomHistories
import TestSupport
import Testing

@Suite("Importing OpenFGA: random models")
struct RandomRelationTests {
    private static let relations = ["a", "b", "c"]
    private static let types = ["org", "folder", "doc"]

    /// One term of a relation's definition.
    private enum Term: Hashable {
        case direct
        case computed(String)
        case from(String)

        var json: String {
            switch self {
            case .direct: #"{"this":{}}"#
            case .computed(let name): #"{"computedUserset":{"relation":"\#(name)"}}"#
            case .from(let name): #"{"tupleToUserset":{"tupleset":{"relation":"in"},"computedUserset":{"relation":"\#(name)"}}}"#
            }
        }
    }

    private struct Tuple: Hashable {
        let user: String
        let relation: String
        let object: String
    }

    /// A model and its tuples, evaluated as OpenFGA defines them.
    private struct World {
        var model: [String: [String: [Term]]] = [:]
        var tuples: Set<Tuple> = []

        init(_ random: inout SplitMix64) {
            for type in RandomRelationTests.types {
                for name in RandomRelationTests.relations where random.chance(percent: 75) {
                    var terms: [Term] = [.direct]
                    for other in RandomRelationTests.relations where other != name && random.chance(percent: 15) {
                        terms.append(.computed(other))
                    }
                    for other in RandomRelationTests.relations where type != "org" && random.chance(percent: other == name ? 40 : 4)
                    {
                        terms.append(.from(other))
                    }
                    model[type, default: [:]][name] = terms
                }
                // A relation that does not exist cannot be used.
                let known = model[type] ?? [:]
                model[type] = known.mapValues { terms in
                    terms.filter { if case .computed(let other) = $0 { known[other] != nil } else { true } }
                }
            }
            for (child, parent) in [("folder:1", "org:1"), ("folder:2", "folder:1"), ("doc:1", "folder:2"), ("doc:2", "org:1")] {
                if random.chance(percent: 75) { tuples.insert(Tuple(user: parent, relation: "in", object: child)) }
            }
            for _ in 0..<8 {
                let object = ["org:1", "folder:1", "folder:2", "doc:1", "doc:2"][random.number(0...4)]
                let type = String(object.prefix { $0 != ":" })
                guard let name = model[type]?.keys.sorted().randomElement(using: &random) else { continue }
                var user = "user:\(random.number(0...2))"
                if random.chance(percent: 25), let other = model["org"]?.keys.sorted().randomElement(using: &random), type != "org"
                {
                    user = "org:1#\(other)"
                }
                tuples.insert(Tuple(user: user, relation: name, object: object))
            }
        }

        func holds(_ user: String, _ relation: String, _ object: String, depth: Int = 0) -> Bool {
            let type = String(object.prefix { $0 != ":" })
            guard depth < 12, let terms = model[type]?[relation] else { return false }
            return terms.contains { term in
                switch term {
                case .direct:
                    tuples.contains { tuple in
                        guard tuple.relation == relation, tuple.object == object else { return false }
                        let parts = tuple.user.split(separator: "#").map(String.init)
                        return parts.count == 1 ? tuple.user == user : holds(user, parts[1], parts[0], depth: depth + 1)
                    }
                case .computed(let other): holds(user, other, object, depth: depth + 1)
                case .from(let other):
                    tuples.contains { $0.relation == "in" && $0.object == object && holds(user, other, $0.user, depth: depth + 1) }
                }
            }
        }

        var modelJSON: String {
            let definitions = RandomRelationTests.types.map { type in
                var relations = (model[type] ?? [:]).map {
                    #""\#($0.key)":{"union":{"child":[\#($0.value.map(\.json).joined(separator: ","))]}}"#
                }
                if type != "org" { relations.append(#""in":{"this":{}}"#) }
                return #"{"type":"\#(type)","relations":{\#(relations.joined(separator: ","))}}"#
            }
            return #"{"type_definitions":[{"type":"user"},\#(definitions.joined(separator: ","))]}"#
        }

        var tupleJSON: String {
            "["
                + tuples.map { #"{"user":"\#($0.user)","relation":"\#($0.relation)","object":"\#($0.object)"}"# }.joined(
                    separator: ",") + "]"
        }
    }

    @Test("The store never allows more than the model, and the same if everything could be mapped")
    func random() throws {
        var (complete, allowed) = (0, 0)
        for seed in UInt64(1)...60 {
            var random = SplitMix64(seed: seed)
            let world = World(&random)
            if world.tuples.isEmpty { continue }
            try SourceFiles.inFreshFolder { files in
                let facts = try files.facts(["a": world.modelJSON, "b": world.tupleJSON], .openfga)
                guard !facts.isEmpty else { return }
                try files.load(facts)
                if facts.unmapped.isEmpty { complete += 1 }
                try files.withStore { store in
                    try store.read { snapshot in
                        for object in ["org:1", "folder:1", "folder:2", "doc:1", "doc:2"] {
                            let type = String(object.prefix { $0 != ":" })
                            for (relation, user) in (world.model[type] ?? [:]).keys.flatMap({ name in
                                (0..<3).map { (name, "user:\($0)") }
                            }) {
                                let wanted = world.holds(user, relation, object)
                                let found = try snapshot.check(Name(user), [relation], on: Name(object)).isAllowed
                                let isRight = facts.unmapped.isEmpty ? found == wanted : !found || wanted
                                if found { allowed += 1 }
                                #expect(
                                    isRight,
                                    "seed \(seed): \(user) \(relation) \(object) is \(found): \(world.modelJSON) \(world.tupleJSON)"
                                )
                            }
                        }
                    }
                }
            }
        }
        #expect(complete > 10 && allowed > 100, "complete \(complete), allowed \(allowed)")
    }
}

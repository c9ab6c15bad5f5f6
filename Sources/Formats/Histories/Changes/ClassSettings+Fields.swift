import Events
import Permissions

extension ClassSettings {
    /// Parses the options of a `defineClass` or `changeClass`.
    init(_ fields: inout Fields) throws(LineProblem) {
        self.init(
            objectACL: try fields.choice("objectACL", [("none", ObjectACL.none), ("required", ObjectACL.required)]),
            composition: try fields.choice(
                "composition", [("narrowing", Composition.narrowing), ("widening", Composition.widening)]),
            inherits: try fields.optional("inherits", ClassSettings.inheritance),
            creatorPrivileges: try fields.optionalTexts("creatorPrivileges"),
            creatorPermanent: try fields.optionalFlag("creatorPermanent"),
            readThroughLinks: try fields.optionalFlag("readThroughLinks"),
            privileges: try fields.optionalTexts("privileges"),
            properties: try fields.optionalTexts("properties"),
            aliases: try fields.optional("aliases", ClassSettings.aliases))
    }

    /// Parses an object with one member for each alias: a privilege or a list of privileges.
    private static func aliases(_ value: JSONValue) throws(LineProblem) -> [Alias] {
        var aliases: [Alias] = []
        for (name, meaning) in try value.members {
            do {
                if case .string(let privilege) = meaning {
                    aliases.append(Alias(name, for: [privilege]))
                } else {
                    aliases.append(Alias(name, for: try meaning.texts))
                }
            } catch { throw error.inside(name) }
        }
        return aliases
    }

    /// Parses true for everything, false for nothing, or a list of privileges.
    private static func inheritance(_ value: JSONValue) throws(LineProblem) -> Inheritance {
        switch value {
        case .bool(let isFull): return isFull ? .everything : .nothing
        case .array: return .only(try value.texts)
        default: throw value.wrongType("true, false or a list of privileges")
        }
    }
}

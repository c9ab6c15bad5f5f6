import Events
import Permissions

extension ClassSettings {
    /// The options among the keys of a `defineClass` or `changeClass`.
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
            properties: try fields.optionalTexts("properties"))
    }

    /// true for everything, false for nothing, or a list of privileges.
    private static func inheritance(_ value: JSONValue) throws(LineProblem) -> Inheritance {
        switch value {
        case .bool(let isFull): return isFull ? .everything : .nothing
        case .array: return .only(try value.texts)
        default: throw value.wrongType("true, false or a list of privileges")
        }
    }
}

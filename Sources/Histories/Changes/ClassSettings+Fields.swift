import Events
import Foundation
import Permissions

extension ClassSettings {
    /// The options among the keys of a `defineClass` or `changeClass`.
    init(_ fields: inout Fields) throws {
        self.init(
            objectACL: try fields.choice("objectACL", [("none", ObjectACL.none), ("required", ObjectACL.required)]),
            composition: try fields.choice(
                "composition", [("narrowing", Composition.narrowing), ("widening", Composition.widening)]),
            inherits: try fields.optional("inherits", InheritanceForm.self)?.inheritance,
            creatorPrivileges: try fields.optional("creatorPrivileges"),
            creatorPermanent: try fields.optional("creatorPermanent"),
            readThroughLinks: try fields.optional("readThroughLinks"),
            privileges: try fields.optional("privileges"),
            properties: try fields.optional("properties"))
    }
}

/// true for everything, false for nothing, or a list of privileges.
private struct InheritanceForm: Decodable {
    let inheritance: ClassSettings.Inheritance

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let isFull = try? container.decode(Bool.self) {
            inheritance = isFull ? .everything : .nothing
        } else if let privileges = try? container.decode([String].self) {
            inheritance = .only(privileges)
        } else {
            throw LineProblem(
                path: decoder.codingPath, nil, problem: "has the wrong type", remedy: "write true, false or a list of privileges")
        }
    }
}

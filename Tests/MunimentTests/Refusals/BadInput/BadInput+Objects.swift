import Events
import Permissions

extension BadInput {
    private static func nested(_ depth: Int) -> JSONValue { (0..<depth).reduce(.null) { value, _ in .array([value]) } }
    private static let large = JSONValue.string(String(repeating: "x", count: Limits.valueBytes))
    private static let manyLinks = JSONValue.array(
        (0...Limits.linksPerValue).map { .object(["$ref": .string("doc:\($0)")]) })
    /// A value within the limit without its escapes, and too long with them.
    private static let escaped = JSONValue.string(String(repeating: "\"", count: Limits.valueBytes / 2 + 1))

    /// Invalid object values.
    private static let values: [(code: Refusal.Code, value: JSONValue)] = [
        (.tooLarge, large), (.tooLarge, .object(["n": large])), (.tooLarge, escaped), (.tooLarge, manyLinks),
        (.tooLarge, nested(Limits.valueDepth + 1)), (.tooLarge, .array([JSONValue](repeating: .null, count: Limits.valueBytes))),
    ]

    static let objects: [BadInput] =
        [
            BadInput(.unknownClass, "box", .createObject("box:1")), BadInput(.unknownClass, "new", .createObject("new:1")),
            BadInput(.alreadyExists, "doc:1", .createObject("doc:1")),
            BadInput(.alreadyExists, "doc:1", .createObject("doc:1", parent: "doc:mid", value: .null, owner: "user:ann")),
            BadInput(.unknownObject, "doc:none", .createObject("doc:new", parent: "doc:none")),
            // An object as its own parent.
            BadInput(.unknownObject, "doc:new", .createObject("doc:new", parent: "doc:new")),
            BadInput(.unknownPrincipal, "user:none", .createObject("doc:new", owner: "user:none")),
            BadInput(.unknownPrincipal, "role:none", .createObject("doc:new", owner: "role:none")),
            BadInput(.unknownPrincipal, "doc:1", .createObject("doc:new", owner: "doc:1")),
            BadInput(.unknownPrincipal, "store", .createObject("doc:new", owner: .store)),
            BadInput(.unknownObject, "doc:none", .writeObject("doc:none", .value(.null))),
            BadInput(.unknownObject, "new:1", .writeObject("new:1", .merge(.null))),
            BadInput(.conflict, "doc:1", .writeObject("doc:1", .value(.null), expectedRevision: .genesis)),
            BadInput(.conflict, "doc:1", .writeObject("doc:1", .merge(.object([:])), expectedRevision: Revision(99))),
            BadInput(.conflict, "doc:1", .writeObject("doc:1", .value(.null), expectedRevision: Revision(.max))),
            BadInput(.malformed, "nan", .writeObject("doc:1", .value(.number(.nan)))),
            BadInput(.malformed, "inf", .writeObject("doc:1", .merge(.object(["n": .number(.infinity)])))),
            BadInput(.malformed, "-inf", .createObject("doc:new", value: .array([.number(-.infinity)]))),
            BadInput(.cycle, "doc:1", .moveObject("doc:1", parent: "doc:1")),
            BadInput(.cycle, "doc:1", .moveObject("doc:1", parent: "doc:mid")),
            BadInput(.cycle, "doc:1", .moveObject("doc:1", parent: "doc:leaf")),
            BadInput(.cycle, "doc:mid", .moveObject("doc:mid", parent: "doc:leaf")),
            BadInput(.unknownObject, "doc:none", .moveObject("doc:none", parent: nil)),
            BadInput(.unknownObject, "doc:none", .moveObject("doc:none", parent: "doc:1")),
            BadInput(.unknownObject, "doc:none", .moveObject("doc:1", parent: "doc:none")),
            BadInput(.unknownObject, "new:1", .moveObject("doc:1", parent: "new:1")),
            BadInput(.unknownObject, "doc:none", .deleteObject("doc:none")),
            BadInput(.unknownObject, "new:1", .deleteObject("new:1")),
            BadInput(.unknownObject, "doc:none", .setOwner("doc:none", owner: "user:ann")),
            BadInput(.unknownPrincipal, "user:none", .setOwner("doc:1", owner: "user:none")),
            BadInput(.unknownPrincipal, "role:none", .setOwner("doc:1", owner: "role:none")),
            BadInput(.unknownPrincipal, "doc:leaf", .setOwner("doc:1", owner: "doc:leaf")),
        ]
        + values.flatMap { row in
            [
                BadInput(row.code, "doc:new", .createObject("doc:new", value: row.value)),
                BadInput(row.code, "doc:1", .writeObject("doc:1", .value(row.value))),
                BadInput(row.code, "doc:1", .writeObject("doc:1", .merge(.object(["m": row.value])))),
            ]
        }
}

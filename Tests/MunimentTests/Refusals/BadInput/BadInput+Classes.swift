import Events
import Permissions

extension BadInput {
    private static let long = String(repeating: "c", count: 129)
    private static let tooManyPrivileges = (0..<24).map { "privilege \($0)" }
    private static let tooManyProperties = (0..<65).map { "property \($0)" }

    /// Invalid settings of a class, with the error of each.
    private static let settings: [(code: Refusal.Code, quoted: String?, settings: ClassSettings)] = [
        (.malformed, "fly", ClassSettings(inherits: .only(["fly"]))),
        (.malformed, "fly", ClassSettings(inherits: .only(["read", "fly"]))),
        (.malformed, "", ClassSettings(inherits: .only([""]))),
        (.malformed, "fly", ClassSettings(creatorPrivileges: ["fly"])),
        (.malformed, "approve", ClassSettings(creatorPrivileges: ["read", "approve"])),
        (.malformed, "*", ClassSettings(creatorPrivileges: ["*"])),
        (.malformed, "read", ClassSettings(privileges: ["read"])),
        (.malformed, "", ClassSettings(privileges: ["approve", ""])),
        (.malformed, "a\u{7}", ClassSettings(privileges: ["a\u{7}"])),
        (.tooLarge, long, ClassSettings(privileges: [long])),
        (.tooLarge, "privilege 23", ClassSettings(privileges: tooManyPrivileges)),
        (.malformed, "", ClassSettings(properties: [""])),
        (.malformed, "a\u{85}", ClassSettings(properties: ["n", "a\u{85}"])),
        (.tooLarge, long, ClassSettings(properties: [long])),
        (.tooLarge, nil, ClassSettings(properties: tooManyProperties)),
    ]

    static let classes: [BadInput] =
        [
            BadInput(.alreadyExists, "doc", .defineClass("doc")), BadInput(.alreadyExists, "role", .defineClass("role")),
            BadInput(.alreadyExists, "store", .defineClass("store")), BadInput(.alreadyExists, "class", .defineClass("class")),
            BadInput(.malformed, "class:", .defineClass("")), BadInput(.malformed, "a:b", .defineClass("a:b")),
            BadInput(.malformed, "class:doc", .defineClass("class:doc")),
            BadInput(.malformed, "everyone", .defineClass("everyone")),
            BadInput(.malformed, "anonymous", .defineClass("anonymous")), BadInput(.malformed, "class:a\tb", .defineClass("a\tb")),
            BadInput(.tooLarge, long, .defineClass(long)),
            BadInput(.unknownClass, "box", .changeClass("box", ClassSettings())),
            BadInput(.unknownClass, "new", .changeClass("new", ClassSettings(objectACL: .required))),
            BadInput(.malformed, "class:", .changeClass("", ClassSettings())),
            BadInput(.malformed, "role:r", .changeClass("role:r", ClassSettings())),
            BadInput(.malformed, "class:doc", .changeClass("class:doc", ClassSettings())),
            BadInput(.malformed, "class:d\u{0}c", .changeClass("d\u{0}c", ClassSettings())),
            BadInput(.tooLarge, long, .changeClass(long, ClassSettings())),
            BadInput(.malformed, "fly", .changeClass("role", ClassSettings(creatorPrivileges: ["fly"]))),
        ]
        + settings.flatMap { row in
            [
                BadInput(row.code, row.quoted ?? "new", .defineClass("new", row.settings)),
                BadInput(row.code, row.quoted ?? "doc", .changeClass("doc", row.settings)),
            ]
        }
}

import Events
import Muniment
import Permissions
import Wire

extension Option {
    fileprivate static let prefix = Option("prefix", value: "TEXT", "only names that begin with this text, as in doc:2024-")
}

/// What exists: lists of names, and all that the store records about one.
extension Command {
    static let list = Command(
        "list", "list what exists: the objects of a class, or with user, thing, role, class or permission those",
        sentence: "CLASS", options: [.prefix] + Option.list,
        example: Example("list role", "role:editors")
    ) { call in
        let className = try call.className()
        try call.end()
        let prefix = call.options[.prefix] ?? ""
        return try call.list("names", column: "name", QueryMembers(className: className)) { snapshot, _ in
            let names = try snapshot.names(NameFilter(prefix: prefix, className: className), limit: .max)
            if names.isEmpty { call.note("nothing has such a name at revision \(snapshot.revision)") }
            return names
        }
    }

    static let show = Command(
        "show", "show what the store records about a name: its entries, members, roles, options, owner, parent",
        sentence: "NAME", options: Option.question,
        example: Example(
            "show role:editors",
            """
            role:editors
              class         role
              members       user:bob
            …
            """)
    ) { call in
        let name = try call.name("the name")
        try call.end()
        let (found, when) = try call.ask { snapshot in
            guard let description = try snapshot.description(of: name) else {
                throw Refusal(.unknownObject, "`\(name)` does not exist at revision \(snapshot.revision)")
            }
            return ((description, try snapshot.entries(on: name)), snapshot.members)
        }
        let (description, access) = found
        let zone = try call.zone
        return try call.answer(
            .object(description.json(limit: .max).with(["access": .array(access.map(\.json))]).with(when)),
            lines: description.lines(access: access, time: zone.text))
    }
}

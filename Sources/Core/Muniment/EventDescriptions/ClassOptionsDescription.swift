package import Events
internal import Permissions

/// The options of a class, as words and as JSON.
package struct ClassOptionsDescription {
    package let options: ClassOptions
    /// Returns the names of privileges, sorted.
    package let names: (Privileges) -> [String]

    /// The options that are set, a phrase each.
    package var words: [String] {
        var words = [options.objectACL == ObjectACL.required ? "entries on each object" : "no entries on objects"]
        if options.composition == .widening { words.append("the class or the object gives access") }
        if !options.inherits.isEmpty { words.append("objects inherit \(options.inherits.words(names))") }
        if !options.creatorPrivileges.isEmpty {
            words.append(
                "creators get \(options.creatorPrivileges.words(names))" + (options.creatorPermanent ? ", permanently" : ""))
        }
        if options.readThroughLinks { words.append("readable through links") }
        if !options.privileges.isEmpty { words.append("privileges \(options.privileges.words(names))") }
        if !options.properties.isEmpty { words.append("properties \(options.properties.joined(separator: ", "))") }
        if !options.aliases.isEmpty {
            let aliases = options.aliases.map { "\($0.name)=\(names($0.privileges).joined(separator: "+"))" }
            words.append("aliases " + aliases.joined(separator: ", "))
        }
        return words
    }

    /// The options with the keys of `SCENARIOS.md`.
    package var json: JSONValue {
        func list(_ privileges: Privileges) -> JSONValue { .texts(names(privileges)) }
        var members: JSONObject = [
            "objectACL": .string(options.objectACL == ObjectACL.required ? "required" : "none"),
            "composition": .string(options.composition == .narrowing ? "narrowing" : "widening"),
            "inherits": options.inherits == .all ? .bool(true) : options.inherits.isEmpty ? .bool(false) : list(options.inherits),
            "creatorPrivileges": list(options.creatorPrivileges),
            "creatorPermanent": .bool(options.creatorPermanent),
            "readThroughLinks": .bool(options.readThroughLinks),
            "privileges": list(options.privileges),
            "properties": .texts(options.properties),
        ]
        if !options.aliases.isEmpty {
            members["aliases"] = .object(JSONObject(options.aliases.map { ($0.name, list($0.privileges)) }))
        }
        return .object(members)
    }
}

extension Privileges {
    /// Returns the set in words: `everything`, `nothing`, or the names.
    func words(_ names: (Privileges) -> [String]) -> String {
        if self == .all { return "everything" }
        return isEmpty ? "nothing" : names(self).joined(separator: ", ")
    }
}

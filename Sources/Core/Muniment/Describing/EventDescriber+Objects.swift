internal import Events
internal import Permissions

/// Events about objects and classes.
extension EventDescriber {
    /// The largest number of characters of a value that a sentence quotes.
    private static let excerptLength = 200

    func describe(_ event: ObjectCreated) throws -> EventDescription {
        let (object, owner) = (try name(event.object), try name(event.owner))
        var sentence = "\(object) was created"
        var members: JSONObject = ["object": .string(object), "owner": .string(owner)]
        if !withheld.contains(.parent), let parent = try event.parent.map({ try name($0) }) {
            sentence += " in \(parent)"
            members["parent"] = .string(parent)
        }
        sentence += ", owned by \(owner)"
        if !withheld.contains(.value), let value = event.value {
            sentence += ", with the value \(excerpt(value))"
            members["value"] = try JSONText.decode(value)
        }
        return EventDescription("ObjectCreated", sentence, members)
    }

    func describe(_ event: ObjectWritten) throws -> EventDescription {
        let object = try name(event.object)
        guard !withheld.contains(.value) else {
            return EventDescription("ObjectWritten", "the value of \(object) was changed", ["object": .string(object)])
        }
        return EventDescription(
            "ObjectWritten", "the value of \(object) became \(excerpt(event.value))",
            ["object": .string(object), "value": try JSONText.decode(event.value)])
    }

    func describe(_ event: ObjectMoved) throws -> EventDescription {
        let object = try name(event.object)
        guard !withheld.contains(.parent) else {
            return EventDescription("ObjectMoved", "\(object) was moved", ["object": .string(object)])
        }
        let parent = try event.parent.map { try name($0) }
        return EventDescription(
            "ObjectMoved", "\(object) was moved " + (parent.map { "to \($0)" } ?? "to the top"),
            ["object": .string(object), "parent": .optional(parent)])
    }

    func describe(_ event: ObjectDeleted) throws -> EventDescription {
        let object = try name(event.object)
        return EventDescription("ObjectDeleted", "\(object) was deleted, with everything in it", ["object": .string(object)])
    }

    func describe(_ event: OwnerChanged) throws -> EventDescription {
        let (object, owner) = (try name(event.object), try name(event.owner))
        return EventDescription(
            "OwnerChanged", "\(object) was given to \(owner)", ["object": .string(object), "owner": .string(owner)])
    }

    private func excerpt(_ value: [UInt8]) -> String {
        let text = String(decoding: value, as: UTF8.self)
        return text.count <= Self.excerptLength ? text : text.prefix(Self.excerptLength) + "…"
    }
}

extension EventDescriber {
    func describe(
        _ kind: String, _ verb: String, _ classID: Introduction<ClassID>, _ options: ClassOptions
    ) throws -> EventDescription {
        let name = try name(classID)
        return EventDescription(
            kind, "\(name) \(verb): " + words(options).joined(separator: "; "), ["class": .string(name), "options": json(options)])
    }

    /// Returns the options that are set, in words.
    private func words(_ options: ClassOptions) -> [String] {
        var words = [options.objectACL == ObjectACL.required ? "entries on each object" : "no entries on objects"]
        if options.composition == .widening { words.append("the class or the object gives access") }
        if !options.inherits.isEmpty { words.append("objects inherit \(self.words(options.inherits))") }
        if !options.creatorPrivileges.isEmpty {
            words.append(
                "creators get \(self.words(options.creatorPrivileges))"
                    + (options.creatorPermanent ? ", permanently" : ""))
        }
        if options.readThroughLinks { words.append("readable through links") }
        if !options.privileges.isEmpty { words.append("privileges \(self.words(options.privileges))") }
        if !options.properties.isEmpty { words.append("properties \(options.properties.joined(separator: ", "))") }
        if !options.aliases.isEmpty {
            words.append(
                "aliases "
                    + options.aliases.map { "\($0.name)=\(commit.names(of: $0.privileges).joined(separator: "+"))" }.joined(
                        separator: ", "))
        }
        return words
    }

    /// Returns the options with the keys of `SCENARIOS.md`.
    private func json(_ options: ClassOptions) -> JSONValue {
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

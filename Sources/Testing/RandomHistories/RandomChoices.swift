package import Events
internal import Permissions

/// Chooses the names in a change or a question.
extension RandomHistory {
    /// Returns an object of a defined class, usually an existing one.
    package mutating func object() -> Name {
        expected.objects.isEmpty || random.chance(percent: 4)
            ? random.one(of: vocabulary.objects) : random.one(of: expected.objects)
    }

    /// Returns any name that can have entries.
    package mutating func target() -> Name {
        switch random.number(0...99) {
        case 0..<72: object()
        case 72..<84: .class(random.one(of: vocabulary.classes + ["role", "class"]))
        case 84..<91: role()
        case 91..<95: .store
        case 95..<97: permission()
        case 97..<98: random.one(of: vocabulary.users)
        default: .class(random.one(of: vocabulary.builtInClasses + ["absent"]))
        }
    }

    /// Returns any name that can be a parent: usually an object, sometimes another kind.
    mutating func parent() -> Name {
        switch random.number(0...99) {
        case 0..<88: object()
        case 88..<94: role()
        case 94..<96: random.one(of: vocabulary.users)
        case 96..<98: .class(random.one(of: vocabulary.classes))
        default: .store
        }
    }

    mutating func subject() -> Name {
        switch random.number(0...99) {
        case 0..<43: random.one(of: vocabulary.users)
        case 43..<76: role()
        case 76..<88: .everyone
        case 88..<93: .anonymous
        case 93..<97: random.one(of: vocabulary.things)
        default: random.one(of: vocabulary.unregisteredUsers)
        }
    }

    /// Returns a subject and an object that should have an entry, or any two.
    package mutating func entry() -> (Name, Name) {
        switch random.number(0...99) {
        case 0..<70 where !expected.grants.isEmpty: random.one(of: expected.grants)
        case 70..<80: (.everyone, .class(random.one(of: vocabulary.classes)))
        case 80..<83: (.everyone, .store)
        default: (subject(), target())
        }
    }

    mutating func member() -> Name {
        switch random.number(0...99) {
        case 0..<50: random.one(of: vocabulary.users)
        case 50..<88: role()
        case 88..<94: .everyone
        case 94..<98: random.one(of: vocabulary.things)
        default: .anonymous
        }
    }

    mutating func role() -> Name { mostly(expected.roles, or: vocabulary.roles) }

    mutating func permission() -> Name { mostly(expected.permissions, or: vocabulary.permissions) }

    private mutating func mostly(_ expected: [Name], or all: [Name]) -> Name {
        random.one(of: expected.isEmpty || random.chance(percent: 15) ? all : expected)
    }

    /// Returns some distinct privileges, with custom ones if the object can have them.
    mutating func privileges(on object: Name) -> [String] {
        let everyday = ["read", "update", "delete", "query"]
        var choices = everyday + everyday + Privileges.builtInNames
        if object != .store { choices += vocabulary.customPrivileges.prefix(random.number(0...2)) }
        if random.chance(percent: 1) { choices.append("nosuch") }
        return Set(random.some(1...4, of: choices)).sorted()
    }

    /// Privileges for a permission. A permission has no class that could define custom ones.
    mutating func sharedPrivileges() -> [String] { random.some(1...3, of: ["read", "update", "delete", "query"]).sorted() }
}

/// Generates values and class options.
extension RandomHistory {
    mutating func value() -> JSONValue {
        switch random.number(0...49) {
        case 0: return .null
        case 1: return .string("plain")
        case 2: return .array([link(), .bool(true)])
        default: break
        }
        var members: JSONObject = [:]
        if random.chance(percent: 90) { members["n"] = number() }
        if random.chance(percent: 90) { members["s"] = letter() }
        if random.chance(percent: 30) { members["to"] = .array((0..<random.number(1...2)).map { _ in link() }) }
        if random.chance(percent: 5) { members["deep"] = .object(["x": .array([.object(["y": link()])]), "z": .number(2.5)]) }
        if random.chance(percent: 3) { members["$ref"] = .string(object().text) }
        return .object(members)
    }

    mutating func patch() -> JSONValue {
        switch random.number(0...9) {
        case 0: .object(["s": .null])
        case 1: .object(["to": .null])
        case 2: .object(["to": .array([link()])])
        case 3: .object(["deep": .object(["x": .null, "w": letter()])])
        case 4: .object([:])
        case 5: .object(["s": letter(), "n": number()])
        default: .object(["n": number()])
        }
    }

    package mutating func number() -> JSONValue { .integer(Int64(random.number(0...9))) }

    package mutating func letter() -> JSONValue { .string(random.one(of: ["a", "b", "c"])) }

    private mutating func link() -> JSONValue {
        .object(["$ref": .string(random.chance(percent: 92) ? object().text : target().text)])
    }

    /// Returns aliases. Sometimes an alias has the name of a privilege, or refers to an unknown privilege.
    private mutating func aliases() -> [ClassSettings.Alias] {
        let words = ["may_see", "may_edit", "may_do"] + vocabulary.customPrivileges.prefix(random.chance(percent: 10) ? 1 : 0)
        let meanings = ["read", "update", "delete"] + vocabulary.customPrivileges.prefix(1)
        return random.some(0...3, of: words).map { ClassSettings.Alias($0, for: random.some(1...2, of: meanings)) }
    }

    /// Returns class options: most of them for a definition, one or two for a change.
    mutating func settings(dense: Bool) -> ClassSettings {
        let percent = dense ? 50 : 20
        let owners = ["read", "query", "update", "delete", "setPermissions", "setOwner"]
        let masks = [["read"], ["read", "query", "update"], ["read"] + vocabulary.customPrivileges.prefix(1), []]
        let mask = random.one(of: masks)
        var settings = ClassSettings()
        if random.chance(percent: percent) {
            settings.objectACL = random.chance(percent: dense ? 85 : 60) ? .required : ObjectACL.none
        }
        if random.chance(percent: percent) { settings.composition = random.chance(percent: 60) ? .widening : .narrowing }
        if random.chance(percent: percent) {
            settings.inherits = random.one(of: [.everything, .everything, .nothing, .only(mask)])
        }
        if random.chance(percent: percent) {
            settings.creatorPrivileges = random.one(of: [owners, ["read", "update"], Privileges.builtInNames, []])
        }
        if random.chance(percent: percent) { settings.creatorPermanent = random.chance(percent: 60) }
        if random.chance(percent: percent) { settings.readThroughLinks = random.chance(percent: 60) }
        if random.chance(percent: percent) || dense {
            settings.privileges = random.some(0...3, of: vocabulary.customPrivileges)
            // The store refuses a mask or a creator grant with a privilege that the class does not have.
            if case .only(let names)? = settings.inherits, let custom = vocabulary.customPrivileges.first, names.contains(custom),
                random.chance(percent: 80)
            {
                settings.privileges = [custom]
            }
        }
        if random.chance(percent: percent) || dense { settings.properties = random.some(1...2, of: vocabulary.properties) }
        if random.chance(percent: dense ? 40 : 15) { settings.aliases = aliases() }
        return settings
    }
}

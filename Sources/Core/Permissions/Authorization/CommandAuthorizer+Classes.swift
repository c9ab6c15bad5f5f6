internal import Events

extension CommandAuthorizer {
    func defineClass(_ name: String, _ settings: ClassSettings) throws -> [Event] {
        try checkClassName(name)
        if try existing(.class(name)) != nil {
            throw Refusal(.alreadyExists, "the class `\(name)` is defined already: change it with changeClass")
        }
        var names = state.privilegeNames
        let options = try options(settings, of: name, from: ClassOptions(), names: &names)
        try need(.modifySchema, on: .store, .store)
        let introduction: Introduction<ClassID> = try introduction(of: .class(name))
        let defined = ClassDefined(
            classID: introduction, options: options, newPrivileges: Array(names.custom.dropFirst(state.privilegeNames.custom.count))
        )
        var events: [Event] = [.classDefined(defined)]
        let object = ObjectID(introduction.id)
        if state.preset == .open {
            events.append(.accessGranted(AccessGranted(object: object, subject: .everyone, privileges: .all, cause: .preset)))
        }
        return events + (try creatorEvents(for: object, classID: .class, owner: caller))
    }

    func changeClass(_ name: String, _ settings: ClassSettings) throws -> [Event] {
        try checkClassName(name)
        let classID = try classID(name)
        guard let present = try state.options(of: classID) else { return [] }
        var names = state.privilegeNames
        let options = try options(settings, of: name, from: present, names: &names)
        try need(.modifySchema, on: ObjectID(classID), .class(name))
        guard options != present else { return [] }
        let new = Array(names.custom.dropFirst(state.privilegeNames.custom.count))
        return [.classChanged(ClassChanged(classID: classID, options: options, newPrivileges: new))]
    }

    private func checkClassName(_ name: String) throws {
        try checkForm(.class(name))
        guard !name.utf8.contains(UInt8(ascii: ":")), name != "everyone", name != "anonymous" else {
            throw Refusal(.malformed, "a class cannot be called `\(Name(name).excerpt)`: no colons, not `everyone` or `anonymous`")
        }
        guard name.utf8.count <= Limits.classNameBytes else {
            throw Refusal(.tooLarge, "the name of the class `\(Name(name).excerpt)` has more than \(Limits.classNameBytes) bytes")
        }
    }

    /// Returns options with settings applied, and adds new custom privileges to `names`.
    private func options(
        _ settings: ClassSettings, of name: String, from present: ClassOptions, names: inout PrivilegeNames
    ) throws -> ClassOptions {
        var options = present
        if let custom = settings.privileges { options.privileges = try customPrivileges(custom, names: &names) }
        if let objectACL = settings.objectACL { options.objectACL = objectACL }
        if let composition = settings.composition { options.composition = composition }
        if let permanent = settings.creatorPermanent { options.creatorPermanent = permanent }
        if let throughLinks = settings.readThroughLinks { options.readThroughLinks = throughLinks }
        if let inherits = settings.inherits {
            switch inherits {
            case .nothing: options.inherits = []
            case .everything: options.inherits = .all
            case .only(let list): options.inherits = try named(list, in: names)
            }
        }
        if let creator = settings.creatorPrivileges {
            let privileges = try named(creator, in: names)
            // Creator privileges that the class already gives stay valid, supported or not: a history repeats all options of a
            // class.
            guard options.known.union(present.creatorPrivileges).isSuperset(of: privileges) else {
                let unknownPrivileges = names.names(of: privileges.subtracting(options.known)).joined(separator: "`, `")
                throw Refusal(
                    .malformed,
                    "the class `\(name)` does not have the creator's privilege `\(unknownPrivileges)`: name it in `privileges` too")
            }
            options.creatorPrivileges = privileges
        }
        if let properties = settings.properties { options.properties = try checkedProperties(properties, of: name) }
        if let aliases = settings.aliases { options.aliases = try checkedAliases(aliases, of: name, in: names) }
        // An alias must not equal a privilege of its class: the word would be ambiguous. A later privilege must not equal an
        // alias either.
        if let alias = options.aliases.first(where: { names.privilege($0.name).map(options.privileges.isSuperset) ?? false }) {
            throw Refusal(
                .malformed, "`\(alias.name)` is a privilege of the class `\(name)` and cannot be an alias too: take another word")
        }
        return options
    }

    private func customPrivileges(_ custom: [String], names: inout PrivilegeNames) throws -> Privileges {
        var privileges: Privileges = []
        for name in custom {
            guard !Privileges.builtInNames.contains(name) else {
                throw Refusal(.malformed, "`\(name)` is a built-in privilege; every class has it")
            }
            try checkSymbol(name, "a privilege")
            if names.privilege(name) == nil, authority != .importer, let problem = Name.problem(asNew: name) { throw problem }
            guard let privilege = names.privilege(name) ?? names.define(name) else {
                throw Refusal(.tooLarge, "a store has at most \(Privileges.customLimit) custom privileges; `\(name)` is one more")
            }
            privileges.formUnion(privilege)
        }
        return privileges
    }

    func named(
        _ list: [String], in names: PrivilegeNames, remedy: String = "name it in the class's `privileges`"
    ) throws -> Privileges {
        try list.reduce(into: []) { privileges, name in
            guard let privilege = names.privilege(name) else {
                throw Refusal(.malformed, "there is no privilege `\(Name(name).excerpt)`: \(remedy)")
            }
            privileges.formUnion(privilege)
        }
    }

    private func checkedProperties(_ properties: [String], of name: String) throws -> [String] {
        guard properties.count <= Limits.propertiesPerClass else {
            throw Refusal(
                .tooLarge,
                "the class `\(name)` names \(properties.count) properties; at most \(Limits.propertiesPerClass) are allowed")
        }
        for property in properties { try checkSymbol(property, "a property") }
        return properties
    }

    func checkSymbol(_ name: String, _ what: String) throws {
        guard !name.isEmpty, !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Refusal(
                .malformed, "`\(Name(name).excerpt)` cannot be the name of \(what): it is empty or has control characters")
        }
        guard name.utf8.count <= Limits.symbolBytes else {
            throw Refusal(
                .tooLarge, "`\(Name(name).excerpt)` is too long for the name of \(what): at most \(Limits.symbolBytes) bytes")
        }
    }

    /// Returns the events that grant the creator privileges on a new object to its owner, if the class requires object ACLs.
    func creatorEvents(for object: ObjectID, classID: ClassID, owner: PrincipalID) throws -> [Event] {
        guard let options = try state.options(of: classID), options.objectACL == .required, !options.creatorPrivileges.isEmpty
        else { return [] }
        return [
            .accessGranted(
                AccessGranted(
                    object: object, subject: owner, privileges: options.creatorPrivileges,
                    cause: options.creatorPermanent ? .permanentCreator : .creator))
        ]
    }
}

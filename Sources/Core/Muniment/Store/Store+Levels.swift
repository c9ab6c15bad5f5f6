package import Events
internal import Files
internal import Hashing
public import Permissions

/// Names for sets of privileges. An imported history can define them, and queries can use them.
extension Store {
    /// The levels of the store, the smallest first; nil if the store has none.
    public var levels: [AccessLevel]? {
        get throws { try Store.levels(in: folder) }
    }

    static func levels(in folder: StoreFolder) throws -> [AccessLevel]? {
        guard fileExists(folder.levels) else { return nil }
        let bytes = try readFile(folder.levels)
        let json = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
        guard bytes == AccessLevel.file(json) else { throw AccessLevel.damaged }
        guard case .array(let levels) = try JSONText.decode(json) else { throw AccessLevel.noLevels }
        return try levels.map { try AccessLevel(json: $0) }
    }

    /// Returns the names with each level of the history replaced by its privileges. Other names are kept.
    public func replacingLevels(in names: [String]) throws -> [String] {
        let isKnown = try read { snapshot in names.map { snapshot.privileges(named: [$0]) != nil } }
        guard isKnown.contains(false), let levels = try levels else { return names }
        return zip(names, isKnown).flatMap { name, isKnown in
            isKnown ? [name] : levels.first { $0.name == name }?.privileges ?? [name]
        }
    }

    /// Returns the changes with each level of the history replaced by its privileges, wherever a change names privileges. A custom
    /// privilege that one of the changes defines is not a level.
    ///
    /// - Throws: `Refusal` with `malformed` for a new custom privilege or an alias with the name of a level: questions that name the level,
    ///   also about the past, would mean something else from then on.
    public func replacingLevels(in changes: [Change]) throws -> [Change] {
        if let levels = try levels { try requireOtherNames(than: levels, in: changes) }
        let defined = Set(Privileges.builtInNames + changes.flatMap(\.definedPrivileges))
        var isOnlyBuiltIn = true
        for change in changes {
            _ = change.mappingPrivileges { names in
                isOnlyBuiltIn = isOnlyBuiltIn && defined.isSuperset(of: names)
                return names
            }
        }
        if try isOnlyBuiltIn || levels == nil { return changes }
        return try changes.map { change in
            try change.mappingPrivileges { names in
                try names.flatMap { defined.contains($0) ? [$0] : try replacingLevels(in: [$0]) }
            }
        }
    }

    private func requireOtherNames(than levels: [AccessLevel], in changes: [Change]) throws {
        for (index, change) in changes.enumerated() {
            let new = try change.definedPrivileges.filter { name in try read { $0.privileges(named: [name]) == nil } }
            guard let level = levels.first(where: { (new + change.definedAliases).contains($0.name) }) else { continue }
            throw Refusal(
                .malformed,
                "`\(level.name)` is the name of a level of this store (\(level.privileges.joined(separator: ", "))): choose another name",
                change: index)
        }
    }

    /// Returns privileges for names of privileges and of levels of the history.
    ///
    /// - Throws: `Refusal` with `malformed` for a name that is neither a privilege nor a level.
    public func privileges(named names: [String]) throws -> [String] {
        let privileges = try replacingLevels(in: names)
        try read { try $0.requirePrivileges(privileges, or: try levels?.map(\.name) ?? []) }
        return privileges
    }

    /// Returns the names of the actions that a subject may perform on an object: its privileges, the aliases of the object's class, and
    /// the levels that have no other name of these, sorted.
    package func actions(of subject: PrincipalID, on object: ObjectID, in snapshot: Snapshot) throws -> [String] {
        let known = try snapshot.actions(of: subject, on: object)
        let more = try (levels ?? []).filter { level in
            guard !known.contains(level.name), let wanted = snapshot.privileges(named: level.privileges) else { return false }
            return try snapshot.check(subject, wanted, on: object)
        }
        return (known + more.map(\.name)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Saves levels in the store.
    public func setLevels(_ levels: [AccessLevel]) throws {
        let json = try JSONText.encode(.array(levels.map(\.json)))
        try writing { _ in try replaceFile(folder.levels, with: AccessLevel.file(json)) }
    }
}

extension Snapshot {
    /// Returns the privileges that an action requires on the objects of a class: those of the class's alias of this name, otherwise
    /// the privilege of this name, otherwise those of the level of this name; nil if none exists.
    ///
    /// - Parameter levels: the levels of the store, which are in a file. They are read only for a name that is not known otherwise.
    package func action(
        _ name: String, onClass className: String, levels: () throws -> [AccessLevel]?
    ) throws -> Privileges? {
        if let known = try action(name, onClass: className) { return known }
        return try levels()?.first { ExactText($0.name) == ExactText(name) }.flatMap { privileges(named: $0.privileges) }
    }
}

extension AccessLevel {
    fileprivate static let damaged = JSONError(
        .malformed, "`levels.json` does not match its checksum",
        "import a history with levels again, or restore the file from a copy")

    /// The bytes of the file: a line of JSON and its checksum.
    static func file(_ json: [UInt8]) -> [UInt8] { json + Array("\n\(Digest(of: json.span))\n".utf8) }

    fileprivate static let noLevels = JSONError(
        .malformed, "`levels.json` must be a list of objects with a `name` and `privileges`",
        "import a history with levels again")

    fileprivate init(json: JSONValue) throws(JSONError) {
        guard case .string(let name)? = json["name"], case .array(let privileges)? = json["privileges"] else {
            throw AccessLevel.noLevels
        }
        var names: [String] = []
        for privilege in privileges {
            guard case .string(let name) = privilege else { throw AccessLevel.noLevels }
            names.append(name)
        }
        self.init(name: name, privileges: names)
    }

    fileprivate var json: JSONValue {
        .object(["name": .string(name), "privileges": .array(privileges.map(JSONValue.string))])
    }
}

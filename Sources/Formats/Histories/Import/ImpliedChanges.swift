import Events
import Muniment
import Permissions

/// The changes that a history with levels implies: it defines classes and custom privileges at their first use.
///
/// The classes require object ACLs, inherit from the parent in full and give the creator nothing. In an open store a new class is
/// open automatically. In a locked store `everyone` gets, on the store and on each of these classes, the privileges that the levels
/// name and no others (SCENARIOS.md, `levels`).
struct ImpliedChanges: Sendable {
    /// Every privilege of the levels once, in the order of the levels.
    private let ofLevels: [String]
    /// Whether the store is locked, so that the grants on the store and the classes are needed.
    private let isLocked: Bool
    /// Whether the next transaction begins with the grant on the store.
    private var opensStore: Bool
    /// The custom privileges of a class that existed before the import; nil for an unknown class.
    private let existing: @Sendable (String) throws -> [String]?
    /// The custom privileges of the classes seen so far.
    private var known: [ExactText: [String]] = [:]

    /// - Parameters:
    ///   - levels: the levels of the header.
    ///   - isLocked: whether the store is locked.
    ///   - isNew: whether the store has no commits yet.
    ///   - existing: returns the custom privileges of a class in the store, or nil if the store has no such class.
    init(levels: [AccessLevel], isLocked: Bool, isNew: Bool, existing: @escaping @Sendable (String) throws -> [String]?) {
        var names: [String] = []
        for name in levels.flatMap(\.privileges) where !names.contains(name) { names.append(name) }
        ofLevels = names
        self.isLocked = isLocked
        opensStore = isLocked && isNew
        self.existing = existing
    }

    private var customOfLevels: [String] { ofLevels.filter { !ImpliedChanges.isBuiltIn($0) } }

    /// Adds the grant of the levels' privileges on the store.
    private mutating func openStore(_ result: inout [Change]) {
        guard opensStore else { return }
        opensStore = false
        let custom = customOfLevels
        known[ExactText("store")] = custom
        if !custom.isEmpty { result.append(.changeClass("store", ClassSettings(privileges: custom))) }
        if !ofLevels.isEmpty { result.append(.grant(.everyone, on: .store, ofLevels)) }
    }

    /// Returns the changes, each preceded by the changes that it implies.
    mutating func complete(_ changes: [Change]) throws -> [Change] {
        var result: [Change] = []
        result.reserveCapacity(changes.count)
        openStore(&result)
        for change in changes {
            switch change {
            case .createObject(let name, _, _, _): try define(name, &result)
            case .grant(_, let object, let privileges, _, _, _), .setAccess(_, let object, let privileges, _),
                .revoke(_, let object, let privileges?, _, _):
                try define(privileges, of: object, &result)
            case .defineClass(let name, let settings): known[ExactText(name)] = settings.privileges ?? []
            case .changeClass(let name, let settings):
                if let privileges = settings.privileges { known[ExactText(name)] = privileges }
            default: break
            }
            result.append(change)
        }
        return result
    }

    /// Defines the class of a new object if it does not exist.
    private mutating func define(_ object: Name, _ result: inout [Change]) throws {
        let className = object.className
        // The store refuses an invalid name.
        guard try custom(of: className) == nil, object.problem == nil else { return }
        known[ExactText(className)] = customOfLevels
        result.append(
            .defineClass(className, ClassSettings(objectACL: .required, inherits: .everything, privileges: customOfLevels)))
        if isLocked, !ofLevels.isEmpty { result.append(.grant(.everyone, on: .class(className), ofLevels)) }
    }

    /// Adds privileges that the class of an object does not have yet.
    private mutating func define(_ privileges: [String], of object: Name, _ result: inout [Change]) throws {
        var className = object.className
        if className == "class", let id = object.id { className = id }
        guard privileges.contains(where: { !ImpliedChanges.isBuiltIn($0) }), let present = try custom(of: className) else { return }
        var new: [String] = []
        for name in privileges where !ImpliedChanges.isBuiltIn(name) && !present.contains(name) && !new.contains(name) {
            new.append(name)
        }
        guard !new.isEmpty else { return }
        known[ExactText(className)] = present + new
        result.append(.changeClass(className, ClassSettings(privileges: present + new)))
    }

    private mutating func custom(of className: String) throws -> [String]? {
        if let privileges = known[ExactText(className)] { return privileges }
        let privileges = try existing(className)
        known[ExactText(className)] = privileges
        return privileges
    }

    private static func isBuiltIn(_ privilege: String) -> Bool { Privileges.builtInNames.contains(privilege) }
}

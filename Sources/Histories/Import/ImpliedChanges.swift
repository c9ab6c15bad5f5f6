import Events
import Muniment
import Permissions

/// What a history with levels leaves unsaid: its classes and custom privileges are defined as they appear.
///
/// The classes are open at store and class level, require object ACLs, inherit from the parent in full and give the creator
/// nothing. In an open store a new class is open by itself; in a locked one everyone is granted everything on it.
struct ImpliedChanges: Sendable {
    /// The custom privileges of all levels, in the order of the levels.
    private let ofLevels: [String]
    /// Whether store and class levels are granted to everyone in so many words.
    private let grantsToEveryone: Bool
    /// The custom privileges of a class that was there before the import; nil where there was none of this name.
    private let existing: @Sendable (String) throws -> [String]?
    /// The custom privileges of the classes seen so far.
    private var known: [ExactText: [String]] = [:]

    /// - Parameter opens: whether ``opening`` goes before the first transaction.
    init(levels: [Level], grantsToEveryone: Bool, opens: Bool, existing: @escaping @Sendable (String) throws -> [String]?) {
        var names: [String] = []
        for name in levels.flatMap(\.privileges) where !ImpliedChanges.isBuiltIn(name) && !names.contains(name) {
            names.append(name)
        }
        ofLevels = names
        self.grantsToEveryone = grantsToEveryone
        self.existing = existing
        if opens { known[ExactText("store")] = names }
    }

    /// What opens a locked store, as a transaction before all others.
    var opening: [Change] {
        let definition: [Change] = ofLevels.isEmpty ? [] : [.changeClass("store", ClassSettings(privileges: ofLevels))]
        return definition + [.grant(.everyone, on: .store, Privileges.builtInNames + ofLevels)]
    }

    /// The changes with what they take for granted in front of each.
    mutating func complete(_ changes: [Change]) throws -> [Change] {
        var result: [Change] = []
        result.reserveCapacity(changes.count)
        for change in changes {
            switch change {
            case .createObject(let name, _, _, _): try define(name, &result)
            case .grant(_, let object, let privileges, _, _), .setAccess(_, let object, let privileges),
                .revoke(_, let object, let privileges?, _):
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

    /// Defines the class of a new object where there is none.
    private mutating func define(_ object: Name, _ result: inout [Change]) throws {
        let className = object.className
        // A name that is none is for the store to refuse.
        guard try custom(of: className) == nil, object.problem == nil else { return }
        known[ExactText(className)] = ofLevels
        result.append(
            .defineClass(className, ClassSettings(objectACL: .required, inherits: .everything, privileges: ofLevels)))
        if grantsToEveryone { result.append(.grant(.everyone, on: .class(className), Privileges.builtInNames + ofLevels)) }
    }

    /// Adds privileges that the class of an object does not know yet.
    private mutating func define(_ privileges: [String], of object: Name, _ result: inout [Change]) throws {
        var className = object.className
        if className == "class", let id = object.id { className = id }
        guard privileges.contains(where: { !ImpliedChanges.isBuiltIn($0) }), let present = try custom(of: className) else { return }
        var new: [String] = []
        for name in privileges where !ImpliedChanges.isBuiltIn(name) && !present.contains(name) && !new.contains(name) {
            new.append(name)
        }
        try add(new, to: className, present, &result)
    }

    private mutating func add(_ new: [String], to className: String, _ present: [String], _ result: inout [Change]) throws {
        guard !new.isEmpty else { return }
        known[ExactText(className)] = present + new
        result.append(.changeClass(className, ClassSettings(privileges: present + new)))
        guard grantsToEveryone else { return }
        let object: Name = className == "store" ? .store : .class(className)
        result.append(.grant(.everyone, on: object, new))
        // What the store level does not give, no level below it can.
        if className != "store", let ofStore = try custom(of: "store") {
            try add(new.filter { !ofStore.contains($0) }, to: "store", ofStore, &result)
        }
    }

    private mutating func custom(of className: String) throws -> [String]? {
        if let privileges = known[ExactText(className)] { return privileges }
        let privileges = try existing(className)
        known[ExactText(className)] = privileges
        return privileges
    }

    private static func isBuiltIn(_ privilege: String) -> Bool { Privileges.builtInNames.contains(privilege) }
}

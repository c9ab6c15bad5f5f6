package import Events
package import Muniment
package import Permissions

/// One change in the syntax of a line.
///
/// Only the JSON is checked here: unknown keys or operations, missing keys, and wrong types. The store checks names and privileges,
/// and refuses invalid ones with a code.
package struct ChangeLine {
    package let change: Change

    /// Parses a separate change, without a header.
    package init(_ value: JSONValue) throws { try self.init(value, LineContext(kind: .history)) }

    /// Parses the changes of a list, in order.
    ///
    /// - Parameter list: a JSON array of changes.
    /// - Parameter levels: the definitions of levels in grants; nil for none.
    /// - Throws: ``LineProblem`` with a key that begins with the index in the list.
    package static func changes(_ list: JSONValue, levels: [Level]?) throws(LineProblem) -> [Change] {
        let byName = levels.map { levels in
            Dictionary(levels.map { (ExactText($0.name), $0.privileges) }, uniquingKeysWith: { first, _ in first })
        }
        let context = LineContext(kind: .scenario, levels: byName)
        return try list.list { value throws(LineProblem) in try ChangeLine(value, context).change }
    }

    init(_ value: JSONValue, _ context: LineContext) throws(LineProblem) {
        var fields = try Fields(value, context)
        let word = try fields.text("op")
        guard let operation = Operation(rawValue: word) else {
            let known = Operation.allCases.map(\.rawValue).joined(separator: ", ")
            throw fields.problem("op", "has the unknown value `\(word)`", "use one of \(known)")
        }
        change = try operation.read(&fields)
        try fields.finish()
    }
}

/// The operations of the format. The common ones come first because the words are compared in this order.
private enum Operation: String, CaseIterable {
    case addMember, removeMember, grant, revoke, createObject, createRole, writeObject, deleteObject, deleteRole, setAccess
    case moveObject, setOwner, register, definePermission, changePermission, attachPermission, detachPermission
    case defineClass, changeClass, appointAdministrator, dismissAdministrator

    /// Parses the keys of this operation, and no others.
    func read(_ fields: inout Fields) throws(LineProblem) -> Change {
        switch self {
        case .defineClass: .defineClass(try fields.text("class"), try ClassSettings(&fields))
        case .changeClass: .changeClass(try fields.text("class"), try ClassSettings(&fields))
        case .createObject: try Operation.createObject(&fields)
        case .writeObject: try Operation.writeObject(&fields)
        case .moveObject: .moveObject(try fields.name("object"), parent: try Operation.parent(&fields))
        case .deleteObject:
            .deleteObject(try fields.name("object"), expectedRevision: try Operation.revision("expectRevision", &fields))
        case .setOwner: .setOwner(try fields.name("object"), owner: try fields.name("owner"))
        case .grant: try Operation.grant(&fields)
        case .setAccess: .setAccess(try fields.name("subject"), on: try fields.name("object"), try fields.texts("privileges"))
        case .revoke:
            .revoke(
                try fields.name("subject"), on: try fields.name("object"), try fields.optionalTexts("privileges"),
                strict: try fields.flag("strict"))
        case .createRole: .createRole(try fields.role("role"))
        case .deleteRole: .deleteRole(try fields.role("role"))
        case .addMember:
            .addMember(try fields.name("member"), to: try fields.role("role"), strict: try fields.flag("strict"))
        case .removeMember:
            .removeMember(try fields.name("member"), from: try fields.role("role"), strict: try fields.flag("strict"))
        case .register: .register(try fields.name("principal"))
        case .definePermission:
            .definePermission(
                try fields.permission("permission"), subject: try fields.name("subject"), try fields.texts("privileges"))
        case .changePermission:
            .changePermission(
                try fields.permission("permission"), subject: try fields.name("subject"), try fields.texts("privileges"))
        case .attachPermission:
            .attachPermission(try fields.permission("permission"), to: try fields.name("object"))
        case .detachPermission:
            .detachPermission(try fields.permission("permission"), from: try fields.name("object"))
        case .appointAdministrator: .appointAdministrator(try fields.name("principal"))
        case .dismissAdministrator: .dismissAdministrator(try fields.name("principal"))
        }
    }

    private static func createObject(_ fields: inout Fields) throws(LineProblem) -> Change {
        let object = try fields.name("object")
        let parent = fields.has("parent") ? try parent(&fields) : nil
        let value = fields.value("value")
        let owner = try fields.optionalName("owner")
        // A creation always expects the object to be absent; the explicit key is accepted.
        _ = try fields.flag("expectAbsent")
        return .createObject(object, parent: parent, value: value, owner: owner)
    }

    private static func writeObject(_ fields: inout Fields) throws(LineProblem) -> Change {
        let object = try fields.name("object")
        let value = fields.value("value")
        let patch = fields.value("merge")
        let expected = try revision("expectRevision", &fields)
        switch (value, patch) {
        case (let value?, nil): return .writeObject(object, .value(value), expectedRevision: expected)
        case (nil, let patch?): return .writeObject(object, .merge(patch), expectedRevision: expected)
        case (nil, nil): throw fields.problem("value", "is missing", "add it, or `merge` with a patch")
        case (_?, _?): throw fields.problem("merge", "cannot be used with `value`", "give one of them")
        }
    }

    private static func revision(_ key: String, _ fields: inout Fields) throws(LineProblem) -> Revision? {
        switch fields.value(key) {
        case nil: return nil
        case .integer(let number)? where number >= 0: return Revision(UInt64(number))
        case .integer?, .number?: throw fields.problem(key, "is not a revision", "write a whole number")
        case let other?: throw other.wrongType("a whole number").inside(key)
        }
    }

    /// Parses a name, or null for none. The key is required.
    private static func parent(_ fields: inout Fields) throws(LineProblem) -> Name? {
        fields.takeNull("parent") ? nil : try fields.name("parent")
    }

    /// A grant of privileges adds to an entry; a grant of a level replaces it.
    private static func grant(_ fields: inout Fields) throws(LineProblem) -> Change {
        let subject = try fields.name("subject")
        let object = try fields.name("object")
        guard fields.has("level") else {
            return .grant(
                subject, on: object, try fields.texts("privileges"), until: try fields.optionalInstant("until"),
                strict: try fields.flag("strict"))
        }
        let level = try fields.text("level")
        guard let levels = fields.context.levels else {
            throw fields.problem("level", "needs levels", "define them as `levels` in the header")
        }
        guard let privileges = levels[ExactText(level)] else {
            let known = levels.keys.sorted().map { "`\($0.text)`" }.joined(separator: ", ")
            throw fields.problem("level", "has the unknown level `\(level)`", "use one of \(known)")
        }
        return .setAccess(subject, on: object, privileges)
    }
}

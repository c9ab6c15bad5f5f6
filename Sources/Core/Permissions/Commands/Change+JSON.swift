public import Events

extension Change {
    /// The words for all changes, as in ``operation``.
    public static let operations = ChangeForms.all.map(\.operation)

    /// The members of each operation.
    package static var members: [(operation: String, members: [ChangeMember])] {
        ChangeForms.all.map { ($0.operation, $0.members) }
    }

    /// The word for this change in `SCENARIOS.md`.
    public var operation: String { written.operation }

    private var written: WrittenChange {
        switch self {
        case .defineClass(let name, let settings): Change.written(ChangeForms.defineClass, name, settings)
        case .changeClass(let name, let settings): Change.written(ChangeForms.changeClass, name, settings)
        case .createObject(let object, let parent, let value, let owner):
            ChangeForms.createObject(object, parent.map { .some($0) }, value, owner, false)
        case .writeObject(let object, .value(let value), let expected): ChangeForms.writeObject(object, value, nil, expected)
        case .writeObject(let object, .merge(let patch), let expected): ChangeForms.writeObject(object, nil, patch, expected)
        case .moveObject(let object, let parent): ChangeForms.moveObject(object, parent)
        case .deleteObject(let object, let expected): ChangeForms.deleteObject(object, expected)
        case .setOwner(let object, let owner): ChangeForms.setOwner(object, owner)
        case .grant(let subject, let object, let privileges, let until, let strict, let expected):
            ChangeForms.grant(subject, object, privileges, until, strict, expected)
        case .setAccess(let subject, let object, let privileges, let expected):
            ChangeForms.setAccess(subject, object, privileges, expected)
        case .revoke(let subject, let object, let privileges, let strict, let expected):
            ChangeForms.revoke(subject, object, privileges, strict, expected)
        case .createRole(let role): ChangeForms.createRole(role)
        case .deleteRole(let role): ChangeForms.deleteRole(role)
        case .addMember(let member, let role, let strict): ChangeForms.addMember(role, member, strict)
        case .removeMember(let member, let role, let strict): ChangeForms.removeMember(role, member, strict)
        case .register(let principal): ChangeForms.register(principal)
        case .definePermission(let name, let subject, let privileges): ChangeForms.definePermission(name, subject, privileges)
        case .changePermission(let name, let subject, let privileges): ChangeForms.changePermission(name, subject, privileges)
        case .attachPermission(let name, let object): ChangeForms.attachPermission(name, object)
        case .detachPermission(let name, let object): ChangeForms.detachPermission(name, object)
        case .appointAdministrator(let principal): ChangeForms.appointAdministrator(principal)
        case .dismissAdministrator(let principal): ChangeForms.dismissAdministrator(principal)
        }
    }

    private static func written(_ form: ChangeForms.OfClass, _ name: String, _ settings: ClassSettings) -> WrittenChange {
        form(
            name, settings.objectACL, settings.composition, settings.inherits, settings.creatorPrivileges,
            settings.creatorPermanent,
            settings.readThroughLinks, settings.privileges, settings.properties, settings.aliases)
    }
}

extension Change {
    /// Reads a change from the members of a JSON object. Names and privileges are checked by the store, which refuses invalid ones.
    ///
    /// - Throws: ``MemberProblem`` for an unknown operation or member, a missing member, and a value of the wrong type.
    package init(_ reader: inout ObjectReader<MemberProblem>) throws(MemberProblem) {
        let word = try reader.text("op")
        guard let form = ChangeForms.byOperation[word] else {
            let known = Change.operations.joined(separator: ", ")
            throw reader.wrong("op", "has the unknown value `\(Name(word).excerpt)`", "use one of \(known)")
        }
        self = try form.read(&reader)
        try reader.finish()
    }

    /// Writes this change in the words of `SCENARIOS.md`: an object with `op` first. Default values are left out.
    ///
    /// Reading it returns the same change, provided that roles and permissions have their prefixes. Linear in the size of the
    /// change.
    public func write(into writer: inout JSONWriter) { writer.writeMembers(members) { $0.write($1) } }

    package var json: JSONValue { .object(JSONObject(members)) }

    private var members: [(String, JSONValue)] {
        let written = written
        return [("op", .string(written.operation))]
            + written.members.compactMap { member, value in value.map { (member.name, $0) } }
    }
}

extension Change.Content {
    init(value: JSONValue?, merge patch: JSONValue?) throws(MemberProblem) {
        switch (value, patch) {
        case (let value?, nil): self = .value(value)
        case (nil, let patch?): self = .merge(patch)
        case (nil, nil): throw MemberProblem(path: "value", problem: "is missing", remedy: "add it, or `merge` with a patch")
        case (_?, _?): throw MemberProblem(path: "merge", problem: "cannot be used with `value`", remedy: "give one of them")
        }
    }
}

extension [Change] {
    /// The canonical encoding of the changes. Equal changes have equal bytes in every process and version. Its hash is stored
    /// with an idempotency key. A value that cannot be written as JSON counts as empty; it is refused before it has any effect.
    public var canonicalBytes: [UInt8] {
        var writer = ByteWriter(capacity: 64 * count)
        for change in self { change.write(into: &writer) }
        return writer.bytes
    }
}

extension Change {
    /// Appends the number of the operation, and the text of each member, present or not.
    fileprivate func write(into writer: inout ByteWriter) {
        let written = written
        var number = written.number
        var texts = written.members.filter { $0.value != nil || $0.member.absence != .omitted }.map { $0.canonicalText($1) }
        switch self {
        // The settings of a class are one text.
        case .defineClass, .changeClass:
            texts = [texts[0], texts.dropFirst().map { $0.map { "=" + $0 } ?? "-" }.joined(separator: "\u{1E}")]
        case .writeObject(_, .merge, _): number = 5
        // The member comes before the role.
        case .addMember, .removeMember: texts.swapAt(0, 1)
        default: break
        }
        writer.byte(number)
        for text in texts {
            writer.byte(text == nil ? 0 : 1)
            if let text { writer.text(text) }
        }
    }
}

extension Change {
    /// The principals that this change names as subject, member, owner or administrator, or registers.
    public var mentionedPrincipals: [Name] {
        switch self {
        case .createObject(_, _, _, let owner): owner.map { [$0] } ?? []
        case .setOwner(_, let owner): [owner]
        case .grant(let subject, _, _, _, _, _), .setAccess(let subject, _, _, _), .revoke(let subject, _, _, _, _): [subject]
        case .addMember(let member, _, _), .removeMember(let member, _, _): [member]
        case .register(let name), .appointAdministrator(let name), .dismissAdministrator(let name): [name]
        case .definePermission(_, let subject, _), .changePermission(_, let subject, _): [subject]
        case .defineClass, .changeClass, .writeObject, .moveObject, .deleteObject, .createRole, .deleteRole,
            .attachPermission, .detachPermission:
            []
        }
    }

    /// The principals that this change names for the audit: a registered principal is not one of them, but an object.
    package var mentionedSubjects: [Name] { if case .register = self { [] } else { mentionedPrincipals } }

    /// The object whose access list must not have changed after a revision, and the revision; nil without this condition.
    var expectedAccess: (object: Name, revision: Revision)? {
        switch self {
        case .grant(_, let object, _, _, _, let revision?), .setAccess(_, let object, _, let revision?),
            .revoke(_, let object, _, _, let revision?):
            (object, revision)
        default: nil
        }
    }

    /// The objects that this change names for the audit: the object, class, role, permission or new principal that it changes, and
    /// the store for a change of administrators.
    package var mentionedObjects: [Name] {
        switch self {
        case .defineClass(let name, _), .changeClass(let name, _): [.class(name)]
        case .createObject(let name, _, _, _), .writeObject(let name, _, _), .moveObject(let name, _), .deleteObject(let name, _),
            .setOwner(let name, _), .grant(_, let name, _, _, _, _), .setAccess(_, let name, _, _), .revoke(_, let name, _, _, _),
            .createRole(let name), .deleteRole(let name), .addMember(_, let name, _), .removeMember(_, let name, _),
            .register(let name), .definePermission(let name, _, _), .changePermission(let name, _, _):
            [name]
        case .attachPermission(let name, let object), .detachPermission(let name, let object): [name, object]
        case .appointAdministrator, .dismissAdministrator: [.store]
        }
    }
}

internal import Events

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
    fileprivate func write(into writer: inout ByteWriter) {
        switch self {
        case .defineClass(let name, let settings): writer.fields(1, name, settings.canonicalText)
        case .changeClass(let name, let settings): writer.fields(2, name, settings.canonicalText)
        case .createObject(let name, let parent, let value, let owner):
            writer.fields(3, name.text, parent?.text, value.map(json), owner?.text)
        case .writeObject(let name, .value(let value), let expected):
            writer.fields(4, name.text, json(value), expected?.description)
        case .writeObject(let name, .merge(let value), let expected):
            writer.fields(5, name.text, json(value), expected?.description)
        case .moveObject(let name, let parent): writer.fields(6, name.text, parent?.text)
        // Without an expected revision the bytes are those of earlier versions, so that earlier keys still match.
        case .deleteObject(let name, nil): writer.fields(7, name.text)
        case .deleteObject(let name, let expected?): writer.fields(7, name.text, expected.description)
        case .setOwner(let name, let owner): writer.fields(8, name.text, owner.text)
        case .grant(let subject, let object, let privileges, let until, let strict):
            writer.fields(9, subject.text, object.text, list(privileges), until?.description, "\(strict)")
        case .setAccess(let subject, let object, let privileges):
            writer.fields(10, subject.text, object.text, list(privileges))
        case .revoke(let subject, let object, let privileges, let strict):
            writer.fields(11, subject.text, object.text, privileges.map(list), "\(strict)")
        case .createRole(let role): writer.fields(12, role.text)
        case .deleteRole(let role): writer.fields(13, role.text)
        case .addMember(let member, let role, let strict): writer.fields(14, member.text, role.text, "\(strict)")
        case .removeMember(let member, let role, let strict): writer.fields(15, member.text, role.text, "\(strict)")
        case .register(let name): writer.fields(16, name.text)
        case .definePermission(let name, let subject, let privileges):
            writer.fields(17, name.text, subject.text, list(privileges))
        case .changePermission(let name, let subject, let privileges):
            writer.fields(18, name.text, subject.text, list(privileges))
        case .attachPermission(let name, let object): writer.fields(19, name.text, object.text)
        case .detachPermission(let name, let object): writer.fields(20, name.text, object.text)
        case .appointAdministrator(let name): writer.fields(21, name.text)
        case .dismissAdministrator(let name): writer.fields(22, name.text)
        }
    }

    private func json(_ value: JSONValue) -> String {
        (try? JSONText.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

private func list(_ names: [String]) -> String { names.sorted().joined(separator: "\u{1F}") }

extension ClassSettings {
    fileprivate var canonicalText: String {
        let inherited: String? =
            switch inherits {
            case nil: nil
            case .nothing: "nothing"
            case .everything: "everything"
            case .only(let names): "only " + list(names)
            }
        let parts: [String?] = [
            objectACL.map { "\($0.rawValue)" }, composition.map { "\($0.rawValue)" }, inherited, creatorPrivileges.map(list),
            creatorPermanent.map { "\($0)" }, readThroughLinks.map { "\($0)" }, privileges.map(list),
            properties.map { $0.joined(separator: "\u{1F}") },
        ]
        let text = parts.map { $0.map { "=" + $0 } ?? "-" }.joined(separator: "\u{1E}")
        // Settings without aliases keep the bytes of the versions before aliases.
        guard let aliases else { return text }
        let named = aliases.map { $0.name + "\u{1D}" + list($0.privileges) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return text + "\u{1E}=" + named.joined(separator: "\u{1C}")
    }
}

extension ByteWriter {
    /// Appends a number for the kind of change, and its fields, each present or not.
    fileprivate mutating func fields(_ kind: UInt8, _ fields: String?...) {
        byte(kind)
        for field in fields {
            byte(field == nil ? 0 : 1)
            if let field { text(field) }
        }
    }
}

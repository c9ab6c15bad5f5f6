internal import Events
internal import Muniment
internal import Permissions

extension Change {
    /// Simpler variants of this change, the simplest first.
    var simpler: [Change] {
        switch self {
        case .defineClass(let name, let settings): settings.simpler.map { .defineClass(name, $0) }
        case .changeClass(let name, let settings): settings.simpler.map { .changeClass(name, $0) }
        case .createObject(let name, let parent, let value, let owner):
            [
                parent == nil ? nil : .createObject(name, value: value, owner: owner),
                value == nil ? nil : .createObject(name, parent: parent, owner: owner),
                owner == nil ? nil : .createObject(name, parent: parent, value: value),
            ].compactMap { $0 }
        case .writeObject(let name, .merge(let patch), let expected):
            [.writeObject(name, .value(patch))] + (expected == nil ? [] : [.writeObject(name, .merge(patch))])
        case .writeObject(let name, let content, _?): [.writeObject(name, content)]
        case .grant(let subject, let object, let privileges, let until, let strict, _):
            (until == nil ? [] : [.grant(subject, on: object, privileges, strict: strict)])
                + (strict ? [.grant(subject, on: object, privileges, until: until)] : [])
                + privileges.shorter.map { .grant(subject, on: object, $0, until: until, strict: strict) }
        case .setAccess(let subject, let object, let privileges, _):
            [.grant(subject, on: object, privileges)] + privileges.shorter.map { .setAccess(subject, on: object, $0) }
        case .revoke(let subject, let object, let privileges?, let strict, _):
            [.revoke(subject, on: object, strict: strict)]
                + privileges.shorter.map { .revoke(subject, on: object, $0, strict: strict) }
        case .revoke(let subject, let object, nil, true, _): [.revoke(subject, on: object)]
        case .addMember(let member, let role, true): [.addMember(member, to: role)]
        case .removeMember(let member, let role, true): [.removeMember(member, from: role)]
        case .definePermission(let name, let subject, let privileges):
            privileges.shorter.map { .definePermission(name, subject: subject, $0) }
        case .changePermission(let name, let subject, let privileges):
            privileges.shorter.map { .changePermission(name, subject: subject, $0) }
        default: []
        }
    }
}

extension [String] {
    /// The nonempty lists with one element removed.
    fileprivate var shorter: [[String]] {
        guard count > 1 else { return [] }
        return indices.map { index in
            var list = self
            list.remove(at: index)
            return list
        }
    }
}

extension ClassSettings {
    /// The settings with one option reset to its default.
    fileprivate var simpler: [ClassSettings] {
        let forget: [(inout ClassSettings) -> Void] = [
            { $0 = ClassSettings() }, { $0.objectACL = nil }, { $0.composition = nil }, { $0.inherits = nil },
            { $0.creatorPrivileges = nil }, { $0.creatorPermanent = nil }, { $0.readThroughLinks = nil }, { $0.privileges = nil },
            { $0.properties = nil }, { $0.aliases = nil },
        ]
        let shorter = (creatorPrivileges ?? []).shorter.map { privileges in
            var settings = self
            settings.creatorPrivileges = privileges
            return settings
        }
        return shorter
            + forget.compactMap { forget in
                var settings = self
                forget(&settings)
                return settings == self ? nil : settings
            }
    }
}

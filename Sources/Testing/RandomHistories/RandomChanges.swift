internal import Events
internal import Permissions

/// Chooses the next change.
extension RandomHistory {
    /// Generates changes until the vocabulary allows one.
    mutating func allowedChange() -> Change {
        while true {
            let change = change()
            if vocabulary.allows(change.operation) { return change }
        }
    }

    private mutating func change() -> Change {
        switch random.number(0...999) {
        case 0..<140: creation()
        case 140..<215: writing()
        case 215..<255: .deleteObject(object())
        case 255..<305: .moveObject(object(), parent: random.chance(percent: 25) ? nil : parent())
        case 305..<335: .setOwner(object(), owner: random.chance(percent: 85) ? random.one(of: vocabulary.users) : subject())
        case 335..<530: grant()
        case 530..<580: settingAccess()
        case 580..<675: revocation()
        case 675..<705: .createRole(random.one(of: vocabulary.roles))
        case 705..<720: .deleteRole(random.one(of: vocabulary.roles))
        case 720..<800: .addMember(member(), to: role(), strict: random.chance(percent: 10))
        case 800..<840: removal()
        case 840..<865: .definePermission(random.one(of: vocabulary.permissions), subject: subject(), sharedPrivileges())
        case 865..<890: .changePermission(permission(), subject: subject(), sharedPrivileges())
        case 890..<925: .attachPermission(permission(), to: target())
        case 925..<940: detachment()
        case 940..<955: .appointAdministrator(random.chance(percent: 90) ? random.one(of: vocabulary.users) : subject())
        case 955..<968: .dismissAdministrator(random.one(of: vocabulary.users + [administrator]))
        case 968..<975: .register(random.one(of: vocabulary.callers + ["user:spare", "thing:t2"]))
        case 975..<980: .defineClass(random.one(of: vocabulary.classes + ["memo"]), settings(dense: true))
        default: classChange()
        }
    }

    /// Creates and shares an object in one transaction. The creator has more rights on it during the transaction than later.
    mutating func sharing() -> [Change] {
        guard case .createObject(let object, _, _, _) = creation() else { return [] }
        return [
            .createObject(object, value: value()),
            .grant(subject(), on: object, privileges(on: object)),
            .writeObject(object, .merge(.object(["n": .integer(Int64(random.number(0...9)))]))),
        ]
    }

    private mutating func creation() -> Change {
        let free = vocabulary.objects.filter { !expected.objects.contains($0) }
        let name = !free.isEmpty && random.chance(percent: 85) ? random.one(of: free) : random.one(of: vocabulary.objects)
        return .createObject(
            name, parent: random.chance(percent: 50) ? parent() : nil,
            value: random.chance(percent: 90) ? value() : nil,
            owner: random.chance(percent: 15) ? subject() : nil)
    }

    private mutating func writing() -> Change {
        let content: Change.Content = random.chance(percent: 40) ? .value(value()) : .merge(patch())
        let expectedRevision = random.chance(percent: 5) ? Revision(UInt64(random.number(0...60))) : nil
        return .writeObject(object(), content, expectedRevision: expectedRevision)
    }

    private mutating func grant() -> Change {
        let object = target()
        return .grant(
            subject(), on: object, privileges(on: object), until: random.chance(percent: 25) ? end() : nil,
            strict: random.chance(percent: 8))
    }

    private mutating func settingAccess() -> Change {
        let (subject, object) = entry()
        return .setAccess(subject, on: object, privileges(on: object))
    }

    private mutating func revocation() -> Change {
        let (subject, object) = entry()
        return .revoke(
            subject, on: object, random.chance(percent: 45) ? privileges(on: object) : nil,
            strict: random.chance(percent: 10))
    }

    private mutating func removal() -> Change {
        let (member, role) =
            expected.memberships.isEmpty || random.chance(percent: 30) ? (member(), role()) : random.one(of: expected.memberships)
        return .removeMember(member, from: role, strict: random.chance(percent: 10))
    }

    private mutating func detachment() -> Change {
        let (permission, object) =
            expected.attachments.isEmpty || random.chance(percent: 30)
            ? (permission(), target()) : random.one(of: expected.attachments)
        return .detachPermission(permission, from: object)
    }

    private mutating func classChange() -> Change {
        let isBuiltIn = random.chance(percent: 20)
        return .changeClass(random.one(of: isBuiltIn ? vocabulary.builtInClasses : vocabulary.classes), settings(dense: false))
    }
}

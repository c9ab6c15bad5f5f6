internal import Events
internal import Muniment
internal import Permissions

extension History.Entry {
    /// The changes of the transaction; empty for other entries.
    var changes: [Change] {
        get { if case .transaction(let transaction, _) = event { transaction.changes } else { [] } }
        set { changeTransaction { $0.changes = newValue } }
    }

    /// Changes the transaction. Does nothing for other entries.
    mutating func changeTransaction(_ change: (inout Transaction) -> Void) {
        guard case .transaction(var transaction, let expected) = event else { return }
        change(&transaction)
        event = .transaction(transaction, expected)
    }
}

extension History {
    /// The time of the last entry.
    var end: Instant {
        entries.reduce(start) { time, entry in
            switch entry.event {
            case .transaction(let transaction, _): max(time, transaction.time ?? time)
            case .clock(let instant): max(time, instant)
            case .mark: time
            }
        }
    }

    /// The size of the scenario text in bytes, without line ends: a measure of entries, changes and their content.
    var size: Int { scenarioLines(note: nil).reduce(0) { $0 + $1.utf8.count } }

    /// All names in transactions, in the order of first appearance.
    var names: [Name] {
        var (names, seen): ([Name], Set<Name>) = ([], [])
        for transaction in transactions {
            for name in [transaction.caller] + transaction.changes.flatMap(\.names) where seen.insert(name).inserted {
                names.append(name)
            }
        }
        return names
    }

    /// Returns the history with one name replaced by another.
    func renaming(_ name: Name, to other: Name) -> History {
        var history = self
        for index in history.entries.indices {
            history.entries[index].changeTransaction { transaction in
                if transaction.caller == name { transaction.caller = other }
                transaction.changes = transaction.changes.map { $0.renaming { $0 == name ? other : $0 } }
            }
        }
        return history
    }
}

extension Change {
    /// The principals and objects that this change names.
    var names: [Name] {
        var names: [Name] = []
        _ = renaming { name in
            names.append(name)
            return name
        }
        return names
    }

    /// Returns the change with its names replaced. Links in values are unchanged.
    func renaming(_ other: (Name) -> Name) -> Change {
        switch self {
        case .defineClass, .changeClass: self
        case .createObject(let name, let parent, let value, let owner):
            .createObject(other(name), parent: parent.map(other), value: value, owner: owner.map(other))
        case .writeObject(let name, let content, let expected): .writeObject(other(name), content, expectedRevision: expected)
        case .moveObject(let name, let parent): .moveObject(other(name), parent: parent.map(other))
        case .deleteObject(let name, let expected): .deleteObject(other(name), expectedRevision: expected)
        case .setOwner(let name, let owner): .setOwner(other(name), owner: other(owner))
        case .grant(let subject, let object, let privileges, let until, let strict, let expected):
            .grant(other(subject), on: other(object), privileges, until: until, strict: strict, expectedRevision: expected)
        case .setAccess(let subject, let object, let privileges, let expected):
            .setAccess(other(subject), on: other(object), privileges, expectedRevision: expected)
        case .revoke(let subject, let object, let privileges, let strict, let expected):
            .revoke(other(subject), on: other(object), privileges, strict: strict, expectedRevision: expected)
        case .createRole(let role): .createRole(other(role))
        case .deleteRole(let role): .deleteRole(other(role))
        case .addMember(let member, let role, let strict): .addMember(other(member), to: other(role), strict: strict)
        case .removeMember(let member, let role, let strict): .removeMember(other(member), from: other(role), strict: strict)
        case .register(let name): .register(other(name))
        case .definePermission(let name, let subject, let privileges):
            .definePermission(other(name), subject: other(subject), privileges)
        case .changePermission(let name, let subject, let privileges):
            .changePermission(other(name), subject: other(subject), privileges)
        case .attachPermission(let name, let object): .attachPermission(other(name), to: other(object))
        case .detachPermission(let name, let object): .detachPermission(other(name), from: other(object))
        case .appointAdministrator(let name): .appointAdministrator(other(name))
        case .dismissAdministrator(let name): .dismissAdministrator(other(name))
        }
    }
}

import Events
public import Permissions

extension NaiveView {
    /// Returns the state after an administrator has made some changes, or nil if one of them would be refused.
    ///
    /// Supports the changes that explanations propose: registering, adding privileges to a class, memberships, and grants.
    public func supposing(_ changes: some Sequence<Change>) throws -> NaiveView? {
        var state = state
        for change in changes {
            guard let event = state.event(for: change) else { return nil }
            try state.apply(event)
        }
        return NaiveView(state: state, now: now)
    }
}

extension NaiveState {
    fileprivate func event(for change: Change) -> Event? {
        switch change {
        case .register(let name): return registration(of: name)
        case .changeClass(let name, let settings): return classChange(name, settings)
        case .addMember(let member, let role, _):
            guard let member = subject(member), let role = subject(role), roles[role] != nil, member != .anonymous,
                !isWithin(member, role)
            else { return nil }
            return .memberAdded(RoleMember(role: role, member: member))
        case .grant(let subject, let object, let names, nil, _, _):
            guard let subject = self.subject(subject), let object: ObjectID = self.names.id(of: object), exists(object),
                let privileges = privileges(names), grantable(on: object).isSuperset(of: privileges)
            else { return nil }
            return .accessGranted(AccessGranted(object: object, subject: subject, privileges: privileges))
        default: return nil
        }
    }

    private func registration(of name: Name) -> Event? {
        guard !(names.id(of: name).map { exists($0) } ?? false) else { return nil }
        guard let number: PrincipalID = names.id(of: name) else {
            return .principalRegistered(Introduction(PrincipalID(rawValue: ReservedID.limit - 7), name: name.text))
        }
        return .principalRegistered(Introduction(number))
    }

    private func classChange(_ name: String, _ settings: ClassSettings) -> Event? {
        guard let id: ClassID = names.id(of: .class(name)), var options = classes[id] else { return nil }
        var known = privilegeNames
        let new = (settings.privileges ?? []).filter { known.privilege($0) == nil && known.define($0) != nil }
        options.privileges = (settings.privileges ?? []).reduce(into: []) { $0.formUnion(known.privilege($1) ?? []) }
        return .classChanged(ClassChanged(classID: id, options: options, newPrivileges: new))
    }

    /// A subject of a grant.
    private func subject(_ name: Name) -> PrincipalID? {
        guard let id: PrincipalID = names.id(of: name) else { return nil }
        return id == .everyone || id == .anonymous || exists(ObjectID(id)) ? id : nil
    }

    /// Returns whether a role is the other one, or is nested in it.
    private func isWithin(_ member: PrincipalID, _ role: PrincipalID) -> Bool {
        guard roles[member] != nil else { return false }
        return NaiveView(state: self, now: .distantPast).subjects(of: names.name(of: role)).contains(member)
    }
}

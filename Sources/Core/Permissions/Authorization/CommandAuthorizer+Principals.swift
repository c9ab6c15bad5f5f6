internal import Events

extension CommandAuthorizer {
    mutating func createRole(_ name: Name) throws -> [Event] {
        try checkForm(name, is: .role, "a role")
        if try existing(name) != nil { throw Refusal(.alreadyExists, "there is a role `\(name.excerpt)` already") }
        try need(.create, onClass: .role, "role")
        let introduction: Introduction<PrincipalID> = try introduction(of: name)
        let object = ObjectID(introduction.id)
        created.insert(object)
        return [.roleCreated(introduction)]
            + (try creatorEvents(for: object, classID: .role, owner: caller))
    }

    func deleteRole(_ name: Name) throws -> [Event] {
        try checkForm(name, is: .role, "a role")
        let object = try object(name)
        try need(.delete, on: object, name)
        return [.roleDeleted(PrincipalID(object))]
    }

    func addMember(_ memberName: Name, to name: Name, strict: Bool) throws -> [Event] {
        let (role, member) = try membership(memberName, name)
        if try state.isMember(member, of: role) {
            if strict { throw Refusal(.alreadyExists, "`\(memberName.excerpt)` is a member of `\(name.excerpt)` already") }
            return []
        }
        // A role with the member `everyone` counts as above every role, so it cannot be put below one.
        if memberName.kind == .role,
            try member == role || state.reach(of: role).roles.contains(member)
                || state.subjects(of: .everyone).contains(member)
        {
            throw Refusal(.cycle, "`\(name.excerpt)` is within `\(memberName.excerpt)` already: roles cannot hold each other")
        }
        try needShare(of: member, in: role, memberName)
        return [.memberAdded(RoleMember(role: role, member: member))]
    }

    func removeMember(_ memberName: Name, from name: Name, strict: Bool) throws -> [Event] {
        let (role, member) = try membership(memberName, name)
        guard try state.isMember(member, of: role) else {
            if strict { throw Refusal(.notThere, "`\(memberName.excerpt)` is no direct member of `\(name.excerpt)`") }
            return []
        }
        return [.memberRemoved(RoleMember(role: role, member: member))]
    }

    private func membership(_ memberName: Name, _ name: Name) throws -> (role: PrincipalID, member: PrincipalID) {
        try checkForm(name, is: .role, "a role")
        try checkForm(memberName)
        if memberName.kind == .anonymous {
            throw Refusal(.malformed, "`anonymous` cannot be put in `\(name.excerpt)`: grant to it directly")
        }
        let object = try object(name)
        try need(.update, on: object, name)
        return (PrincipalID(object), try subject(memberName))
    }

    func register(_ name: Name) throws -> [Event] {
        try checkForm(name, is: .caller, "a user or a thing")
        try need(.create, onClass: name.className == "user" ? .user : .thing, name.className)
        guard try existing(name) == nil else { return [] }
        return [.principalRegistered(try introduction(of: name))]
    }

    func appointAdministrator(_ name: Name) throws -> [Event] {
        let principal = try administrator(name)
        guard try !state.isAdministrator(principal) else { return [] }
        return [.administratorAppointed(principal)]
    }

    func dismissAdministrator(_ name: Name) throws -> [Event] {
        let principal = try administrator(name)
        guard try state.isAdministrator(principal) else { return [] }
        guard state.administratorCount > 1 else {
            throw Refusal(.lastAdministrator, "`\(name.excerpt)` is the last administrator: appoint another one first")
        }
        return [.administratorDismissed(principal)]
    }

    private func administrator(_ name: Name) throws -> PrincipalID {
        // Memberships are not followed to find administrators: a role appointed as one would administer nothing.
        try checkForm(name, is: .caller, "a user or a thing, which alone can administer a store")
        guard try mayDoEverything else {
            throw Refusal(
                .notAdministrator,
                "only an administrator of the store appoints and dismisses administrators, such as `\(name.excerpt)`")
        }
        return try subject(name)
    }
}

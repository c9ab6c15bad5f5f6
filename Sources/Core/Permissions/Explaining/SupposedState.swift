public import Events

/// A state as it would be after some changes: the rules on it return the result that they would return then. Nothing is written.
public struct SupposedState<Base: ExplainableState>: AccessState {
    let base: Base
    /// The caller that receives the memberships and entries.
    let caller: PrincipalID
    /// The supposed changes.
    let remedy: Remedy

    /// - Parameters:
    ///   - base: the present state.
    ///   - caller: the caller that receives the memberships and entries.
    ///   - remedy: the changes.
    public init(_ base: Base, for caller: PrincipalID, with remedy: Remedy) {
        self.base = base
        self.caller = caller
        self.remedy = remedy
    }

    public func subjects(of caller: PrincipalID) throws -> SubjectSet {
        let present = try base.subjects(of: caller)
        guard caller == self.caller, !remedy.roles.isEmpty else { return present }
        var members = Set(present.members)
        for role in remedy.roles { members.formUnion(try base.subjects(of: role).members) }
        return SubjectSet(caller: caller, isAdministrator: present.isAdministrator, members: Array(members))
    }

    public func place(of object: ObjectID) throws -> Place? { try base.place(of: object) }

    public func level(
        on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges
    ) throws -> Privileges {
        try base.level(on: object, for: subjects, at: instant, wanted: wanted).union(supposed(on: object, subjects))
    }

    public func storeLevel(for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        try base.storeLevel(for: subjects, at: instant).union(supposed(on: .store, subjects))
    }

    public func classLevel(of classID: ClassID, for subjects: SubjectSet, at instant: Instant) throws -> Privileges {
        try base.classLevel(of: classID, for: subjects, at: instant).union(supposed(on: ObjectID(classID), subjects))
    }

    private func supposed(on object: ObjectID, _ subjects: SubjectSet) -> Privileges {
        subjects.contains(caller) ? remedy.grants[object] ?? [] : []
    }

    public func options(of classID: ClassID) throws -> ClassOptions? {
        var options = try base.options(of: classID)
        if let added = remedy.classes[classID] { options?.privileges.formUnion(added) }
        return options
    }

    public func links(to target: ObjectID, limit: Int) throws -> [CallerLinks] { try base.links(to: target, limit: limit) }
}

package import Events

extension Set {
    /// Creates the set of some elements and of everything that can be reached from them. Calls `next` once for each element.
    ///
    /// - Parameter next: returns the elements that an element leads to directly.
    @inlinable package init<Next: Sequence<Element>>(
        reachableFrom start: some Sequence<Element>, by next: (Element) throws -> Next
    ) rethrows {
        self = []
        var pending = Array(start)
        while let element = pending.popLast() { if insert(element).inserted { pending += try next(element) } }
    }
}

extension SubjectSet {
    /// Creates the subjects of a caller by following memberships upwards.
    ///
    /// - Parameter roles: returns the roles that a principal is a direct member of.
    package convenience init(
        of caller: PrincipalID, isAdministrator: Bool, roles: (PrincipalID) throws -> [PrincipalID]
    ) rethrows {
        var members: Set<PrincipalID> = [.anonymous]
        if caller != .anonymous { members.formUnion(try Set(reachableFrom: [caller, .everyone], by: roles)) }
        self.init(caller: caller, isAdministrator: isAdministrator, members: Array(members))
    }
}

extension Set<PrincipalID> {
    /// Creates the set of the subjects that are not roles, among some subjects and, through all levels of nesting, among the
    /// members of the roles. It contains `everyone` and `anonymous` if they are among them.
    ///
    /// - Parameter members: returns the direct members of a role; nil for any other subject.
    package init<Members: Sequence<PrincipalID>>(
        callersAmong subjects: some Sequence<PrincipalID>, members: (PrincipalID) throws -> Members?
    ) rethrows {
        var callers: Set<PrincipalID> = []
        _ = try Set(reachableFrom: subjects) { subject in
            if let found = try members(subject) { return Array(found) }
            callers.insert(subject)
            return []
        }
        self = callers
    }
}

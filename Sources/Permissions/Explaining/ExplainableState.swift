public import Events

/// What explanations read beside what the rules of access read.
public protocol ExplainableState: AccessState {
    /// What entries on an object, and permissions attached to it, give at an instant; nothing where there is no such object.
    ///
    /// - Parameters:
    ///   - object: where they stand.
    ///   - subjects: only what is given to these; nil for what is given to anybody.
    ///   - instant: when ends are judged.
    ///   - wanted: only these privileges are told.
    func grants(on object: ObjectID, to subjects: SubjectSet?, at instant: Instant, wanted: Privileges) throws -> [Grant]

    /// What the store's own entries give these subjects.
    func storeGrants(to subjects: SubjectSet, at instant: Instant, wanted: Privileges) throws -> [Grant]

    /// What the entries on the object of a class give these subjects.
    func classGrants(of classID: ClassID, to subjects: SubjectSet, at instant: Instant, wanted: Privileges) throws -> [Grant]

    /// By which memberships a caller counts as its subjects.
    func ancestry(of caller: PrincipalID) throws -> Ancestry

    /// The direct members of a role.
    func members(of role: PrincipalID) throws -> [PrincipalID]
}

extension ExplainableState {
    public func storeGrants(to subjects: SubjectSet, at instant: Instant, wanted: Privileges) throws -> [Grant] {
        try grants(on: .store, to: subjects, at: instant, wanted: wanted)
    }

    public func classGrants(
        of classID: ClassID, to subjects: SubjectSet, at instant: Instant, wanted: Privileges
    ) throws -> [Grant] {
        try grants(on: ObjectID(classID), to: subjects, at: instant, wanted: wanted)
    }
}

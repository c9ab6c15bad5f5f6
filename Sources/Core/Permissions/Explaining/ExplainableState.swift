public import Events

/// The data that explanations read in addition to the rules of access.
public protocol ExplainableState: AccessState {
    /// Returns the grants of entries on an object, and of permissions attached to it, at an instant. Empty if the object does not
    /// exist.
    ///
    /// - Parameters:
    ///   - object: the object with the entries.
    ///   - subjects: only grants to these subjects; nil for grants to any subject.
    ///   - instant: the time for evaluating ends.
    ///   - wanted: only these privileges are returned.
    func grants(on object: ObjectID, to subjects: SubjectSet?, at instant: Instant, wanted: Privileges) throws -> [Grant]

    /// Returns the grants of the store's entries to these subjects.
    func storeGrants(to subjects: SubjectSet, at instant: Instant, wanted: Privileges) throws -> [Grant]

    /// Returns the grants of the entries on the object of a class to these subjects.
    func classGrants(of classID: ClassID, to subjects: SubjectSet, at instant: Instant, wanted: Privileges) throws -> [Grant]

    /// Returns the memberships between a caller and its subjects.
    func ancestry(of caller: PrincipalID) throws -> Ancestry

    /// Returns the direct members of a role.
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

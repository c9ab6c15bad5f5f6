public import Events

/// The data that explanations read in addition to the rules of access.
public protocol ExplainableState: AccessState {
    /// Returns the grants of entries on an object, and of permissions attached to it, at an instant. Empty if the object does not
    /// exist.
    ///
    /// - Parameters:
    ///   - level: the level at which the rules read the object.
    ///   - object: the object with the entries.
    ///   - subjects: only grants to these subjects; nil for grants to any subject.
    ///   - instant: the time for evaluating ends.
    ///   - wanted: only these privileges are returned.
    func grants(
        _ level: DecidingLevel, on object: ObjectID, to subjects: SubjectSet?, at instant: Instant, wanted: Privileges
    ) throws -> [Grant]

    /// Returns the memberships between a caller and its subjects.
    func ancestry(of caller: PrincipalID) throws -> MembershipChains

    /// Returns the direct members of a role.
    func members(of role: PrincipalID) throws -> [PrincipalID]
}

/// Every grant of some privileges to a caller on an object.
public struct Reasons: Sendable {
    /// The memberships between the caller and its subjects.
    public let ancestry: MembershipChains
    /// The grants without links.
    public let object: ObjectReasons
    /// The chains of links that make the object readable. A chain begins with the object that links to the one in the question,
    /// then the object that links to that one, and so on. The last one is readable without links. Each of the others is readable
    /// because of the next one.
    public let links: [[ObjectReasons]]
    /// Whether the links are complete. If many objects link to each other, there can be too many to follow.
    public let linksAreComplete: Bool

    /// The verdict of the rules on these reasons, for the privileges in the question.
    public var verdict: Verdict {
        let levels = links.isEmpty ? object.levels : object.levels.withLink
        return Verdict(effective: levels.combined.intersection(object.options.known), reason: .levels(levels))
    }
}

/// Every grant of some privileges on one object, without links.
public struct ObjectReasons: Sendable {
    public let object: ObjectID
    public let classID: ClassID
    public let options: ClassOptions
    /// The privileges in the question that the grants give.
    public let levels: Levels
    /// The objects that give privileges: the store, the class, the object, its parent, and so on upwards, as far as privileges are
    /// inherited.
    public let sources: [(source: AccessSource, grants: [Grant])]

    /// Returns the objects that give privileges at a level.
    public func sources(at level: DecidingLevel) -> [(source: AccessSource, grants: [Grant])] {
        sources.filter { $0.source.level == level }
    }
}

/// The rules of access with a record of every grant. The verdict is the same, and no grant is left out.
extension AccessRules where State: ExplainableState {
    /// Returns the grants that give a caller privileges on an object; nil if the object does not exist.
    ///
    /// Costs as much as a check that finds nothing. If links are followed, linear in the links up to a limit.
    ///
    /// - Parameters:
    ///   - subjects: the subjects of the caller.
    ///   - object: any object, including built-in ones.
    ///   - wanted: the privileges in the question.
    public func reasons(for subjects: SubjectSet, on object: ObjectID, wanted: Privileges) throws -> Reasons? {
        guard let reasons = try objectReasons(for: subjects, on: object, wanted: wanted) else { return nil }
        let readsLinks = wanted.contains(.read) && reasons.options.readThroughLinks
        let links = readsLinks ? try linkReasons(for: subjects, on: object) : ([], true)
        return Reasons(
            ancestry: try state.ancestry(of: subjects.caller), object: reasons, links: links.0, linksAreComplete: links.1)
    }

    /// Returns the grants on an object without links, to some subjects or to any subject; nil if the object does not exist.
    func objectReasons(for subjects: SubjectSet?, on object: ObjectID, wanted: Privileges) throws -> ObjectReasons? {
        guard let (place, options) = try located(object) else { return nil }
        var sources: [(source: AccessSource, grants: [Grant])] = []
        sources.reserveCapacity(8)
        let levels = try walk(on: object, at: place, options, wanted: wanted, isExhaustive: true) { [state, instant] source in
            let grants =
                source.isOpen
                ? [] : try state.grants(source.level, on: source.object, to: subjects, at: instant, wanted: source.mask)
            sources.append((source, grants))
            return source.isOpen ? source.mask : grants.privileges
        }
        return ObjectReasons(object: object, classID: place.classID, options: options, levels: levels, sources: sources)
    }

    /// Returns the grants along the chains of links that make an object readable, and whether the chains are complete.
    private func linkReasons(
        for subjects: SubjectSet, on target: ObjectID
    ) throws -> (chains: [[ObjectReasons]], areComplete: Bool) {
        var followed = FollowedLinks(to: target)
        let walk = LinkWalk(self, subjects, deciding: nil)
        try walk.follow(to: target) { link in
            followed.add(link)
            return true
        }
        let (chains, areComplete) = followed.chains(limit: ExplanationLimits.chainsOfLinks)
        var known: [ObjectID: ObjectReasons] = [:]
        for source in chains.joined() where known[source] == nil {
            known[source] = try objectReasons(for: subjects, on: source, wanted: .read)
        }
        return (chains.map { $0.compactMap { known[$0] } }, areComplete)
    }
}

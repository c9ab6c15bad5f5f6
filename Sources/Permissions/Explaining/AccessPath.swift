public import Events

/// One way in which a caller has privileges at a level: whom it counts as, what is given to them and where, and how that comes down
/// to the object.
public struct AccessPath: Sendable {
    /// What it gives of the privileges that were asked about.
    public let privileges: Privileges
    /// From the caller, `everyone` or `anonymous`, from member to role, up to the subject that is given something; empty where what
    /// gives is no matter of subjects.
    public let memberships: [PrincipalID]
    public let source: Source
    /// The object, then what it stands in, and so on, up to where the privileges are given. At the store and class levels the store
    /// or the class alone.
    public let inheritance: [Standing.Step]

    /// What gives the privileges.
    public enum Source: Sendable {
        /// An entry, or a permission attached to an object.
        case grant(Grant)
        /// A class whose objects have no access lists of their own, and give everything.
        case openClass(ClassID)
    }
}

extension Standing {
    /// An object on the way from which something comes down.
    public struct Step: Hashable, Sendable {
        public let object: ObjectID
        public let classID: ClassID
    }
}

/// The ways in which a caller has privileges at one level.
public struct AccessPaths: Sendable {
    public private(set) var paths: [AccessPath] = []
    /// Whether these are all: there can be more of them than ``ExplanationLimits/pathsPerLevel``.
    public private(set) var isComplete = true

    /// All that they give together.
    public var privileges: Privileges { paths.reduce(into: []) { $0.formUnion($1.privileges) } }

    private mutating func add(_ grant: Grant, of privileges: Privileges, _ ancestry: Ancestry, _ way: [Standing.Step]) {
        // One path at least for each grant, so that what a level gives is always accounted for.
        let room = max(1, ExplanationLimits.pathsPerLevel - paths.count)
        let (chains, areAll) = ancestry.chains(to: grant.subject, limit: room)
        if !areAll { isComplete = false }
        for chain in chains {
            paths.append(AccessPath(privileges: privileges, memberships: chain, source: .grant(grant), inheritance: way))
        }
    }
}

extension Reasons {
    /// The ways in which the store level gives something.
    public var storePaths: AccessPaths {
        AccessPaths(store, ancestry, at: Standing.Step(object: .store, classID: .store))
    }
}

extension ObjectReasons {
    /// The ways in which the class level gives something.
    public func classPaths(_ ancestry: Ancestry) -> AccessPaths {
        AccessPaths(classLevel, ancestry, at: Standing.Step(object: ObjectID(classID), classID: .class))
    }

    /// The ways in which the object part gives something, links left out.
    public func objectPaths(_ ancestry: Ancestry) -> AccessPaths { AccessPaths(standings, ancestry) }
}

extension AccessPaths {
    fileprivate init(_ grants: [Grant], _ ancestry: Ancestry, at step: Standing.Step) {
        for grant in grants { add(grant, of: grant.privileges, ancestry, [step]) }
    }

    fileprivate init(_ standings: [Standing], _ ancestry: Ancestry) {
        var way: [Standing.Step] = []
        for standing in standings {
            way.append(Standing.Step(object: standing.object, classID: standing.classID))
            if standing.isOpen {
                paths.append(
                    AccessPath(
                        privileges: standing.mask, memberships: [], source: .openClass(standing.classID), inheritance: way))
            }
            for grant in standing.grants { add(grant, of: grant.privileges.intersection(standing.mask), ancestry, way) }
        }
    }
}

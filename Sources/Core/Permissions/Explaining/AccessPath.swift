public import Events

/// One explanation of a caller's privileges at a level: the memberships of the caller, the grant and its object, and the
/// inheritance from there down to the object.
public struct AccessPath: Sendable {
    /// The privileges that it gives, of those in the question.
    public let privileges: Privileges
    /// From the caller, `everyone` or `anonymous`, from member to role, up to the subject of the grant. Empty if the source does
    /// not depend on subjects.
    public let memberships: [PrincipalID]
    public let source: Source
    /// The object, then its parent, and so on, up to the object with the grant. At the store and class levels only the store or
    /// the class.
    public let inheritance: [Standing.Step]

    /// The source of the privileges.
    public enum Source: Sendable {
        /// An entry, or a permission attached to an object.
        case grant(Grant)
        /// A class without object ACLs: its objects give every privilege.
        case openClass(ClassID)
    }
}

extension Standing {
    /// An object on an inheritance path.
    public struct Step: Hashable, Sendable {
        public let object: ObjectID
        public let classID: ClassID
    }
}

/// The paths that give a caller privileges at one level.
public struct AccessPaths: Sendable {
    public private(set) var paths: [AccessPath] = []
    /// Whether the paths are complete: there can be more than ``ExplanationLimits/pathsPerLevel``.
    public private(set) var isComplete = true

    /// The union of their privileges.
    public var privileges: Privileges { paths.reduce(into: []) { $0.formUnion($1.privileges) } }

    private mutating func add(_ grant: Grant, of privileges: Privileges, _ ancestry: Ancestry, _ way: [Standing.Step]) {
        // At least one path for each grant, so that every privilege of a level is explained.
        let room = max(1, ExplanationLimits.pathsPerLevel - paths.count)
        let (chains, areAll) = ancestry.chains(to: grant.subject, limit: room)
        if !areAll { isComplete = false }
        for chain in chains {
            paths.append(AccessPath(privileges: privileges, memberships: chain, source: .grant(grant), inheritance: way))
        }
    }
}

extension Reasons {
    /// The paths that give privileges at the store level.
    public var storePaths: AccessPaths {
        AccessPaths(store, ancestry, at: Standing.Step(object: .store, classID: .store))
    }
}

extension ObjectReasons {
    /// Returns the paths that give privileges at the class level.
    public func classPaths(_ ancestry: Ancestry) -> AccessPaths {
        AccessPaths(classLevel, ancestry, at: Standing.Step(object: ObjectID(classID), classID: .class))
    }

    /// Returns the paths that give privileges in the object part, without links.
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

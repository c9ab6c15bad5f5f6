public import Events

/// Every grant of some privileges to a caller on an object, by level.
public struct Reasons: Sendable {
    /// The memberships between the caller and its subjects.
    public let ancestry: Ancestry
    /// The grants on the store.
    public let store: [Grant]
    /// The grants of the class of the object, and of the object part without links.
    public let object: ObjectReasons
    /// The links that make the object readable.
    public let links: [LinkReasons]
    /// Whether the links are complete. If many objects link to each other, there can be too many to follow.
    public let linksAreComplete: Bool
}

/// The grants of privileges to a caller at the class level and in the object part of one object, without links.
public struct ObjectReasons: Sendable {
    public let options: ClassOptions
    /// The grants on the class.
    public let classLevel: [Grant]
    /// The object, its parent, and so on upwards, as far as privileges are inherited.
    public let standings: [Standing]

    public var object: ObjectID { standings[0].object }
    public var classID: ClassID { standings[0].classID }

    /// The privileges in the question that the object's entries and inheritance give.
    public var objectPart: Privileges {
        standings.reduce(into: []) { part, standing in
            part.formUnion(standing.isOpen ? standing.mask : standing.grants.privileges.intersection(standing.mask))
        }
    }
}

/// An object that gives privileges to itself, or to the object below it in the question.
public struct Standing: Sendable {
    public let object: ObjectID
    public let classID: ClassID
    /// The privileges inherited from here: those that every class on the path passes on.
    public let mask: Privileges
    /// Whether its class has no object ACLs, so that it gives every privilege.
    public let isOpen: Bool
    /// The grants on it.
    public let grants: [Grant]
}

/// A chain of links from an object that is readable without links to the object in the question.
public struct LinkReasons: Sendable {
    /// The object that links to the one in the question, then the object that links to that one, and so on. The last one is
    /// readable without links. Each of the others is readable because of the next one.
    public let sources: [ObjectReasons]
}

extension Reasons {
    /// Returns the verdict of the rules on these reasons, for the privileges in the question.
    public func verdict(wanted: Privileges) -> Verdict {
        let levels = object.levels(store.privileges)
        let combined = links.isEmpty ? levels.combined : levels.combined(with: .read)
        return Verdict(
            effective: combined.intersection(object.options.known).intersection(wanted),
            reason: .levels(
                store: levels.store, class: levels.classLevel, object: links.isEmpty ? levels.object : levels.object.union(.read),
                levels.composition))
    }
}

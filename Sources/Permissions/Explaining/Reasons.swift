public import Events

/// All that gives a caller some privileges on an object, level by level.
public struct Reasons: Sendable {
    /// By which memberships the caller counts as whom.
    public let ancestry: Ancestry
    /// What is given on the store.
    public let store: [Grant]
    /// What the class of the object gives, and the object part but for links.
    public let object: ObjectReasons
    /// What makes the object readable because others link to it.
    public let links: [LinkReasons]
    /// Whether these are all the links, which are too many to follow where many objects link to each other.
    public let linksAreComplete: Bool
}

/// What gives a caller privileges at the class level and in the object part of one object, links left out.
public struct ObjectReasons: Sendable {
    public let options: ClassOptions
    /// What is given on the class.
    public let classLevel: [Grant]
    /// The object, what it stands in, what that stands in: from the bottom up, as far as anything comes down.
    public let standings: [Standing]

    public var object: ObjectID { standings[0].object }
    public var classID: ClassID { standings[0].classID }

    /// What of the privileges that were asked about comes from the object's own entries, and from above it.
    public var objectPart: Privileges {
        standings.reduce(into: []) { part, standing in
            part.formUnion(standing.isOpen ? standing.mask : standing.grants.privileges.intersection(standing.mask))
        }
    }
}

/// An object that gives something to the object below it that a question is about, or to itself.
public struct Standing: Sendable {
    public let object: ObjectID
    public let classID: ClassID
    /// What comes down from here: what every class on the way lets through.
    public let mask: Privileges
    /// Whether its class has no object ACLs, so that it gives everything.
    public let isOpen: Bool
    /// What is given on it.
    public let grants: [Grant]
}

/// A chain of links from an object that is readable by itself down to the one that a question is about.
public struct LinkReasons: Sendable {
    /// The object that links to the one that the question is about, the one that links to that, and so on. The last one is
    /// readable without links; the ones before it are readable because of it.
    public let sources: [ObjectReasons]
}

extension Reasons {
    /// What follows from these for the privileges that were asked about, as the rules have it.
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

public import Events
internal import LMDB
public import Permissions

/// Where to look for the objects to which a commit may have changed somebody's access.
public enum TouchedRelation: Hashable, Sendable {
    /// The objects that a subject has an entry on.
    case entries(of: PrincipalID)
    /// The objects that a permission is attached to.
    case attachments(of: PermissionID)
    /// The permissions made for a subject.
    case permissions(for: PrincipalID)
    /// The objects of a class.
    case instances(of: ClassID)
    /// What is directly below an object.
    case children(of: ObjectID)

    var prefix: RelationPrefix {
        switch self {
        case .entries(let subject): RelationPrefix(kind: .grant, first: subject.rawValue)
        case .attachments(let permission): RelationPrefix(kind: .attachment, first: permission.rawValue)
        case .permissions(let subject): RelationPrefix(kind: .permissionFor, first: subject.rawValue)
        case .instances(let classID): RelationPrefix(kind: .instance, first: classID.rawValue)
        case .children(let object): RelationPrefix(kind: .child, first: object.rawValue)
        }
    }
}

/// How the classes of a store hang together at some revision of its history.
public struct ClassLinks: Sendable {
    /// The classes below whose objects there ever was one of a class that inherits at some time.
    public internal(set) var inheritedFrom: Set<ClassID> = []
    /// Whether any class ever let its objects be read because others link to them.
    public internal(set) var readThroughLinks = false
}

extension IndexReader {
    /// The numbers related at either of two revisions, the smallest first, a limited number of them at a time.
    ///
    /// Linear in the versions that are passed.
    ///
    /// - Parameters:
    ///   - relation: what is looked through.
    ///   - first: the smallest number to begin with.
    ///   - limit: how many at most.
    ///   - earlier: one revision.
    ///   - later: the other.
    /// - Returns: the numbers, and with which to go on; nil where that was all.
    public func related(
        _ relation: TouchedRelation, from first: UInt64 = 0, limit: Int = .max, at earlier: Revision, or later: Revision
    ) throws -> (found: [UInt64], next: UInt64?) {
        var found: [UInt64] = []
        var next: UInt64?
        try forEachVersion(relation.prefix, from: first) { key, end, _ in
            guard key.begin <= earlier && earlier < end || key.begin <= later && later < end else { return true }
            let second = key.second
            guard found.last != second else { return true }
            guard found.count < limit else {
                next = second
                return false
            }
            found.append(second)
            return true
        }
        return (found, next)
    }

    /// The links in the value of an object at the revision, whether they count or not.
    public func links(from object: ObjectID) throws -> [ObjectLink] {
        var links: [ObjectLink] = []
        try withDocument(DocumentID(kind: .value, id: object.rawValue)) { row in
            var reader = ByteReader(offset: VersionRow.headerBytes)
            links = try ValueDocument.decodeLinks(row, &reader)
        }
        return links
    }

    /// Whom a permission is for at the revision; nil where there is none.
    public func subject(of permission: PermissionID) throws -> PrincipalID? { try permissionGrant(permission).value?.subject }

    /// How the classes hang together up to the head.
    public func classLinksEver() throws -> ClassLinks {
        if let classLinks { return classLinks }
        var links = ClassLinks()
        for classID in try related(.instances(of: .class), at: state.revision, or: state.revision).found.map(
            ClassID.init(rawValue:))
        {
            var inherits = false
            try forEachVersion(of: DocumentID(kind: .classOptions, id: classID.rawValue), as: ClassOptions.self) { options in
                inherits = inherits || !options.inherits.isEmpty
                links.readThroughLinks = links.readThroughLinks || options.readThroughLinks
            }
            guard inherits else { continue }
            try forEachVersion(RelationPrefix(kind: .parentClass, first: classID.rawValue)) { key, _, _ in
                links.inheritedFrom.insert(ClassID(rawValue: key.second))
                return true
            }
        }
        classLinks = links
        return links
    }
}

extension IndexReader {
    /// Subjects of which everybody counts as one who has anything on an object, administrators apart; nil where that cannot be told
    /// from those who are named. Linear in their number and in the height of the object.
    public func subjectsMeeting(_ object: ObjectID) throws -> Set<PrincipalID>? {
        guard let place = try place(of: object), let options = try options(of: place.classID) else { return [] }
        let namedAbove = try options.composition == .narrowing ? namedSubjects(on: ObjectID(place.classID)) : nil
        guard options.objectACL == .required else { return namedAbove }
        guard !options.readThroughLinks else { return nil }
        var named = options.composition == .widening ? try namedSubjects(on: ObjectID(place.classID)) : []
        var (object, parent, inherits) = (object, place.parent, options.inherits)
        while true {
            named.formUnion(try namedSubjects(on: object))
            guard !inherits.isEmpty, let above = parent, let place = try self.place(of: above),
                let options = try self.options(of: place.classID)
            else { return named }
            // What has no object ACLs gives everything down.
            guard options.objectACL == .required else { return namedAbove }
            (object, parent, inherits) = (above, place.parent, options.inherits)
        }
    }
}

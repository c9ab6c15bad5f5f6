public import Events
internal import LMDB
public import Permissions

/// The relations between the classes of a store at any revision of its history.
public struct ClassLinks: Sendable {
    /// The classes of objects that have ever been parents of objects of an inheriting class.
    public internal(set) var inheritedFrom: Set<ClassID> = []
    /// Whether any class has ever had objects that are readable through links.
    public internal(set) var readThroughLinks = false
}

extension IndexReader {
    /// Returns the numbers related at one of two revisions, the smallest first, a limited number at a time.
    ///
    /// Linear in the versions that are read.
    ///
    /// - Parameters:
    ///   - relation: the relation to read.
    ///   - first: the smallest number to begin with.
    ///   - limit: the maximum number of results.
    ///   - earlier: one revision.
    ///   - later: the other.
    /// - Returns: the numbers, and the number to continue with; nil at the end.
    package func related(
        _ relation: RelationPrefix, from first: UInt64 = 0, limit: Int = .max, at earlier: Revision, or later: Revision
    ) throws -> (found: [UInt64], next: UInt64?) {
        var found: [UInt64] = []
        var next: UInt64?
        try forEachVersion(relation, from: first) { key, end, _ in
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

    /// Returns the links in the value of an object at the revision, whether they count or not.
    public func links(from object: ObjectID) throws -> [ObjectLink] {
        var links: [ObjectLink] = []
        try withDocument(DocumentID(kind: .value, id: object.rawValue)) { row in
            var reader = ByteReader(offset: VersionRow.headerBytes)
            links = try ValueDocument.decodeLinks(row, &reader)
        }
        return links
    }

    /// Returns the subject of a permission at the revision; nil if the permission does not exist.
    public func subject(of permission: PermissionID) throws -> PrincipalID? { try permissionGrant(permission).value?.subject }

    /// Returns the relations between classes up to the head.
    public func classLinksEver() throws -> ClassLinks {
        if let classLinks { return classLinks }
        var links = ClassLinks()
        for classID in try related(.instances(of: .class), at: state.revision, or: state.revision).found.map(
            ClassID.init(rawValue:))
        {
            var inherits = false
            try forEachVersion(of: DocumentID(kind: .classOptions, id: classID.rawValue)) { _, _, row in
                let options = try ClassOptions.decode(row)
                inherits = inherits || !options.inherits.isEmpty
                links.readThroughLinks = links.readThroughLinks || options.readThroughLinks
                return true
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
    /// Returns subjects such that every caller with access to an object has one of them, except for administrators; nil if the
    /// named subjects do not determine that. Linear in their number and in the depth of the object.
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
            // An object without object ACLs gives every privilege to the objects below.
            guard options.objectACL == .required else { return namedAbove }
            (object, parent, inherits) = (above, place.parent, options.inherits)
        }
    }
}

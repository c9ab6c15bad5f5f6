package import Events
internal import LMDB

/// The kinds of rows in the table `documents`. The numbers are part of the index's format.
enum DocumentKind: UInt8 {
    /// An object: its class, parent and owner, and its access list.
    case object = 1
    /// The roles that a principal is a direct member of.
    case memberships = 2
    case classOptions = 3
    case permission = 4
    /// The JSON value of an object.
    case value = 5
    /// The values of an object in the properties that its class names for queries.
    case properties = 6
    /// The numbers of a class's properties.
    case propertySlots = 7
}

/// The kinds of rows in the table `relations`. The numbers are part of the index's format.
package enum RelationKind: UInt8, Sendable {
    /// role → member
    case member = 1
    /// parent → child
    case child = 2
    /// class → object of it
    case instance = 3
    /// subject → object with an entry for it
    case grant = 4
    /// object → subject, with the entry: for objects with more entries than fit a document
    case entry = 5
    /// permission → object that it is attached to
    case attachment = 6
    /// subject → permission for it
    case permissionFor = 7
    /// object → caller that wrote links to it, with the objects that contain these links
    case link = 8
    /// the store → administrator
    case administrator = 9
    /// class of children → class of their parents, after it has occurred once: a hint that never ends
    case parentClass = 10
    /// owner → object
    case owner = 11
}

/// The entity and the kind of data that versions of a document share.
struct DocumentID: Hashable {
    let kind: DocumentKind
    let id: UInt64

    /// Returns the key of the version that begins at a revision. Later versions come first, so that the first key at or after the
    /// one for revision r belongs to the version that is current at r.
    func key(_ begin: Revision) -> FixedKey {
        FixedKey(UInt128(kind.rawValue) << 80 | UInt128(id) << 40 | UInt128(begin.inverted), byteCount: 11)
    }

    /// Whether a key belongs to a version of this document.
    func matches(_ key: FixedKey) -> Bool {
        key.byteCount == 11 && key.number >> 40 == UInt128(kind.rawValue) << 40 | UInt128(id)
    }
}

/// The first of two related entities, and the kind of relation.
package struct RelationPrefix: Hashable, Sendable {
    package let kind: RelationKind
    let first: UInt64

    func key(_ second: UInt64, _ begin: Revision) -> FixedKey {
        FixedKey(
            UInt128(kind.rawValue) << 120 | UInt128(first) << 80 | UInt128(second) << 40 | UInt128(begin.inverted), byteCount: 16)
    }

    func matches(_ key: FixedKey) -> Bool {
        key.byteCount == 16 && key.number >> 80 == UInt128(kind.rawValue) << 40 | UInt128(first)
    }
}

extension RelationPrefix {
    /// The objects that have an entry for a subject.
    package static func entries(for subject: PrincipalID) -> RelationPrefix {
        RelationPrefix(kind: .grant, first: subject.rawValue)
    }

    /// The objects that a permission is attached to.
    package static func attachments(of permission: PermissionID) -> RelationPrefix {
        RelationPrefix(kind: .attachment, first: permission.rawValue)
    }

    /// The permissions for a subject.
    package static func permissions(for subject: PrincipalID) -> RelationPrefix {
        RelationPrefix(kind: .permissionFor, first: subject.rawValue)
    }

    /// The objects of a class.
    package static func instances(of classID: ClassID) -> RelationPrefix {
        RelationPrefix(kind: .instance, first: classID.rawValue)
    }

    /// The objects directly below an object.
    package static func children(of object: ObjectID) -> RelationPrefix { RelationPrefix(kind: .child, first: object.rawValue) }

    /// The direct members of a role.
    package static func members(of role: PrincipalID) -> RelationPrefix { RelationPrefix(kind: .member, first: role.rawValue) }
}

/// Two related entities and the kind of relation.
struct RelationID: Hashable {
    let prefix: RelationPrefix
    let second: UInt64

    func key(_ begin: Revision) -> FixedKey { prefix.key(second, begin) }

    func hash(into hasher: inout Hasher) {
        hasher.combine((prefix.first &* 0x9E37_79B9_7F4A_7C15) ^ second ^ UInt64(prefix.kind.rawValue) << 56)
    }
}

extension RelationKind {
    /// Whether folding ever lists all relations of this kind for an entity.
    var isListedInFold: Bool {
        switch self {
        case .instance, .administrator, .parentClass, .owner: false
        case .member, .child, .grant, .entry, .attachment, .permissionFor, .link: true
        }
    }
}

extension FixedKey {
    /// The first revision of the version under this key.
    var begin: Revision { Revision(Revision.open.rawValue - UInt64(truncatingIfNeeded: number) & Revision.open.rawValue) }

    /// The second of two related entities.
    var second: UInt64 { UInt64(truncatingIfNeeded: number >> 40) & Revision.open.rawValue }
}

extension Revision {
    var inverted: UInt64 { Revision.open.rawValue - rawValue }
}

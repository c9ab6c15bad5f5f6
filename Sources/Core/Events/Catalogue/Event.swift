/// One immutable fact. The events of a commit are appended together and never change.
///
/// To add a kind, add a case here, a struct in this folder if it has several fields, a ``Kind`` with its number and version, its
/// codec, golden bytes in the tests, and its effect in the fold (`CONTRIBUTING.md` lists the steps).
public enum Event: Hashable, Sendable {
    /// The store was created. Always the first event, at revision 0.
    case storeCreated(Preset)
    case classDefined(ClassDefined)
    case classChanged(ClassChanged)
    /// A user or thing was registered in the store.
    case principalRegistered(Introduction<PrincipalID>)
    /// A role was created, or created again under the name of a deleted role.
    case roleCreated(Introduction<PrincipalID>)
    /// A role was deleted, with its memberships in both directions, its entries, and the permissions with this role as their
    /// subject.
    case roleDeleted(PrincipalID)
    case memberAdded(RoleMember)
    case memberRemoved(RoleMember)
    case objectCreated(ObjectCreated)
    case objectWritten(ObjectWritten)
    case objectMoved(ObjectMoved)
    /// An object was deleted, with every object below it and every entry on them.
    case objectDeleted(ObjectID)
    case ownerChanged(OwnerChanged)
    case accessGranted(AccessGranted)
    case accessRevoked(AccessLoss)
    case accessExpired(AccessLoss)
    case permissionDefined(PermissionDefined)
    case permissionChanged(PermissionChanged)
    case permissionAttached(PermissionAttachment)
    case permissionDetached(PermissionAttachment)
    case administratorAppointed(PrincipalID)
    case administratorDismissed(PrincipalID)
    /// The machine's clock was ahead when earlier commits were made, and was then corrected. The time of this commit may be before
    /// theirs. Each earlier commit with a later time counts as made at the time of this one.
    case clockCorrected

    /// The number of a kind of event in the log. A number is never reused for another kind.
    public enum Kind: UInt8, CaseIterable, Sendable {
        case storeCreated = 1
        case classDefined = 2
        case classChanged = 3
        case principalRegistered = 4
        case roleCreated = 5
        case roleDeleted = 6
        case memberAdded = 7
        case memberRemoved = 8
        case objectCreated = 9
        case objectWritten = 10
        case objectMoved = 11
        case objectDeleted = 12
        case ownerChanged = 13
        case accessGranted = 14
        case accessRevoked = 15
        case accessExpired = 16
        case permissionDefined = 17
        case permissionChanged = 18
        case permissionAttached = 19
        case permissionDetached = 20
        case administratorAppointed = 21
        case administratorDismissed = 22
        case clockCorrected = 23

        /// The newest version that this code can write. Decoders for earlier versions are never removed.
        public var currentVersion: UInt8 {
            switch self {
            case .classDefined, .classChanged: 2
            default: 1
            }
        }
    }

    /// The version used to write this event: the lowest one that can represent it. A store that does not use a later version's
    /// features therefore stays byte for byte the same.
    public var version: UInt8 {
        switch self {
        case .classDefined(let event): event.options.aliases.isEmpty ? 1 : 2
        case .classChanged(let event): event.options.aliases.isEmpty ? 1 : 2
        default: 1
        }
    }
}

/// An id, with its name if this event is the first to mention it.
public struct Introduction<ID: EntityID>: Hashable, Sendable {
    public var id: ID
    /// The name. Non-nil in exactly one event of the log, the one that introduces the name.
    public var name: String?

    public init(_ id: ID, name: String? = nil) {
        self.id = id
        self.name = name
    }
}

/// One immutable fact. Events of a commit are appended together and never change.
///
/// Adding a kind: a case here, a struct in this folder, a ``Kind`` with its number and version, its codec, golden bytes in the
/// tests, and what it does in the fold (`CONTRIBUTING.md` walks through it).
public enum Event: Hashable, Sendable {
    case storeCreated(StoreCreated)
    case classDefined(ClassDefined)
    case classChanged(ClassChanged)
    case principalRegistered(PrincipalRegistered)
    case roleCreated(RoleCreated)
    case roleDeleted(RoleDeleted)
    case memberAdded(MemberAdded)
    case memberRemoved(MemberRemoved)
    case objectCreated(ObjectCreated)
    case objectWritten(ObjectWritten)
    case objectMoved(ObjectMoved)
    case objectDeleted(ObjectDeleted)
    case ownerChanged(OwnerChanged)
    case accessGranted(AccessGranted)
    case accessRevoked(AccessRevoked)
    case accessExpired(AccessExpired)
    case permissionDefined(PermissionDefined)
    case permissionChanged(PermissionChanged)
    case permissionAttached(PermissionAttached)
    case permissionDetached(PermissionDetached)
    case administratorAppointed(AdministratorAppointed)
    case administratorDismissed(AdministratorDismissed)
    case clockCorrected(ClockCorrected)

    /// The number that stands for a kind of event in the log. A number is never used again for another kind.
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

        /// The last version that is known. Decoders for earlier ones stay for good.
        public var currentVersion: UInt8 {
            switch self {
            case .classDefined, .classChanged: 2
            default: 1
            }
        }
    }

    /// The version that this event is written as: the first that has room for what it says, so that a store which does not use
    /// what a later one brought stays as it was, byte for byte.
    public var version: UInt8 {
        switch self {
        case .classDefined(let event): event.options.aliases.isEmpty ? 1 : 2
        case .classChanged(let event): event.options.aliases.isEmpty ? 1 : 2
        default: 1
        }
    }
}

/// A number, and the name it stands for where this event is the first to mention it.
public struct Introduction<ID: EntityID>: Hashable, Sendable {
    public var id: ID
    /// Non-nil in the one event of the whole log that introduces the name.
    public var name: String?

    public init(_ id: ID, name: String? = nil) {
        self.id = id
        self.name = name
    }
}

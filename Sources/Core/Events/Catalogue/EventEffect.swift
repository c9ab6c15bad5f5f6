/// The objects, subjects and classes that an event affects.
///
/// ``Event/effect`` is the only place that states this for each kind of event. The audit, the rules of disclosure, notices,
/// observations and previews derive from it what they file, show, examine or compare. Events that affect the same things have the
/// same effect: a grant, a revocation and an expiry all change an entry.
public enum EventEffect: Hashable, Sendable {
    /// An object of a class was created; classes, roles, permissions and the store are objects too. The subject is the owner of an
    /// object of a defined class, or the subject of a permission; nil for other objects.
    case created(ObjectID, in: ClassID, below: ObjectID?, subject: PrincipalID?)
    /// A user or thing was registered.
    case registered(PrincipalID)
    /// The value of an object, and with it the links in the value, were replaced.
    case written(ObjectID)
    case moved(ObjectID, below: ObjectID?)
    /// An object was deleted with every object below it.
    case deleted(ObjectID)
    case owner(PrincipalID, of: ObjectID)
    /// The options of a class were replaced.
    case options(ClassID)
    /// The entry of a subject on an object changed.
    case entry(PrincipalID, on: ObjectID)
    /// A membership began or ended.
    case membership(PrincipalID, of: PrincipalID)
    /// A role was deleted with its memberships, its entries and its permissions.
    case roleDeleted(PrincipalID)
    /// The subject or the privileges of a permission changed, on every object that it is attached to.
    case permission(PermissionID, subject: PrincipalID)
    /// A permission was attached to an object or detached from it.
    case attachment(PermissionID, to: ObjectID)
    case administrator(PrincipalID)
    /// The clock was corrected. It affects no access.
    case clock
}

extension Event {
    /// What the event affects.
    public var effect: EventEffect {
        switch self {
        case .storeCreated: .created(.store, in: .store, below: nil, subject: nil)
        case .classDefined(let event): .created(ObjectID(event.classID.id), in: .class, below: nil, subject: nil)
        case .classChanged(let event): .options(event.classID)
        case .principalRegistered(let principal): .registered(principal.id)
        case .roleCreated(let role): .created(ObjectID(role.id), in: .role, below: nil, subject: nil)
        case .roleDeleted(let role): .roleDeleted(role)
        case .memberAdded(let event), .memberRemoved(let event): .membership(event.member, of: event.role)
        case .objectCreated(let event): .created(event.object.id, in: event.classID, below: event.parent, subject: event.owner)
        case .objectWritten(let event): .written(event.object)
        case .objectMoved(let event): .moved(event.object, below: event.parent)
        case .objectDeleted(let object): .deleted(object)
        case .ownerChanged(let event): .owner(event.owner, of: event.object)
        case .accessGranted(let event): .entry(event.subject, on: event.object)
        case .accessRevoked(let event), .accessExpired(let event): .entry(event.subject, on: event.object)
        case .permissionDefined(let event):
            .created(ObjectID(event.permission.id), in: .permission, below: nil, subject: event.subject)
        case .permissionChanged(let event): .permission(event.permission, subject: event.subject)
        case .permissionAttached(let event), .permissionDetached(let event): .attachment(event.permission, to: event.object)
        case .administratorAppointed(let principal), .administratorDismissed(let principal): .administrator(principal)
        case .clockCorrected: .clock
        }
    }
}

/// The object and the subject of an event, for the audit.
extension EventEffect {
    /// The object, class, role, permission or principal that changed; the store for its administrators and its clock.
    public var object: ObjectID {
        switch self {
        case .created(let object, _, _, _), .written(let object), .moved(let object, _), .deleted(let object),
            .owner(_, let object), .entry(_, let object), .attachment(_, let object):
            object
        case .registered(let principal): ObjectID(principal)
        case .options(let classID): ObjectID(classID)
        case .membership(_, let role), .roleDeleted(let role): ObjectID(role)
        case .permission(let permission, _): ObjectID(permission)
        case .administrator, .clock: .store
        }
    }

    /// The permission that was attached to ``object`` or detached from it; otherwise nil.
    public var attachedPermission: PermissionID? { if case .attachment(let permission, _) = self { permission } else { nil } }

    /// ``object``, after ``attachedPermission`` if there is one.
    public var objects: [ObjectID] { (attachedPermission.map { [ObjectID($0)] } ?? []) + [object] }

    /// The subject that gained or lost access, the member, the owner, the administrator, or the subject of the permission. Nil for
    /// events without one.
    public var subject: PrincipalID? {
        switch self {
        case .created(_, _, _, let subject): subject
        case .owner(let subject, _), .entry(let subject, _), .membership(let subject, _), .permission(_, let subject),
            .administrator(let subject):
            subject
        case .registered, .written, .moved, .deleted, .options, .roleDeleted, .attachment, .clock: nil
        }
    }
}

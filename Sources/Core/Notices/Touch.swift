public import Events

/// The objects that an event can change access to, for a subscriber with some subjects.
public enum Touch: Hashable, Sendable {
    /// An object, and the objects below it that inherit. If it was deleted, all objects below it. If it is `class:NAME`, all
    /// objects of that class. If it is the store, all objects.
    case object(ObjectID)
    /// The link targets of an object's value.
    case links(from: ObjectID)
    /// All objects of a class with changed options.
    case classOptions(ClassID)
    /// The objects below a role, and below the permissions for it.
    case deletedRole(PrincipalID)
    /// The objects that a permission is attached to, if its subject is relevant.
    case permission(PermissionID)
    /// An object that a permission was attached to or detached from, if its subject is relevant.
    case attachment(PermissionID, ObjectID)
}

extension Event {
    /// Returns the objects that this event can change a subscriber's access to; nil if it cannot change any.
    ///
    /// Changes of the subscriber's own subjects are detected separately, so events that change only those return nil.
    ///
    /// - Parameter meets: whether a grant to a subject can be relevant.
    public func touch(meeting meets: (PrincipalID) -> Bool) -> Touch? {
        switch self {
        case .accessGranted(let event): meets(event.subject) ? .object(event.object) : nil
        case .accessRevoked(let event): meets(event.subject) ? .object(event.object) : nil
        case .accessExpired(let event): meets(event.subject) ? .object(event.object) : nil
        case .objectCreated(let event): .object(event.object.id)
        case .objectMoved(let event): .object(event.object)
        case .objectDeleted(let event): .object(event.object)
        case .objectWritten(let event): .links(from: event.object)
        case .classChanged(let event): .classOptions(event.classID)
        case .permissionChanged(let event): .permission(event.permission)
        case .permissionAttached(let event): .attachment(event.permission, event.object)
        case .permissionDetached(let event): .attachment(event.permission, event.object)
        case .roleDeleted(let event): .deletedRole(event.role)
        case .classDefined, .memberAdded, .memberRemoved, .roleCreated, .principalRegistered, .ownerChanged, .permissionDefined,
            .administratorAppointed, .administratorDismissed, .storeCreated, .clockCorrected:
            nil
        }
    }
}

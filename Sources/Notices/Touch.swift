public import Events

/// What an event can change the access to, for somebody who meets some subjects: where to look for the objects.
public enum Touch: Hashable, Sendable {
    /// An object, and what below it inherits; where it is there no more, all that was below it; all objects of a class where it
    /// stands for one, and all there are where it is the store.
    case object(ObjectID)
    /// What an object's value links to.
    case links(from: ObjectID)
    /// All objects of a class, of which the options are others.
    case classOptions(ClassID)
    /// What is below a role, and below the permissions made for it.
    case deletedRole(PrincipalID)
    /// The objects that a permission is attached to, where it is for a subject that is met.
    case permission(PermissionID)
    /// An object that a permission was attached to or detached from, where it is for a subject that is met.
    case attachment(PermissionID, ObjectID)
}

extension Event {
    /// Where to look for objects to which this event can have changed somebody's access; nil where there are none.
    ///
    /// Whom somebody counts as is compared apart from this, so events that change nothing else give nothing here.
    ///
    /// - Parameter meets: whether what is granted to a subject can matter.
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

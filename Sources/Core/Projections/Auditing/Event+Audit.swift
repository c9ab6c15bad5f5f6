public import Events

/// The objects and the subject of each kind of event, for the audit.
extension Event {
    /// The objects of the event:
    ///
    /// - the object, class, role, permission or principal that it changed
    /// - both the permission and the object if a permission was attached or detached
    /// - the store if it was created, or an administrator was appointed or dismissed
    public var auditObjects: [ObjectID] {
        var objects: [ObjectID] = []
        forEachAuditObject { objects.append($0) }
        return objects
    }

    /// Calls `body` with each object of the event.
    func forEachAuditObject(_ body: (ObjectID) -> Void) {
        switch self {
        case .storeCreated, .administratorAppointed, .administratorDismissed, .clockCorrected: body(.store)
        case .classDefined(let event): body(ObjectID(event.classID.id))
        case .classChanged(let event): body(ObjectID(event.classID))
        case .principalRegistered(let event): body(ObjectID(event.principal.id))
        case .roleCreated(let event): body(ObjectID(event.role.id))
        case .roleDeleted(let event): body(ObjectID(event.role))
        case .memberAdded(let event): body(ObjectID(event.role))
        case .memberRemoved(let event): body(ObjectID(event.role))
        case .objectCreated(let event): body(event.object.id)
        case .objectWritten(let event): body(event.object)
        case .objectMoved(let event): body(event.object)
        case .objectDeleted(let event): body(event.object)
        case .ownerChanged(let event): body(event.object)
        case .accessGranted(let event): body(event.object)
        case .accessRevoked(let event): body(event.object)
        case .accessExpired(let event): body(event.object)
        case .permissionDefined(let event): body(ObjectID(event.permission.id))
        case .permissionChanged(let event): body(ObjectID(event.permission))
        case .permissionAttached(let event):
            body(ObjectID(event.permission))
            body(event.object)
        case .permissionDetached(let event):
            body(ObjectID(event.permission))
            body(event.object)
        }
    }

    /// The subject of the event: the subject that gained or lost access, the member, the new owner, the administrator, or the
    /// subject of the permission. Nil for events without one.
    public var auditSubject: PrincipalID? {
        switch self {
        case .accessGranted(let event): event.subject
        case .accessRevoked(let event): event.subject
        case .accessExpired(let event): event.subject
        case .memberAdded(let event): event.member
        case .memberRemoved(let event): event.member
        case .objectCreated(let event): event.owner
        case .ownerChanged(let event): event.owner
        case .permissionDefined(let event): event.subject
        case .permissionChanged(let event): event.subject
        case .administratorAppointed(let event): event.principal
        case .administratorDismissed(let event): event.principal
        case .storeCreated, .classDefined, .classChanged, .principalRegistered, .roleCreated, .roleDeleted, .objectWritten,
            .objectMoved, .objectDeleted, .permissionAttached, .permissionDetached, .clockCorrected:
            nil
        }
    }
}

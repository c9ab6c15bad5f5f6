internal import Events

/// The observers that an event may affect.
enum Reach {
    /// No observer.
    case nothing
    /// Observers with access, or a value, that depends on this entity.
    case thing(UInt64)
    case anything
}

extension Event {
    /// The observers that this event may affect. An event on an object also affects observers of the objects below it: their
    /// access depends on it.
    var reach: Reach {
        switch self {
        case .objectCreated(let event): .thing(event.object.id.rawValue)
        case .objectWritten(let event): .thing(event.object.rawValue)
        case .objectMoved(let event): .thing(event.object.rawValue)
        case .objectDeleted(let event): .thing(event.object.rawValue)
        case .ownerChanged(let event): .thing(event.object.rawValue)
        case .accessGranted(let event): .thing(event.object.rawValue)
        case .accessRevoked(let event): .thing(event.object.rawValue)
        case .accessExpired(let event): .thing(event.object.rawValue)
        case .permissionAttached(let event): .thing(event.object.rawValue)
        case .permissionDetached(let event): .thing(event.object.rawValue)
        case .classDefined(let event): .thing(event.classID.id.rawValue)
        case .classChanged(let event): .thing(event.classID.rawValue)
        // Every caller with the subject `member` also has the subjects of its roles.
        case .memberAdded(let event): .thing(event.member.rawValue)
        case .memberRemoved(let event): .thing(event.member.rawValue)
        case .roleCreated(let event): .thing(event.role.id.rawValue)
        case .roleDeleted(let event): .thing(event.role.rawValue)
        case .administratorAppointed(let event): .thing(event.principal.rawValue)
        case .administratorDismissed(let event): .thing(event.principal.rawValue)
        // It can be attached to a class or to the store.
        case .permissionChanged: .anything
        // None of these changes any access alone.
        case .principalRegistered, .permissionDefined, .storeCreated, .clockCorrected: .nothing
        }
    }
}

internal import Events

/// Whose reading an event can change.
enum Reach {
    /// Nobody's.
    case nothing
    /// Theirs whose right to read, or whose value, rests on the thing with this number.
    case thing(UInt64)
    case anything
}

extension Event {
    /// Whose reading this event can change. Each thing counts for what happens below it, too: those who read something below rest
    /// on it.
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
        // Whoever counts as the member counts as what it was a member of.
        case .memberAdded(let event): .thing(event.member.rawValue)
        case .memberRemoved(let event): .thing(event.member.rawValue)
        case .roleCreated(let event): .thing(event.role.id.rawValue)
        case .roleDeleted(let event): .thing(event.role.rawValue)
        case .administratorAppointed(let event): .thing(event.principal.rawValue)
        case .administratorDismissed(let event): .thing(event.principal.rawValue)
        // It can stand on a class, or on the store.
        case .permissionChanged: .anything
        // None of these gives or takes anything by itself.
        case .principalRegistered, .permissionDefined, .storeCreated, .clockCorrected: .nothing
        }
    }
}

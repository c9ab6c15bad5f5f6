public import Events

/// One fact that an explanation is based on.
public enum Fact: Hashable, Sendable {
    /// An object exists, and has a class.
    case object(ObjectID, ClassID)
    /// An object has a parent.
    case child(ObjectID, of: ObjectID)
    /// The options of a class.
    case options(ClassID, ClassOptions)
    /// A principal is a direct member of a role.
    case member(PrincipalID, of: PrincipalID)
    /// A subject has privileges on an object by an entry, until a time or permanently.
    case entry(PrincipalID, on: ObjectID, Privileges, until: Instant)
    /// A permission gives a subject privileges.
    case permission(PermissionID, PrincipalID, Privileges)
    /// A permission is attached to an object.
    case attachment(PermissionID, to: ObjectID)
    /// The value of an object links to another one.
    case link(ObjectID, to: ObjectID)
    case administrator(PrincipalID)

    /// The numbers of the entities in this fact.
    public var numbers: [UInt64] {
        switch self {
        case .object(let object, let classID): [object.rawValue, classID.rawValue]
        case .child(let child, let parent): [child.rawValue, parent.rawValue]
        case .options(let classID, _): [classID.rawValue]
        case .member(let member, let role): [member.rawValue, role.rawValue]
        case .entry(let subject, let object, _, _): [subject.rawValue, object.rawValue]
        case .permission(let permission, let subject, _): [permission.rawValue, subject.rawValue]
        case .attachment(let permission, let object): [permission.rawValue, object.rawValue]
        case .link(let source, let target): [source.rawValue, target.rawValue]
        case .administrator(let principal): [principal.rawValue]
        }
    }

    /// Whether an event establishes this fact, provided that no later event revokes it.
    public func isMade(by event: Event) -> Bool {
        switch (self, event) {
        case (.object(let object, let classID), _): event.makes(object, classID)
        case (.child(let child, let parent), .objectCreated(let event)): event.object.id == child && event.parent == parent
        case (.child(let child, let parent), .objectMoved(let event)): event.object == child && event.parent == parent
        case (.options(let classID, let options), .storeCreated): classID.isBuiltIn && options == .builtIn(classID)
        case (.options(let classID, let options), .classDefined(let event)): event.classID.id == classID && event.options == options
        case (.options(let classID, let options), .classChanged(let event)): event.classID == classID && event.options == options
        case (.member(let member, let role), .memberAdded(let event)): event.member == member && event.role == role
        case (.entry(let subject, let object, let privileges, let until), .accessGranted(let event)):
            event.subject == subject && event.object == object && event.until == until
                && event.privileges.isSuperset(of: privileges)
        case (.permission(let permission, let subject, let privileges), .permissionDefined(let event)):
            event.permission.id == permission && event.subject == subject && event.privileges.isSuperset(of: privileges)
        case (.permission(let permission, let subject, let privileges), .permissionChanged(let event)):
            event.permission == permission && event.subject == subject && event.privileges.isSuperset(of: privileges)
        case (.attachment(let permission, let object), .permissionAttached(let event)):
            event.permission == permission && event.object == object
        case (.link(let source, let target), .objectCreated(let event)):
            event.object.id == source && event.links.contains { $0.id == target }
        case (.link(let source, let target), .objectWritten(let event)):
            event.object == source && event.links.contains { $0.id == target }
        case (.administrator(let principal), .administratorAppointed(let appointed)): appointed == principal
        default: false
        }
    }
}

extension Event {
    /// Whether this event creates an object of a class.
    fileprivate func makes(_ object: ObjectID, _ classID: ClassID) -> Bool {
        switch self {
        case .storeCreated: object == .store && classID == .store || ClassID(object).isBuiltIn && classID == .class
        case .classDefined(let event): ObjectID(event.classID.id) == object && classID == .class
        case .principalRegistered(let principal):
            ObjectID(principal.id) == object && (classID == .user || classID == .thing)
        case .roleCreated(let role): ObjectID(role.id) == object && classID == .role
        case .permissionDefined(let event): ObjectID(event.permission.id) == object && classID == .permission
        case .objectCreated(let event): event.object.id == object && event.classID == classID
        default: false
        }
    }
}

extension ClassOptions {
    /// Returns the options of a built-in class in a new store: the classes with levels require entries, and the others have no
    /// object ACLs.
    package static func builtIn(_ classID: ClassID) -> ClassOptions {
        ClassOptions(objectACL: classID == .class || classID == .store ? .required : .none)
    }
}

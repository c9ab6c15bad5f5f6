/// The reason an entry was written.
public enum GrantCause: UInt8, Hashable, Sendable {
    /// A caller granted it.
    case granted = 0
    /// The store's preset granted it, or a class definition in an open store.
    case preset = 1
    /// The class grants it to the creator of an object and to each later owner.
    case creator = 2
    /// As `creator`, and none of its privileges can be revoked.
    case permanentCreator = 3
}

/// A subject was given privileges on an object, permanently or until a time. Privileges that the entry already had for longer
/// keep their end.
public struct AccessGranted: Hashable, Sendable {
    public var object: ObjectID
    public var subject: PrincipalID
    public var privileges: Privileges
    /// When the access ends; ``Primitives/Instant/forever`` if it never does.
    public var until: Instant
    public var cause: GrantCause

    public init(
        object: ObjectID, subject: PrincipalID, privileges: Privileges, until: Instant = .forever, cause: GrantCause = .granted
    ) {
        self.object = object
        self.subject = subject
        self.privileges = privileges
        self.until = until
        self.cause = cause
    }
}

/// Privileges that a subject's entry on an object lost.
public struct AccessLoss: Hashable, Sendable {
    public var object: ObjectID
    public var subject: PrincipalID
    public var privileges: Privileges

    public init(object: ObjectID, subject: PrincipalID, privileges: Privileges) {
        self.object = object
        self.subject = subject
        self.privileges = privileges
    }
}

/// A permission was defined: privileges for one subject that can be attached to several objects.
public struct PermissionDefined: Hashable, Sendable {
    public var permission: Introduction<PermissionID>
    public var subject: PrincipalID
    public var privileges: Privileges

    public init(permission: Introduction<PermissionID>, subject: PrincipalID, privileges: Privileges) {
        self.permission = permission
        self.subject = subject
        self.privileges = privileges
    }
}

/// A permission changed, on every object that it is attached to.
public struct PermissionChanged: Hashable, Sendable {
    public var permission: PermissionID
    public var subject: PrincipalID
    public var privileges: Privileges

    public init(permission: PermissionID, subject: PrincipalID, privileges: Privileges) {
        self.permission = permission
        self.subject = subject
        self.privileges = privileges
    }
}

/// A permission on an object that it is attached to.
public struct PermissionAttachment: Hashable, Sendable {
    public var permission: PermissionID
    public var object: ObjectID

    public init(permission: PermissionID, object: ObjectID) {
        self.permission = permission
        self.object = object
    }
}

/// Why an entry came to be.
public enum GrantCause: UInt8, Hashable, Sendable {
    /// Somebody granted it.
    case granted = 0
    /// The store's preset or a class definition in an open store brought it.
    case preset = 1
    /// The class gives it to whoever creates or takes over an object.
    case creator = 2
    /// As `creator`, and nothing of it can be taken away.
    case permanentCreator = 3
}

/// A subject was given privileges on an object, for good or until a time. What it had for longer keeps its end.
public struct AccessGranted: Hashable, Sendable {
    public var object: ObjectID
    public var subject: PrincipalID
    public var privileges: Privileges
    /// When the access ends; ``Instant/forever`` for good.
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

/// Privileges of a subject's entry on an object were taken away.
public struct AccessRevoked: Hashable, Sendable {
    public var object: ObjectID
    public var subject: PrincipalID
    public var privileges: Privileges

    public init(object: ObjectID, subject: PrincipalID, privileges: Privileges) {
        self.object = object
        self.subject = subject
        self.privileges = privileges
    }
}

/// Privileges of a subject's entry on an object came to their end.
public struct AccessExpired: Hashable, Sendable {
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

/// A permission changed, on every object that it is attached to at once.
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

/// A permission was attached to an object.
public struct PermissionAttached: Hashable, Sendable {
    public var permission: PermissionID
    public var object: ObjectID

    public init(permission: PermissionID, object: ObjectID) {
        self.permission = permission
        self.object = object
    }
}

/// A permission was detached from an object.
public struct PermissionDetached: Hashable, Sendable {
    public var permission: PermissionID
    public var object: ObjectID

    public init(permission: PermissionID, object: ObjectID) {
        self.permission = permission
        self.object = object
    }
}

public import Events

/// What one subject is given on one object, until one time, by its entry or by one permission attached to the object.
public struct Grant: Hashable, Sendable {
    /// Where it stands: the store, a class, or any other object.
    public let object: ObjectID
    /// Whom it is given to.
    public let subject: PrincipalID
    /// What it gives of the privileges that were asked about.
    public let privileges: Privileges
    /// When it ends; ``Events/Instant/forever`` for good.
    public let until: Instant
    /// What of it cannot be taken away.
    public let permanent: Privileges
    /// The permission that gives it; nil for an entry.
    public let permission: PermissionID?

    public init(
        object: ObjectID, subject: PrincipalID, privileges: Privileges, until: Instant = .forever, permanent: Privileges = [],
        permission: PermissionID? = nil
    ) {
        self.object = object
        self.subject = subject
        self.privileges = privileges
        self.until = until
        self.permanent = permanent
        self.permission = permission
    }
}

extension [Grant] {
    /// All that these give together.
    public var privileges: Privileges { reduce(into: []) { $0.formUnion($1.privileges) } }

    /// Adds what an entry gives at an instant of some privileges, a grant for each end.
    public mutating func add(_ entry: AccessEntry, on object: ObjectID, at instant: Instant, wanted: Privileges) {
        add(entry.forGood, until: .forever, of: entry, on: object, wanted)
        for slice in entry.ending where slice.until > instant {
            add(slice.privileges, until: slice.until, of: entry, on: object, wanted)
        }
    }

    private mutating func add(
        _ privileges: Privileges, until: Instant, of entry: AccessEntry, on object: ObjectID, _ wanted: Privileges
    ) {
        let given = privileges.intersection(wanted)
        guard !given.isEmpty else { return }
        append(
            Grant(
                object: object, subject: entry.subject, privileges: given, until: until,
                permanent: entry.permanent.intersection(given)))
    }
}

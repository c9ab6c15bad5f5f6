public import Events

/// The privileges that one entry, or one permission attached to an object, gives one subject on the object, with one end.
public struct Grant: Hashable, Sendable {
    /// The object with the grant: the store, a class, or any other object.
    public let object: ObjectID
    /// The subject that receives it.
    public let subject: PrincipalID
    /// The privileges that it gives, of those in the question.
    public let privileges: Privileges
    /// When it ends; ``Primitives/Instant/forever`` if it never does.
    public let until: Instant
    /// The privileges that cannot be revoked.
    public let permanent: Privileges
    /// The permission that gives it; nil for an entry.
    public let permission: PermissionID?
}

extension [Grant] {
    /// The union of their privileges.
    public var privileges: Privileges { reduce(into: []) { $0.formUnion($1.privileges) } }

    /// Adds the wanted privileges that an entry, or a permission in the form of an entry, gives at an instant: one grant for each
    /// end.
    public mutating func add(
        _ entry: AccessEntry, on object: ObjectID, at instant: Instant, wanted: Privileges, permission: PermissionID? = nil
    ) {
        func add(_ privileges: Privileges, until: Instant) {
            let given = privileges.intersection(wanted)
            guard !given.isEmpty else { return }
            append(
                Grant(
                    object: object, subject: entry.subject, privileges: given, until: until,
                    permanent: entry.permanent.intersection(given), permission: permission))
        }
        add(entry.withoutExpiry, until: .forever)
        for slice in entry.ending where slice.until > instant { add(slice.privileges, until: slice.until) }
    }
}

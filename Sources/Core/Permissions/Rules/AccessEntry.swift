public import Events

/// The privileges of one subject on one object: some permanent, others until a time.
public struct AccessEntry: Hashable, Sendable {
    public var subject: PrincipalID
    /// Privileges without an end. ``Events/Privileges/all`` includes privileges defined later.
    public var withoutExpiry: Privileges
    /// Privileges with an end, disjoint from each other and from `withoutExpiry`, the earliest end first.
    public var ending: [ExpiringPrivileges]
    /// Privileges that cannot be revoked.
    public var permanent: Privileges

    public init(
        subject: PrincipalID, withoutExpiry: Privileges = [], ending: [ExpiringPrivileges] = [], permanent: Privileges = []
    ) {
        self.subject = subject
        self.withoutExpiry = withoutExpiry
        self.ending = ending
        self.permanent = permanent
    }

    public var isEmpty: Bool { withoutExpiry.isEmpty && ending.isEmpty }

    /// Whether this gives every privilege, including those defined later.
    public var isWildcard: Bool { withoutExpiry == .all }

    /// All privileges of the entry, expired ones included.
    public var privileges: Privileges { ending.reduce(withoutExpiry) { $0.union($1.privileges) } }

    /// Returns the privileges at an instant. A privilege no longer holds at its end.
    @inlinable public func live(at instant: Instant) -> Privileges {
        if ending.isEmpty { return withoutExpiry }
        return ending.reduce(withoutExpiry) { $1.until > instant ? $0.union($1.privileges) : $0 }
    }
}

extension [AccessEntry] {
    /// Returns the privileges that these entries give some subjects at an instant.
    @inlinable @inline(__always) public func live(for subjects: SubjectSet, at instant: Instant) -> Privileges {
        var privileges: Privileges = []
        for entry in self where subjects.contains(entry.subject) { privileges.formUnion(entry.live(at: instant)) }
        return privileges
    }
}

/// Privileges that end at a time.
public struct ExpiringPrivileges: Hashable, Sendable {
    public var privileges: Privileges
    public var until: Instant

    public init(privileges: Privileges, until: Instant) {
        self.privileges = privileges
        self.until = until
    }
}

extension AccessEntry {
    /// Adds privileges until a time. Privileges that the entry already has for longer keep their end.
    public mutating func grant(_ granted: Privileges, until: Instant) {
        if until == .forever {
            withoutExpiry.formUnion(granted)
            removeEnding(granted)
        } else {
            var added = granted.subtracting(withoutExpiry)
            for slice in ending where slice.until >= until { added.subtract(slice.privileges) }
            guard !added.isEmpty else { return }
            removeEnding(added)
            let place = ending.firstIndex { $0.until >= until } ?? ending.count
            if place < ending.count, ending[place].until == until {
                ending[place].privileges.formUnion(added)
            } else {
                ending.insert(ExpiringPrivileges(privileges: added, until: until), at: place)
            }
        }
    }

    /// Revokes privileges; ``Events/Privileges/all`` revokes the whole entry. A wildcard is replaced by the other privileges that
    /// the class supports at this time.
    public mutating func revoke(_ revoked: Privileges, known: Privileges) {
        if revoked == .all {
            withoutExpiry = []
            ending = []
        } else {
            if isWildcard { withoutExpiry = known }
            withoutExpiry.subtract(revoked)
            removeEnding(revoked)
        }
    }

    /// Removes the privileges that have expired at an instant.
    public mutating func expire(at instant: Instant) {
        ending.removeAll { $0.until <= instant }
    }

    private mutating func removeEnding(_ privileges: Privileges) {
        guard !ending.isEmpty else { return }
        for index in ending.indices { ending[index].privileges.subtract(privileges) }
        ending.removeAll { $0.privileges.isEmpty }
    }
}

public import Events

/// What one subject has on one object: some privileges for good, others until a time.
public struct AccessEntry: Hashable, Sendable {
    public var subject: PrincipalID
    /// Held without an end. ``Events/Privileges/all`` holds for privileges defined later as well.
    public var forGood: Privileges
    /// Held until a time, disjoint from each other and from `forGood`, the earliest end first.
    public var ending: [EndingPrivileges]
    /// What cannot be taken away.
    public var permanent: Privileges

    public init(
        subject: PrincipalID, forGood: Privileges = [], ending: [EndingPrivileges] = [], permanent: Privileges = []
    ) {
        self.subject = subject
        self.forGood = forGood
        self.ending = ending
        self.permanent = permanent
    }

    public var isEmpty: Bool { forGood.isEmpty && ending.isEmpty }

    /// Whether this gives everything, privileges defined later included.
    public var isWildcard: Bool { forGood == .all }

    /// All that it gives at some time.
    public var privileges: Privileges { ending.reduce(forGood) { $0.union($1.privileges) } }

    /// What it gives at an instant: an end is the first moment without.
    @inlinable public func live(at instant: Instant) -> Privileges {
        if ending.isEmpty { return forGood }
        return ending.reduce(forGood) { $1.until > instant ? $0.union($1.privileges) : $0 }
    }
}

/// Privileges that end at a time.
public struct EndingPrivileges: Hashable, Sendable {
    public var privileges: Privileges
    public var until: Instant

    public init(privileges: Privileges, until: Instant) {
        self.privileges = privileges
        self.until = until
    }
}

extension AccessEntry {
    /// Adds privileges until a time. What is held for longer keeps its end.
    public mutating func grant(_ granted: Privileges, until: Instant) {
        if until == .forever {
            forGood.formUnion(granted)
            removeEnding(granted)
        } else {
            var added = granted.subtracting(forGood)
            for slice in ending where slice.until >= until { added.subtract(slice.privileges) }
            guard !added.isEmpty else { return }
            removeEnding(added)
            let place = ending.firstIndex { $0.until >= until } ?? ending.count
            if place < ending.count, ending[place].until == until {
                ending[place].privileges.formUnion(added)
            } else {
                ending.insert(EndingPrivileges(privileges: added, until: until), at: place)
            }
        }
    }

    /// Takes privileges away; ``Events/Privileges/all`` takes the whole entry. Out of a wildcard, the other privileges that the class
    /// knows at this time stay.
    public mutating func revoke(_ revoked: Privileges, known: Privileges) {
        if revoked == .all {
            forGood = []
            ending = []
        } else {
            if isWildcard { forGood = known }
            forGood.subtract(revoked)
            removeEnding(revoked)
        }
    }

    /// Ends what is due at an instant.
    public mutating func expire(at instant: Instant) {
        ending.removeAll { $0.until <= instant }
    }

    private mutating func removeEnding(_ privileges: Privileges) {
        guard !ending.isEmpty else { return }
        for index in ending.indices { ending[index].privileges.subtract(privileges) }
        ending.removeAll { $0.privileges.isEmpty }
    }
}

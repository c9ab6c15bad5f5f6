public import Events

/// The subjects of a caller: itself, `everyone`, `anonymous`, and every role that it reaches by following memberships upwards.
///
/// An anonymous caller has only the subject `anonymous`.
public final class SubjectSet: Sendable {
    public let caller: PrincipalID
    /// Whether this caller is an administrator, and thus not restricted by any level.
    public let isAdministrator: Bool
    /// The numbers, sorted.
    public let members: [PrincipalID]
    /// One bit for each member, by a hash of its number. It rejects most non-members with one test.
    @usableFromInline let filter: UInt64

    public init(caller: PrincipalID, isAdministrator: Bool, members: [PrincipalID]) {
        self.caller = caller
        self.isAdministrator = isAdministrator
        self.members = members.sorted()
        filter = members.reduce(0) { $0 | SubjectSet.bit($1) }
    }

    @inlinable static func bit(_ id: PrincipalID) -> UInt64 { 1 << ((id.rawValue &* 0x9E37_79B9_7F4A_7C15) >> 58) }

    /// Logarithmic in the number of members; constant for most non-members.
    @inlinable public func contains(_ id: PrincipalID) -> Bool {
        guard filter & SubjectSet.bit(id) != 0 else { return false }
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if members[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < members.count && members[low] == id
    }

    /// The same subjects as those of a caller that administers nothing.
    public var withoutAdministration: SubjectSet {
        isAdministrator ? SubjectSet(caller: caller, isAdministrator: false, members: members) : self
    }

    /// These subjects without some others; an administrator's stay an administrator's.
    public func subtracting(_ others: SubjectSet) -> SubjectSet {
        SubjectSet(caller: caller, isAdministrator: isAdministrator, members: members.filter { !others.contains($0) })
    }
}

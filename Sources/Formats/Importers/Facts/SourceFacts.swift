public import Events
internal import Permissions

/// What another system says about access, in the words of a store: every reader of a format produces it.
///
/// Every name in it is well formed, and neither roles nor parents have cycles. What cannot be expressed is in ``unmapped``.
public struct SourceFacts: Sendable {
    /// The time during which a fact holds: from its begin until before its end.
    public struct Period: Hashable, Sendable {
        /// Nil if the source does not say it.
        public var from: Instant?
        /// Nil if it never ends.
        public var to: Instant?

        public static let always = Period()

        public init(from: Instant? = nil, to: Instant? = nil) { (self.from, self.to) = (from, to) }

        static func merged(_ periods: Set<Period>) -> Set<Period> {
            if periods.count < 2 { return periods }
            var merged: [Period] = []
            for period in periods.sorted(by: { ($0.from ?? .distantPast) < ($1.from ?? .distantPast) }) {
                if let last = merged.last, (period.from ?? .distantPast) <= (last.to ?? .forever) {
                    merged[merged.count - 1].to = last.to.flatMap { end in period.to.map { max(end, $0) } }
                } else {
                    merged.append(period)
                }
            }
            return Set(merged)
        }

        public func contains(_ instant: Instant) -> Bool {
            (from.map { $0 <= instant } ?? true) && (to.map { instant < $0 } ?? true)
        }
    }

    public struct Membership: Hashable, Sendable {
        public let role: Name
        public let member: Name
    }

    /// One privilege of a subject on an object.
    public struct Grant: Hashable, Sendable {
        public let subject: Name
        public let object: Name
        public let privilege: String
    }

    /// A part of the source that the facts do not contain.
    public struct Unmapped: Hashable, Sendable, CustomStringConvertible {
        /// The file, with a line or the path of a member.
        public let place: String
        public let reason: String

        public var description: String { "\(place): \(reason)" }
    }

    public private(set) var roles: Set<Name> = []
    /// The parents of the objects; nil for an object without one.
    public private(set) var objects: [Name: Name?] = [:]
    public private(set) var memberships: [Membership: Set<Period>] = [:]
    public private(set) var grants: [Grant: Set<Period>] = [:]
    /// The privileges that the objects of a class inherit from their parents. Those of other classes inherit everything.
    public internal(set) var inherited: [String: Set<String>] = [:]
    public private(set) var unmapped: [Unmapped] = []
    /// What the reader left out because it states no access.
    public private(set) var notes: [String] = []

    public init() {}

    /// Every privilege that occurs in a grant, sorted.
    public var privileges: [String] { Set(grants.keys.map(\.privilege)).sorted() }

    public var isEmpty: Bool { roles.isEmpty && objects.isEmpty && memberships.isEmpty && grants.isEmpty }
}

extension SourceFacts {
    mutating func skip(_ place: String, _ reason: String) { unmapped.append(Unmapped(place: place, reason: reason)) }

    mutating func note(_ text: String) { notes.append(text) }

    mutating func addRole(_ role: Name, at place: String) {
        guard check([role], at: place) else { return }
        guard role.kind == .role else { return skip(place, "`\(role.excerpt)` is not the name of a role") }
        roles.insert(role)
    }

    /// Adds an object. A parent is added too.
    mutating func addObject(_ object: Name, parent: Name? = nil, at place: String) {
        guard check([object, parent].compactMap { $0 }, at: place) else { return }
        for name in [object, parent].compactMap({ $0 }) where name.kind != .object {
            return skip(place, "`\(name.excerpt)` is not an object: write `class:id`, with a class that is not built in")
        }
        guard let parent else {
            if objects[object] == nil { objects[object] = .some(nil) }
            return
        }
        if let present = objects[object] ?? nil, present != parent {
            return skip(place, "`\(object)` is in `\(present)` already, and an object has one parent")
        }
        var above: Name? = parent
        while let name = above, name != object { above = objects[name] ?? nil }
        guard above == nil else { return skip(place, "`\(object)` would be inside itself") }
        objects[object] = parent
        if objects[parent] == nil { objects[parent] = .some(nil) }
    }

    /// Adds a member of a role. The role is added too.
    mutating func addMember(_ member: Name, to role: Name, _ period: Period = .always, at place: String) {
        guard check([member, role], at: place), check(period, at: place) else { return }
        guard role.kind == .role else { return skip(place, "`\(role.excerpt)` is not the name of a role") }
        guard member.isSubject, member != .anonymous else {
            return skip(place, "`\(member.excerpt)` cannot be a member: write a user, a thing, a role or `everyone`")
        }
        memberships[Membership(role: role, member: member), default: []].insert(period)
        roles.insert(role)
        if member.kind == .role { roles.insert(member) }
    }

    /// Adds a grant. The object, and a role that is its subject, are added too.
    mutating func addGrant(
        _ subject: Name, _ privileges: [String], on object: Name, _ period: Period = .always, at place: String
    ) {
        guard check([subject, object], at: place), check(period, at: place) else { return }
        guard subject.isSubject else {
            return skip(place, "`\(subject.excerpt)` cannot have access: write a user, a thing, a role, `everyone` or `anonymous`")
        }
        guard object.kind == .object else {
            return skip(place, "`\(object.excerpt)` is not an object: write `class:id`, with a class that is not built in")
        }
        for privilege in privileges {
            if let problem = Name(privilege).faultOfSymbol { return skip(place, problem) }
            grants[Grant(subject: subject, object: object, privilege: privilege), default: []].insert(period)
        }
        if objects[object] == nil { objects[object] = .some(nil) }
        if subject.kind == .role { roles.insert(subject) }
    }

    /// Joins the periods of a fact that overlap or meet.
    mutating func mergePeriods() {
        memberships = memberships.mapValues(Period.merged)
        grants = grants.mapValues(Period.merged)
    }

    /// Removes memberships that would make a role a member of itself.
    mutating func removeMembershipCycles() {
        var above: [Name: [Name]] = [:]
        func reaches(_ start: Name, _ end: Name) -> Bool {
            var (seen, next): (Set<Name>, [Name]) = ([start], [start])
            while let role = next.popLast() {
                if role == end { return true }
                next += (above[role] ?? []).filter { seen.insert($0).inserted }
            }
            return false
        }
        let nested = memberships.keys.filter { $0.member.kind == .role || $0.member == .everyone }
        for membership in nested.sorted(by: { ($0.role, $0.member) < ($1.role, $1.member) }) {
            if reaches(membership.role, membership.member) {
                memberships[membership] = nil
                skip("role `\(membership.role)`", "`\(membership.member)` cannot be a member, because the roles would form a cycle")
            } else {
                above[membership.member, default: []].append(membership.role)
            }
        }
    }

    private mutating func check(_ names: [Name], at place: String) -> Bool {
        for name in names {
            if let problem = name.problem ?? name.problemAsNew {
                skip(place, problem.message)
                return false
            }
        }
        return true
    }

    private mutating func check(_ period: Period, at place: String) -> Bool {
        guard let from = period.from, let to = period.to, to <= from else { return true }
        skip(place, "it ends at \(to), which is not after its begin at \(from)")
        return false
    }
}

extension Name {
    /// Why this text cannot be the name of a privilege; nil if it can.
    fileprivate var faultOfSymbol: String? {
        if text.isEmpty { return "a privilege is empty" }
        if text.utf8.count > Limits.symbolBytes {
            return "the privilege `\(excerpt)` has more than \(Limits.symbolBytes) bytes; rename it in `privileges` of the mapping"
        }
        return Name.problem(asNew: text)?.message
    }
}

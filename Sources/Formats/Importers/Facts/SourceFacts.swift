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

        /// Joins periods that overlap or meet. A period without a begin takes the begin of the one that holds at the same time.
        static func merged(_ periods: Set<Period>, now: Instant) -> Set<Period> {
            if periods.count < 2 { return periods }
            let dated = joined(periods.filter { $0.from != nil })
            guard let undated = joined(periods.filter { $0.from == nil }).first else { return Set(dated) }
            let moment = min(now, undated.to ?? .forever)
            let ended = dated.filter { ($0.to ?? .forever) < moment }
            let later = dated.dropFirst(ended.count)
            var open = joined([undated] + later)
            open[0].from = later.first?.from.flatMap { $0 <= moment ? $0 : nil }
            return Set(ended + open)
        }

        private static func joined(_ periods: some Sequence<Period>) -> [Period] {
            var joined: [Period] = []
            for period in periods.sorted(by: { ($0.from ?? .distantPast) < ($1.from ?? .distantPast) }) {
                if let last = joined.last, (period.from ?? .distantPast) <= (last.to ?? .forever) {
                    joined[joined.count - 1].to = last.to.flatMap { end in period.to.map { max(end, $0) } }
                } else {
                    joined.append(period)
                }
            }
            return joined
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

    /// The names that the mapping gives to users, things and the built-in subjects of the source.
    private let names: [Name: Name]

    init(names: [Name: Name] = [:]) { self.names = names }

    /// Every privilege that occurs in a grant, sorted.
    public var privileges: [String] { Set(grants.keys.map(\.privilege)).sorted() }

    /// Whether an import of the facts would remove all that earlier imports brought.
    var isWithoutAccess: Bool { isEmpty || !unmapped.isEmpty && grants.isEmpty && memberships.isEmpty }

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
        let member = names[member] ?? member
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
        let subject = names[subject] ?? subject
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

    /// Removes the facts of users that the source calls like an administrator, who has every privilege in the store.
    mutating func removeAdministrators(_ administrators: [Name]) {
        for name in administrators where !names.values.contains(name) {
            let (members, subjects) = (memberships.keys.filter { $0.member == name }, grants.keys.filter { $0.subject == name })
            if members.isEmpty && subjects.isEmpty { continue }
            for membership in members { memberships[membership] = nil }
            for grant in subjects { grants[grant] = nil }
            skip(
                "`\(name.excerpt)`",
                "it is an administrator of the store: give the source's user another name in `names` of the mapping, or the same name "
                    + "if both are one person")
        }
    }

    /// Joins the periods of a fact that overlap or meet.
    mutating func mergePeriods(now: Instant) {
        memberships = memberships.mapValues { Period.merged($0, now: now) }
        grants = grants.mapValues { Period.merged($0, now: now) }
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

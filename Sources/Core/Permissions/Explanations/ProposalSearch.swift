public import Events

/// Changes that would give a caller the missing privileges, by number.
public struct ProposedChanges: Hashable, Sendable {
    /// Whether the caller must be registered first: a user or thing that is unknown to the store cannot receive access.
    public fileprivate(set) var registers = false
    /// The custom privileges that classes must additionally support.
    public fileprivate(set) var classes: [ClassID: Privileges] = [:]
    /// The roles that the caller must become a member of.
    public fileprivate(set) var roles: [PrincipalID] = []
    /// The privileges to grant to the caller itself, by object.
    public fileprivate(set) var grants: [ObjectID: Privileges] = [:]

    /// The number of changes.
    fileprivate var count: Int { (registers ? 1 : 0) + classes.count + roles.count + grants.count }

    /// Every copy of these changes with one change left out.
    fileprivate var withoutOne: [ProposedChanges] {
        var smaller: [ProposedChanges] = []
        func leaveOut(_ change: (inout ProposedChanges) -> Void) {
            var remedy = self
            change(&remedy)
            smaller.append(remedy)
        }
        if registers { leaveOut { $0.registers = false } }
        for classID in classes.keys { leaveOut { $0.classes[classID] = nil } }
        for role in roles { leaveOut { $0.roles.removeAll { $0 == role } } }
        for object in grants.keys { leaveOut { $0.grants[object] = nil } }
        return smaller
    }
}

/// Finds the smallest changes that would give a caller some privileges on an object: grants to the caller itself on the store,
/// the class and the object, and memberships in roles that have the missing privileges.
///
/// Each remedy is tested with the rules of access on a supposed state, and again with each of its changes left out. Only remedies
/// that are sufficient and minimal are proposed.
public struct ProposalSearch<State: ExplainableState> {
    private let state: State
    private let instant: Instant
    private let caller: PrincipalID
    private let object: ObjectID
    private let place: ClassAndParent
    private let wanted: Privileges
    private let countsAdministration: Bool

    /// - Parameters:
    ///   - state: the present state.
    ///   - instant: the time for evaluating ends.
    ///   - caller: the caller that lacks privileges.
    ///   - object: the object of the question, which must exist.
    ///   - wanted: all privileges in the question, at least one.
    ///   - countsAdministration: whether the caller has all privileges if it administers the store; false for readers that may not
    ///     know who does.
    public init?(
        _ state: State, at instant: Instant, for caller: PrincipalID, on object: ObjectID, wanted: Privileges,
        countsAdministration: Bool = true
    ) throws {
        guard let place = try state.place(of: object), !wanted.isEmpty else { return nil }
        self.state = state
        self.instant = instant
        self.caller = caller
        self.object = object
        self.place = place
        self.wanted = wanted
        self.countsAdministration = countsAdministration
    }

    /// Returns the remedies, and whether no more exist: the search stops at ``ExplanationLimits``. Each remedy gives the caller the
    /// privileges, and every change of a remedy is necessary. The fewest changes first, grants before memberships. Empty if the
    /// caller already has the privileges.
    public func remedies() throws -> (remedies: [ProposedChanges], areComplete: Bool) {
        guard try !isEnough(ProposedChanges()) else { return ([], true) }
        let (helpful, areAll) = try rolesThatHelp()
        // A remedy with more changes than grants alone would need is not proposed.
        let largest = max(1, try completions(of: []).map(\.grants.count).min() ?? 1)
        var found: [ProposedChanges] = []
        let combined = helpful.prefix(ExplanationLimits.rolesCombined)
        var isComplete = areAll && (largest == 1 || combined.count == helpful.count)
        let choices = [[]] + helpful.map { [$0] } + Array(combined).subsets(upTo: largest).filter { $0.count > 1 }
        for chosen in choices {
            guard found.count < ExplanationLimits.proposals else {
                isComplete = false
                break
            }
            for remedy in try completions(of: chosen) where chosen.count + remedy.grants.count <= largest {
                if try isSmallest(remedy), !found.contains(remedy) { found.append(remedy) }
            }
        }
        let ordered = found.enumerated().sorted { ($0.element.count, $0.offset) < ($1.element.count, $1.offset) }.map(\.element)
        return (Array(ordered.prefix(ExplanationLimits.proposals)), isComplete)
    }

    /// Returns the remedies with these roles and grants of the privileges that are still missing.
    private func completions(of roles: [PrincipalID]) throws -> [ProposedChanges] {
        var start = ProposedChanges()
        start.roles = roles
        let missing = try missing(with: start).sorted { $0.key < $1.key }
        return try missing.subsets(upTo: missing.count).compactMap { grants in
            var remedy = start
            for (object, privileges) in grants { remedy.grants[object] = privileges }
            let conditions = try conditions(of: remedy, with: wanted)
            (remedy.registers, remedy.classes) = (conditions.registers, conditions.classes)
            return try isEnough(remedy) ? remedy : nil
        }
    }

    /// The rules on the state as it would be after the changes of a remedy.
    private func rules(after remedy: ProposedChanges) -> AccessRules<HypotheticalState<State>> {
        AccessRules(
            HypotheticalState(base: state, caller: caller, countsAdministration: countsAdministration, remedy: remedy), at: instant)
    }

    // MARK: Missing privileges

    /// Returns the missing privileges of the levels, by the object that can grant them. For a widening class both the class and
    /// the object have them, and either would be enough.
    private func missing(with remedy: ProposedChanges) throws -> [ObjectID: Privileges] {
        let rules = rules(after: remedy)
        let subjects = try rules.state.subjects(of: caller)
        guard !subjects.isAdministrator, let (place, options) = try rules.located(object) else { return [:] }
        let levels = try rules.levels(for: subjects, on: object, at: place, options, wanted: wanted).levels
        var missing: [ObjectID: Privileges] = [:]
        for (level, object) in [(DecidingLevel.store, ObjectID.store), (.class, ObjectID(place.classID)), (.object, object)] {
            let lacking = levels.missing(wanted, at: level)
            if !lacking.isEmpty { missing[object, default: []].formUnion(lacking) }
        }
        return missing
    }

    /// Returns the changes that a remedy requires first: registering an unknown caller, and adding the privileges to the classes.
    ///
    /// - Parameter wanted: privileges that the class of the object must support.
    private func conditions(of remedy: ProposedChanges, with wanted: Privileges = []) throws -> ProposedChanges {
        var conditions = ProposedChanges()
        conditions.registers = try !(remedy.roles.isEmpty && remedy.grants.isEmpty) && !isKnown(caller)
        var needed = [(place.classID, wanted)]
        for (object, privileges) in remedy.grants { needed.append((try classOfEntries(on: object), privileges)) }
        for (classID, privileges) in needed {
            let added = privileges.subtracting(try state.options(of: classID)?.known ?? .builtIn)
            if !added.isEmpty { conditions.classes[classID, default: []].formUnion(added) }
        }
        return conditions
    }

    /// Returns the class that defines the privileges that can be granted on an object. For the object `class:NAME` it is that
    /// class.
    private func classOfEntries(on object: ObjectID) throws -> ClassID {
        let classID = try state.place(of: object)?.classID ?? .store
        return classID == .class ? ClassID(object) : classID
    }

    private func isKnown(_ caller: PrincipalID) throws -> Bool {
        try caller == .everyone || caller == .anonymous || state.place(of: ObjectID(caller)) != nil
    }

    // MARK: Trying

    /// Whether the caller would have the privileges.
    private func isEnough(_ remedy: ProposedChanges) throws -> Bool {
        guard try canBeCarriedOut(remedy) else { return false }
        let rules = rules(after: remedy)
        return try rules.verdict(for: rules.state.subjects(of: caller), on: object, wanted: wanted).allows(wanted)
    }

    /// Whether every change of the remedy is necessary.
    private func isSmallest(_ remedy: ProposedChanges) throws -> Bool {
        // More changes never remove access, so it is enough to test each copy with one change left out.
        try !remedy.withoutOne.contains { try isEnough($0) }
    }

    /// Whether the store would accept these changes from an administrator. One refused change refuses all of them.
    private func canBeCarriedOut(_ remedy: ProposedChanges) throws -> Bool {
        let conditions = try conditions(of: remedy)
        return (remedy.registers || !conditions.registers)
            && conditions.classes.allSatisfy { remedy.classes[$0]?.isSuperset(of: $1) ?? false }
    }

    // MARK: Roles

    /// Returns the roles that reduce the missing privileges, and whether all roles were examined. Roles named on the objects in
    /// question come first.
    private func rolesThatHelp() throws -> (roles: [PrincipalID], areAll: Bool) {
        guard caller != .anonymous else { return ([], true) }
        let before = try missing(with: ProposedChanges())
        let present = try state.subjects(of: caller)
        var seen: Set<PrincipalID> = []
        var pending = try namedRoles(before).filter { seen.insert($0).inserted }
        var found: [(role: PrincipalID, above: SubjectSet, missing: [ObjectID: Privileges])] = []
        var looked = 0
        while !pending.isEmpty {
            var below: [PrincipalID] = []
            for role in pending {
                guard looked < ExplanationLimits.rolesConsidered else { return (found.map(\.role), false) }
                looked += 1
                below += try state.members(of: role).filter { try isRole($0) && seen.insert($0).inserted }
                let above = try state.subjects(of: role)
                // Roles must not contain each other.
                guard !present.contains(role), try !(isRole(caller) && above.contains(caller)) else { continue }
                var remedy = ProposedChanges()
                remedy.roles = [role]
                let after = try missing(with: remedy)
                // A role below another one is proposed only if it gives more than that one.
                guard after != before, !found.contains(where: { above.contains($0.role) && $0.missing == after }) else { continue }
                found.append((role, above, after))
            }
            pending = below
        }
        return (found.map(\.role), true)
    }

    /// Returns the roles that have some of the missing privileges on the store, the class, the object or an object above it.
    private func namedRoles(_ missing: [ObjectID: Privileges]) throws -> [PrincipalID] {
        let lacking = missing.values.reduce(into: Privileges()) { $0.formUnion($1) }
        let reasons = try AccessRules(state, at: instant).objectReasons(for: nil, on: object, wanted: lacking)
        return try DecidingLevel.allCases.reversed().flatMap { reasons?.sources(at: $0) ?? [] }
            .flatMap { try $0.grants.map(\.subject).filter(isRole).sorted() }
    }

    private func isRole(_ principal: PrincipalID) throws -> Bool {
        try state.place(of: ObjectID(principal))?.classID == .role
    }
}

extension Array {
    /// Returns every subset of these elements, the smallest first, each in order.
    fileprivate func subsets(upTo limit: Int) -> [[Element]] {
        var all: [[Element]] = [[]]
        var last: [(chosen: [Element], next: Int)] = [([], 0)]
        for _ in 0..<Swift.min(limit, count) {
            last = last.flatMap { chosen, next in (next..<count).map { (chosen + [self[$0]], $0 + 1) } }
            all += last.map(\.chosen)
        }
        return all
    }
}

/// A state as it would be after the changes of a remedy: the rules on it return the result that they would return then. Nothing is
/// written.
private struct HypotheticalState<Base: AccessState>: AccessState {
    let base: Base
    /// The caller that receives the memberships and entries.
    let caller: PrincipalID
    let countsAdministration: Bool
    let remedy: ProposedChanges

    func subjects(of caller: PrincipalID) throws -> SubjectSet {
        let known = try base.subjects(of: caller)
        let present = countsAdministration ? known : known.withoutAdministration
        guard caller == self.caller, !remedy.roles.isEmpty else { return present }
        var members = Set(present.members)
        for role in remedy.roles { members.formUnion(try base.subjects(of: role).members) }
        return SubjectSet(caller: caller, isAdministrator: present.isAdministrator, members: Array(members))
    }

    func place(of object: ObjectID) throws -> ClassAndParent? { try base.place(of: object) }

    func level(
        _ level: DecidingLevel, on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges
    ) throws -> Privileges {
        let present = try base.level(level, on: object, for: subjects, at: instant, wanted: wanted)
        return subjects.contains(caller) ? present.union(remedy.grants[object] ?? []) : present
    }

    func options(of classID: ClassID) throws -> ClassOptions? {
        var options = try base.options(of: classID)
        if let added = remedy.classes[classID] { options?.privileges.formUnion(added) }
        return options
    }

    func links(to target: ObjectID, limit: Int) throws -> [CallerLinks] { try base.links(to: target, limit: limit) }
}

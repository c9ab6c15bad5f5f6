public import Events

/// Finds the smallest changes that would give a caller some privileges on an object: grants to the caller itself on the store,
/// the class and the object, and memberships in roles that have the missing privileges.
///
/// Each remedy is tested with the rules of access on a supposed state, and again with each of its changes left out. Only remedies
/// that are sufficient and minimal are proposed.
public struct RemedySearch<State: ExplainableState> {
    private let state: State
    private let instant: Instant
    private let caller: PrincipalID
    private let object: ObjectID
    private let place: Place
    private let wanted: Privileges

    /// - Parameters:
    ///   - state: the present state.
    ///   - instant: the time for evaluating ends.
    ///   - caller: the caller that lacks privileges.
    ///   - object: the object of the question, which must exist.
    ///   - wanted: all privileges in the question, at least one.
    public init?(_ state: State, at instant: Instant, for caller: PrincipalID, on object: ObjectID, wanted: Privileges) throws {
        guard let place = try state.place(of: object), !wanted.isEmpty else { return nil }
        self.state = state
        self.instant = instant
        self.caller = caller
        self.object = object
        self.place = place
        self.wanted = wanted
    }

    /// Returns the remedies, the smallest first; empty if the caller already has the privileges.
    public func remedies() throws -> Remedies {
        guard try !isEnough(Remedy()) else { return Remedies(remedies: [], isComplete: true) }
        let (helpful, areAll) = try rolesThatHelp()
        // A remedy with more changes than grants alone would need is not proposed.
        let largest = max(1, try completions(of: []).map(\.grants.count).min() ?? 1)
        var found: [Remedy] = []
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
        return Remedies(remedies: Array(ordered.prefix(ExplanationLimits.proposals)), isComplete: isComplete)
    }

    /// Returns the remedies with these roles and grants of the privileges that are still missing.
    private func completions(of roles: [PrincipalID]) throws -> [Remedy] {
        var start = Remedy()
        start.roles = roles
        let missing = try missing(with: start).sorted { $0.key < $1.key }
        return try missing.subsets(upTo: missing.count).compactMap { grants in
            var remedy = start
            for (object, privileges) in grants { remedy.grants[object] = privileges }
            remedy = try withConditions(remedy)
            return try isEnough(remedy) ? remedy : nil
        }
    }

    // MARK: Missing privileges

    /// Returns the missing privileges of the levels, by the object that can grant them. For a widening class both the class and
    /// the object have them, and either would be enough.
    private func missing(with remedy: Remedy) throws -> [ObjectID: Privileges] {
        let supposed = SupposedState(state, for: caller, with: remedy)
        let subjects = try supposed.subjects(of: caller)
        guard !subjects.isAdministrator, let options = try state.options(of: place.classID) else { return [:] }
        let levels = try AccessRules(supposed, at: instant)
            .levels(for: subjects, at: place, of: object, options: options, wanted: wanted, deciding: nil)
        let needed = wanted.isDisjoint(with: [.create, .delete]) ? wanted : wanted.union(.update)
        var missing: [ObjectID: Privileges] = [:]
        func note(_ privileges: Privileges, on object: ObjectID) {
            if !privileges.isEmpty { missing[object, default: []].formUnion(privileges) }
        }
        note(needed.subtracting(levels.store), on: .store)
        let classObject = ObjectID(place.classID)
        switch options.composition {
        case .narrowing:
            note(wanted.subtracting(levels.classLevel), on: classObject)
            note(wanted.subtracting(levels.object), on: object)
        case .widening:
            let lacking = wanted.subtracting(levels.classLevel.union(levels.object))
            note(lacking, on: classObject)
            if options.objectACL == .required { note(lacking, on: object) }
        }
        return missing
    }

    /// Returns a remedy with the changes that it requires first: registering an unknown caller, and adding the privileges to the
    /// classes.
    private func withConditions(_ remedy: Remedy) throws -> Remedy {
        var remedy = remedy
        remedy.registers = try !(remedy.roles.isEmpty && remedy.grants.isEmpty) && !isKnown(caller)
        try addPrivileges(wanted, to: place.classID, &remedy)
        for (object, privileges) in remedy.grants { try addPrivileges(privileges, to: classOfEntries(on: object), &remedy) }
        return remedy
    }

    private func addPrivileges(_ privileges: Privileges, to classID: ClassID, _ remedy: inout Remedy) throws {
        let known = try state.options(of: classID)?.known ?? .builtIn
        let added = privileges.subtracting(known)
        if !added.isEmpty { remedy.classes[classID, default: []].formUnion(added) }
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
    private func isEnough(_ remedy: Remedy) throws -> Bool {
        guard try canBeCarriedOut(remedy) else { return false }
        let supposed = SupposedState(state, for: caller, with: remedy)
        return try AccessRules(supposed, at: instant)
            .verdict(for: supposed.subjects(of: caller), on: object, wanted: wanted).allows(wanted)
    }

    /// Whether every change of the remedy is necessary.
    private func isSmallest(_ remedy: Remedy) throws -> Bool {
        // More changes never remove access, so it is enough to test each copy with one change left out.
        try !remedy.withoutOne.contains { try isEnough($0) }
    }

    /// Whether the store would accept these changes from an administrator. One refused change refuses all of them.
    private func canBeCarriedOut(_ remedy: Remedy) throws -> Bool {
        if !remedy.registers, !(remedy.roles.isEmpty && remedy.grants.isEmpty), try !isKnown(caller) { return false }
        return try remedy.grants.allSatisfy { object, privileges in
            let classID = try classOfEntries(on: object)
            let known = try state.options(of: classID)?.known ?? .builtIn
            return known.union(remedy.classes[classID] ?? []).isSuperset(of: privileges)
        }
    }

    // MARK: Roles

    /// Returns the roles that reduce the missing privileges, and whether all roles were examined. Roles named on the objects in
    /// question come first.
    private func rolesThatHelp() throws -> (roles: [PrincipalID], areAll: Bool) {
        guard caller != .anonymous else { return ([], true) }
        let before = try missing(with: Remedy())
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
                var remedy = Remedy()
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
        var objects = [object]
        while let last = objects.last, let next = try state.place(of: last)?.parent, !objects.contains(next) {
            objects.append(next)
        }
        objects += [ObjectID(place.classID), .store]
        let lacking = missing.values.reduce(into: Privileges()) { $0.formUnion($1) }
        return try objects.flatMap { object in
            try state.grants(on: object, to: nil, at: instant, wanted: lacking).map(\.subject).filter(isRole).sorted()
        }
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

internal import Events
internal import Muniment
internal import Permissions

/// Compares the facts of a source with the state of a store and plans the changes between them.
///
/// Facts of the past become commits with their times if they begin after the store's last commit. All other changes are made at the
/// time of the import, also removals: the source does not say when access was taken away.
struct ImportPlanner {
    private var facts: SourceFacts
    private let present: PresentState
    private let brought: BroughtFacts
    /// The time of the store's last commit. A commit cannot be earlier.
    private let earliest: Instant
    private let now: Instant

    private var batches: [Instant?: ImportBatch] = [:]
    private var notes: Set<String> = []

    /// - Parameter head: the time of the store's last commit; nil for a new store, whose commits may have any time.
    init(_ facts: SourceFacts, _ present: PresentState, brought: BroughtFacts, head: Instant?, now: Instant) {
        (self.facts, self.present, self.brought) = (facts, present, brought)
        (earliest, self.now) = (head ?? .distantPast, max(now, head ?? .distantPast))
        self.facts.mergePeriods(now: self.now)
    }

    mutating func plan() throws -> ImportPlan {
        for (grant, periods) in facts.grants { try plan(grant, periods) }
        for (membership, periods) in facts.memberships { try plan(membership, periods) }
        try planRemovals()
        delayNestedRoles()
        var structure = StructurePlanner(facts, present, brought)
        var plan = ImportPlan()
        let times = batches.keys.compactMap { $0 }.sorted()
        for time in times { try structure.add(batches[time] ?? ImportBatch(), at: time, isLast: false, to: &plan) }
        try structure.add(batches[nil] ?? ImportBatch(), at: nil, isLast: true, to: &plan)
        plan.notes = notes.union(structure.notes).sorted()
        return plan
    }

    /// Returns the commit time of a fact that begins at a time; nil for the time of the import.
    private func commitTime(_ from: Instant?) -> Instant? { from.flatMap { $0 > earliest && $0 <= now ? $0 : nil } }

    private mutating func note(_ text: String) { notes.insert(text) }
}

// MARK: - Additions

extension ImportPlanner {
    private mutating func plan(_ grant: SourceFacts.Grant, _ periods: Set<SourceFacts.Period>) throws {
        let what = "\(grant.subject) has \(grant.privilege) on \(grant.object)"
        for period in periods where !period.contains(now) {
            if let to = period.to, to <= now {
                let record = BroughtFacts.Ended(first: grant.subject, second: grant.object, privilege: grant.privilege, time: to)
                guard let time = try commitTime(of: record, from: period.from, what) else { continue }
                batches[time, default: ImportBatch()].add(grant, until: to)
            } else if let from = period.from {
                note("not brought yet: \(what) from \(from); import again after that time")
            }
        }
        guard let longest = periods.filter({ $0.contains(now) }).max(by: { ($0.to ?? .forever) < ($1.to ?? .forever) }) else {
            return
        }
        let (wanted, held) = (longest.to ?? .forever, try present.entry(of: grant.subject, on: grant.object)[grant.privilege])
        if held == wanted { return }
        if let held, held > wanted {
            guard isBrought(grant) else {
                return note("kept: \(what) for longer than in the source; it was not brought by this source")
            }
            batches[nil, default: ImportBatch()].revoke(grant)
            batches[nil, default: ImportBatch()].add(grant, until: longest.to)
            return
        }
        batches[held == nil ? commitTime(longest.from) : nil, default: ImportBatch()].add(grant, until: longest.to)
    }

    private mutating func plan(_ membership: SourceFacts.Membership, _ periods: Set<SourceFacts.Period>) throws {
        let what = "\(membership.member) is in \(membership.role)"
        var isWanted = false
        var begin: Instant?
        for period in periods {
            switch period.to {
            case let to? where to <= now:
                let record = BroughtFacts.Ended(first: membership.member, second: membership.role, privilege: nil, time: to)
                guard let time = try commitTime(of: record, from: period.from, what) else { continue }
                batches[time, default: ImportBatch()].added.insert(membership)
                batches[to, default: ImportBatch()].removed.insert(membership)
            case let to?:
                // Membership would last longer than the source allows until the next import.
                note("not brought: \(what) until \(to); memberships have no end, so grant the access to the user until then")
            case nil:
                guard period.contains(now) else {
                    note("not brought yet: \(what) from \(period.from ?? now); import again after that time")
                    continue
                }
                (isWanted, begin) = (true, period.from)
            }
        }
        if isWanted, try !present.members(of: membership.role).contains(membership.member) {
            batches[commitTime(begin), default: ImportBatch()].added.insert(membership)
        }
    }

    /// Returns the commit time of a fact that has ended; nil if it is not brought.
    private mutating func commitTime(of ended: BroughtFacts.Ended, from begin: Instant?, _ what: String) throws -> Instant? {
        if brought.ended.contains(ended) { return nil }
        guard let time = commitTime(begin) else {
            note("not brought: \(what) until \(ended.time), which is before the store's last commit or has no begin")
            return nil
        }
        let isPresent =
            if let privilege = ended.privilege {
                try present.entry(of: ended.first, on: ended.second)[privilege] != nil
            } else {
                try present.members(of: ended.second).contains(ended.first)
            }
        guard isPresent else { return time }
        note("not brought: \(what) until \(ended.time), since the store has it until now")
        return nil
    }

    private func isBrought(_ grant: SourceFacts.Grant) -> Bool {
        brought.privileges[BroughtFacts.Entry(subject: grant.subject, object: grant.object)]?.contains(grant.privilege) ?? false
    }
}

// MARK: - Removals

extension ImportPlanner {
    private mutating func planRemovals() throws {
        var batch = batches[nil] ?? ImportBatch()
        for (entry, privileges) in brought.privileges where entry.object.kind == .object {
            let held = try present.entry(of: entry.subject, on: entry.object)
            for privilege in privileges where held[privilege] != nil {
                let grant = SourceFacts.Grant(subject: entry.subject, object: entry.object, privilege: privilege)
                if !(facts.grants[grant] ?? []).contains(where: { $0.contains(now) }) { batch.revoke(grant) }
            }
        }
        for membership in brought.memberships where try present.members(of: membership.role).contains(membership.member) {
            let isWanted = (facts.memberships[membership] ?? []).contains { $0.contains(now) && $0.to == nil }
            if !isWanted { batch.removed.insert(membership) }
        }
        try removeObjects(&batch)
        try removeRoles(&batch)
        batches[nil] = batch
    }

    /// Adds roles to roles after the removals: a role that leaves another one may take it as a member.
    private mutating func delayNestedRoles() {
        func isNested(_ membership: SourceFacts.Membership) -> Bool {
            membership.member.kind == .role || membership.member == .everyone
        }
        guard batches[nil]?.removed.contains(where: isNested) ?? false else { return }
        for time in batches.keys where time != nil {
            for membership in (batches[time]?.added ?? []).filter(isNested) {
                batches[time]?.added.remove(membership)
                let periods = facts.memberships[membership] ?? []
                if periods.contains(where: { $0.contains(now) && $0.to == nil }) {
                    batches[nil, default: ImportBatch()].added.insert(membership)
                }
                for to in periods.compactMap(\.to) where batches[to]?.removed.remove(membership) != nil {
                    note("not brought: \(membership.member) was in \(membership.role) until \(to), since roles are removed first")
                }
            }
        }
    }

    /// Deletes objects that the source no longer has, if nothing of others would be lost with them.
    private mutating func removeObjects(_ batch: inout ImportBatch) throws {
        var depths: [Name: Int] = [:]
        for object in brought.objects where try facts.objects[object] == nil && present.exists(object) {
            var (depth, above) = (0, try present.parent(of: object))
            while let parent = above { (depth, above) = (depth + 1, try present.parent(of: parent)) }
            depths[object] = depth
        }
        // The deepest first, so that children are decided before their parents.
        for object in depths.keys.sorted(by: { (-depths[$0, default: 0], $0) < (-depths[$1, default: 0], $1) }) {
            let others = try present.rows(on: object).contains { row in
                row.permission != nil
                    || !Set(row.privileges).isSubset(
                        of: batch.revoked[BroughtFacts.Entry(subject: Name(row.subject), object: object)] ?? [])
            }
            let children = try present.children(of: object).filter { !batch.deletedObjects.contains($0) }
            if others || children.contains(where: { facts.objects[$0] == nil }) {
                note("kept: \(object) is not in the source, but has access or objects that it did not bring")
            } else if children.isEmpty {
                batch.deletedObjects.append(object)
            } else {
                note("kept: \(object) is not in the source, but contains objects that are; import again")
            }
        }
    }

    private mutating func removeRoles(_ batch: inout ImportBatch) throws {
        for role in brought.roles.sorted() where try !facts.roles.contains(role) && present.exists(role) {
            let uses = try present.uses(of: role)
            var isUsed = try present.members(of: role).contains {
                !batch.removed.contains(SourceFacts.Membership(role: role, member: $0))
            }
            isUsed = isUsed || uses.roles.contains { !batch.removed.contains(SourceFacts.Membership(role: $0, member: role)) }
            for object in uses.entries {
                let revoked = batch.revoked[BroughtFacts.Entry(subject: role, object: object)] ?? []
                if try !Set(present.entry(of: role, on: object).keys).isSubset(of: revoked) { isUsed = true }
            }
            if isUsed {
                note("kept: \(role) is not in the source, but has members or access that it did not bring")
            } else {
                batch.deletedRoles.append(role)
            }
        }
    }
}

/// The facts to add and to remove at one time.
struct ImportBatch {
    struct EndingEntry: Hashable {
        let entry: BroughtFacts.Entry
        let until: Instant?
    }

    var added: Set<SourceFacts.Membership> = []
    var removed: Set<SourceFacts.Membership> = []
    private(set) var granted: [EndingEntry: Set<String>] = [:]
    private(set) var revoked: [BroughtFacts.Entry: Set<String>] = [:]
    var deletedObjects: [Name] = []
    var deletedRoles: [Name] = []

    mutating func add(_ grant: SourceFacts.Grant, until: Instant?) {
        let entry = BroughtFacts.Entry(subject: grant.subject, object: grant.object)
        granted[EndingEntry(entry: entry, until: until), default: []].insert(grant.privilege)
    }

    mutating func revoke(_ grant: SourceFacts.Grant) {
        revoked[BroughtFacts.Entry(subject: grant.subject, object: grant.object), default: []].insert(grant.privilege)
    }
}

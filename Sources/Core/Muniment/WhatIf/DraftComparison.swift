internal import Events
internal import Permissions
internal import Projections

/// Compares access before and after a draft, for all subjects that it may affect.
struct DraftComparison {
    private let draft: Draft
    private let reader: IndexReader
    private let relations: DraftedRelations
    private let rulesBefore: AccessRules<IndexReader>
    private let rulesAfter: AccessRules<WorkingSet>
    /// Users and things, including those of the draft.
    private let allCallers: [PrincipalID]
    private let administrators: Set<PrincipalID>
    /// The callers named on objects by entries, directly or through roles; a cache.
    private var namedAbove: [ObjectID: Set<PrincipalID>] = [:]
    private var found: [Row] = []
    private(set) var isComplete = true

    private struct Row {
        let caller: PrincipalID
        let object: ObjectID
        let change: Change
    }

    private struct Change: Equatable {
        let before: Privileges
        let after: Privileges
    }

    init(of draft: Draft, with reader: IndexReader) throws {
        (self.draft, self.reader) = (draft, reader)
        relations = DraftedRelations(of: draft, over: reader)
        // Both sides use the same time, so an end before it counts on neither side.
        rulesBefore = AccessRules(reader, at: draft.instant)
        rulesAfter = AccessRules(draft.workingSet, at: draft.instant)
        allCallers = try relations.instances(of: .user).union(relations.instances(of: .thing)).map { PrincipalID($0) }
        administrators = try relations.administrators
        let scope = try DraftScope(of: draft, reader, relations)
        for (object, callers) in scope.callersByObject where isComplete {
            guard let classID = try relations.classID(of: object), classID != .user, classID != .thing else { continue }
            try compare(object, for: callers)
        }
    }

    var differences: [WhatIf.Difference] {
        get throws {
            let privilegeNames = draft.workingSet.state.privilegeNames
            var names: [UInt64: String] = [:]
            func name(_ id: UInt64) throws -> String {
                if let known = names[id] { return known }
                let name = try draft.workingSet.name(of: id)
                names[id] = name
                return name
            }
            return try found.map { row in
                WhatIf.Difference(
                    subject: try name(row.caller.rawValue), object: try name(row.object.rawValue),
                    before: privilegeNames.names(of: row.change.before), after: privilegeNames.names(of: row.change.after))
            }
            .sorted { (Name($0.subject), Name($0.object)) < (Name($1.subject), Name($1.object)) }
        }
    }

    private mutating func compare(_ object: ObjectID, for whom: DraftScope.Callers) throws {
        switch whom {
        case .some(let some): for caller in some { add(caller, object, try change(for: caller, on: object)) }
        case .all:
            let ofEveryone = try change(for: .everyone, on: object)
            add(.everyone, object, ofEveryone)
            add(.anonymous, object, try change(for: .anonymous, on: object))
            let named = try callers(namedFor: object).union(administrators)
            for caller in named { add(caller, object, try change(for: caller, on: object)) }
            // A caller without an entry has the access of everyone.
            guard ofEveryone.before != ofEveryone.after else { return }
            for caller in allCallers where !named.contains(caller) { add(caller, object, ofEveryone) }
        }
    }

    private mutating func add(_ caller: PrincipalID, _ object: ObjectID, _ change: Change) {
        guard change.before != change.after, isComplete else { return }
        guard found.count < WhatIf.differenceLimit else {
            isComplete = false
            return
        }
        found.append(Row(caller: caller, object: object, change: change))
    }

    private func change(for caller: PrincipalID, on object: ObjectID) throws -> Change {
        Change(
            before: try rulesBefore.verdict(for: reader.subjects(of: caller), on: object).effective,
            after: try rulesAfter.verdict(for: draft.workingSet.subjects(of: caller), on: object).effective)
    }
}

extension DraftComparison {
    /// Returns the users and things that relevant entries name, directly or through roles other than `everyone`.
    private mutating func callers(namedFor start: ObjectID) throws -> Set<PrincipalID> {
        var named = try callers(namedOn: .store)
        _ = try Set(reachableFrom: [start]) { object -> Set<ObjectID> in
            guard let classID = try relations.classID(of: object) else { return [] }
            named.formUnion(try callers(namedOn: ObjectID(classID)))
            named.formUnion(try callers(namedOn: object))
            let parents = try relations.parents(of: object)
            guard try relations.options(of: classID).contains(where: \.readThroughLinks) else { return parents }
            return try parents.union(relations.sources(linkingTo: object))
        }
        return named
    }

    /// Returns the users and things named by entries on an object, directly or through roles; not those reached only through
    /// `everyone`.
    private mutating func callers(namedOn object: ObjectID) throws -> Set<PrincipalID> {
        if let known = namedAbove[object] { return known }
        let callers = try relations.callers(among: relations.subjects(namedOn: object)).subtracting([.everyone, .anonymous])
        namedAbove[object] = callers
        return callers
    }
}

internal import EventLog
internal import Events
public import Permissions
internal import Projections

extension Snapshot {
    /// Returns an explanation with the event, the actor and the time that caused each step (CONFORMANCE E11).
    ///
    /// - Parameters:
    ///   - explanation: the result of ``explain(_:_:on:for:)`` of this snapshot, or of another one at the same moment.
    ///   - audience: who reads the result: a path with a step that the audience may not know is returned without its steps.
    /// - Throws: an error if the log or the index is damaged.
    /// - Complexity: a search in the index and one in the log for each step, and one more for each change of an entry since it gave
    ///   the privilege.
    public func witness(of explanation: Explanation, for audience: Audience = .unrestricted) throws -> Witness {
        try witnesses(of: [explanation], for: audience)[0]
    }

    /// Returns explanations with the event, the actor and the time that caused each step, like ``witness(of:for:)``. A commit that
    /// several of them cite is read once. Together they have at most about ``Permissions/ExplanationLimits/steps`` steps; further paths
    /// are left out, and the explanation is then incomplete.
    ///
    /// - Parameters:
    ///   - explanations: results of ``explain(_:_:on:for:)`` of this snapshot.
    ///   - audience: who reads the result.
    /// - Returns: a witness for each explanation, in the same order.
    /// - Throws: an error if the log or the index is damaged.
    public func witnesses(of explanations: [Explanation], for audience: Audience = .unrestricted) throws -> [Witness] {
        try log.read { log in
            let finder = CitationFinder(reader, log)
            let disclosure = try Disclosure(to: audience, reader)
            return try explanations.map { explanation in
                var writer = WitnessWriter(
                    explanation: explanation, finder: finder, reader: reader,
                    steps: ExplanationLimits.steps / max(1, explanations.count))
                return try disclosure.redacted(writer.witness(), about: explanation.objectID)
            }
        }
    }
}

private struct WitnessWriter {
    let explanation: Explanation
    let finder: CitationFinder
    let reader: IndexReader
    /// How many more steps the paths may have.
    var steps: Int
    var names: [UInt64: String] = [:]
    var isComplete = true

    mutating func witness() throws -> Witness {
        var appointment: WitnessedFact?
        if explanation.verdict.reason == .administrator, let caller = explanation.caller {
            appointment = try fact(.administrator(caller))
        }
        var storeLevel: [WitnessedPath] = []
        var target: WitnessedObject?
        if let reasons = explanation.reasons {
            storeLevel = try paths(.store, reasons.object, reasons.ancestry)
            target = try object(reasons.object, reasons.ancestry)
            target?.objectPart += try reasons.links.map { try path($0, to: reasons.object.object, reasons.ancestry) }
            if !reasons.linksAreComplete { isComplete = false }
        } else if let object = explanation.objectID, let place = try reader.place(of: object) {
            target = try self.object(object, place.classID)
        }
        if let caller = explanation.caller,
            try reader.place(of: ObjectID(caller)) != nil || caller == .everyone || caller == .anonymous
        {
            try note(caller)
        }
        return Witness(
            of: explanation, appointment: appointment, storeLevel: storeLevel, target: target, isComplete: isComplete, names: names,
            privilegeNames: reader.state.privilegeNames)
    }

    // MARK: Objects and paths

    private mutating func object(_ object: ObjectID, _ classID: ClassID) throws -> WitnessedObject {
        WitnessedObject(
            object: object, existence: try fact(.object(object, classID)), options: try fact(options(of: classID)),
            classLevel: [], objectPart: [])
    }

    private mutating func object(_ reasons: ObjectReasons, _ ancestry: MembershipChains) throws -> WitnessedObject {
        var object = try object(reasons.object, reasons.classID)
        object.classLevel = try paths(.class, reasons, ancestry)
        object.objectPart = try paths(.object, reasons, ancestry)
        return object
    }

    /// Returns the paths that give privileges at a level: the memberships of the caller, the grant, and the inheritance from its
    /// object down to the object in question. At the object level without links.
    private mutating func paths(
        _ level: DecidingLevel, _ reasons: ObjectReasons, _ ancestry: MembershipChains
    ) throws -> [WitnessedPath] {
        var paths: [WitnessedPath] = []
        var (count, way) = (0, [AccessSource]())
        for (source, grants) in reasons.sources(at: level) {
            way.append(source)
            if source.isOpen {
                let facts = try [fact(options(of: source.classID))] + descent(way)
                paths.append(WitnessedPath(privileges: source.mask, beginning: nil, facts: facts))
                count += 1
            }
            for grant in grants {
                // At least one path for each grant, so that every privilege of a level is explained.
                let room = max(1, ExplanationLimits.pathsPerLevel - count)
                let (chains, areAll) = ancestry.chains(to: grant.subject, limit: room)
                if !areAll { isComplete = false }
                count += chains.count
                for chain in chains {
                    // Each level has at least one path.
                    guard steps > 0 || paths.isEmpty else {
                        isComplete = false
                        return paths
                    }
                    let found = try self.paths(grant, through: chain, down: way)
                    steps -= found.reduce(0) { $0 + $1.facts.count }
                    paths += found
                }
            }
        }
        return paths
    }

    /// Returns a path; several if its privileges were given at different times.
    ///
    /// - Parameters:
    ///   - grant: the grant.
    ///   - chain: from the caller, `everyone` or `anonymous`, from member to role, up to the subject of the grant.
    ///   - way: the object in question, its parent, and so on, up to the object with the grant.
    private mutating func paths(
        _ grant: Grant, through chain: [PrincipalID], down way: [AccessSource]
    ) throws -> [WitnessedPath] {
        let memberships = try zip(chain, chain.dropFirst()).map { try fact(.member($0, of: $1)) }
        let descent = try descent(way)
        return try finder.witness(grant).map { privileges, facts in
            for fact in facts { try note(fact) }
            return WitnessedPath(
                privileges: privileges, beginning: chain.first, facts: memberships + facts + descent,
                isPermanent: !grant.permanent.isDisjoint(with: privileges))
        }
    }

    /// Returns the facts of a path from the last of some objects to the first. Each object is a child of the next one.
    private mutating func descent(_ way: [AccessSource]) throws -> [WitnessedFact] {
        var facts: [WitnessedFact] = []
        for (below, above) in zip(way, way.dropFirst()).reversed() {
            facts.append(try fact(.object(above.object, above.classID)))
            facts.append(try fact(.child(below.object, of: above.object)))
            facts.append(try fact(options(of: below.classID)))
        }
        return facts
    }

    private mutating func path(
        _ chain: [ObjectReasons], to target: ObjectID, _ ancestry: MembershipChains
    ) throws -> WitnessedPath {
        let targets = [target] + chain.map(\.object)
        let facts = try zip(chain, targets).map { try fact(.link($0.object, to: $1)) }
        return WitnessedPath(
            privileges: .read, beginning: nil, facts: facts, sources: try chain.map { try object($0, ancestry) })
    }

    // MARK: Facts and names

    private func options(of classID: ClassID) throws -> Fact {
        guard let options = try reader.options(of: classID) else { throw IndexError.damaged }
        return .options(classID, options)
    }

    private mutating func fact(_ fact: Fact) throws -> WitnessedFact {
        let witnessed = try finder.witness(fact)
        try note(witnessed)
        return witnessed
    }

    private mutating func note(_ fact: WitnessedFact) throws {
        try note(fact.citation.actor)
        for number in fact.fact.numbers { try note(ObjectID(rawValue: number)) }
    }

    private mutating func note(_ id: some EntityID) throws {
        if names[id.rawValue] == nil { names[id.rawValue] = try reader.name(of: id) }
    }
}

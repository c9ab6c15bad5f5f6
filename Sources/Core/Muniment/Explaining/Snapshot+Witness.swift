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
        try log.read { log in
            var writer = WitnessWriter(explanation, CitationFinder(reader, log), reader)
            return try Disclosure(to: audience, reader).told(writer.witness(), about: explanation.objectID)
        }
    }
}

/// Builds a witness.
private struct WitnessWriter {
    private let explanation: Explanation
    private let finder: CitationFinder
    private let reader: IndexReader
    private var names: [UInt64: String] = [:]
    private var isComplete = true

    init(_ explanation: Explanation, _ finder: CitationFinder, _ reader: IndexReader) {
        self.explanation = explanation
        self.finder = finder
        self.reader = reader
    }

    mutating func witness() throws -> Witness {
        var appointment: WitnessedFact?
        if explanation.verdict.reason == .administrator, let caller = explanation.caller {
            appointment = try fact(.administrator(caller))
        }
        var storeLevel: [WitnessedPath] = []
        var target: WitnessedObject?
        if let reasons = explanation.reasons {
            storeLevel = try paths(reasons.storePaths)
            target = try object(reasons.object, reasons.ancestry)
            target?.objectPart += try reasons.links.map { try path($0, to: reasons.object, reasons.ancestry) }
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
        guard let options = try reader.options(of: classID) else { throw IndexError.damaged }
        return WitnessedObject(
            object: object, existence: try fact(.object(object, classID)), options: try fact(.options(classID, options)),
            classLevel: [], objectPart: [])
    }

    private mutating func object(_ reasons: ObjectReasons, _ ancestry: Ancestry) throws -> WitnessedObject {
        var object = try object(reasons.object, reasons.classID)
        object.classLevel = try paths(reasons.classPaths(ancestry))
        object.objectPart = try paths(reasons.objectPaths(ancestry))
        return object
    }

    private mutating func paths(_ paths: AccessPaths) throws -> [WitnessedPath] {
        if !paths.isComplete { isComplete = false }
        var witnessed: [WitnessedPath] = []
        for path in paths.paths { witnessed += try self.paths(path) }
        return witnessed
    }

    /// Returns a path; several if its privileges were given at different times.
    private mutating func paths(_ path: AccessPath) throws -> [WitnessedPath] {
        let memberships = try zip(path.memberships, path.memberships.dropFirst()).map { try fact(.member($0, of: $1)) }
        let descent = try descent(path.inheritance)
        switch path.source {
        case .openClass(let classID):
            guard let options = try reader.options(of: classID) else { throw IndexError.damaged }
            let open = try fact(.options(classID, options))
            return [WitnessedPath(privileges: path.privileges, beginning: nil, facts: [open] + descent)]
        case .grant(let grant):
            return try finder.witness(grant).compactMap { privileges, facts in
                let given = privileges.intersection(path.privileges)
                guard !given.isEmpty else { return nil }
                for fact in facts { try note(fact) }
                return WitnessedPath(
                    privileges: given, beginning: path.memberships.first, facts: memberships + facts + descent,
                    isPermanent: !grant.permanent.isDisjoint(with: given))
            }
        }
    }

    /// Returns the facts of a path from the last of some objects to the first. Each object is a child of the next one.
    private mutating func descent(_ way: [Standing.Step]) throws -> [WitnessedFact] {
        var facts: [WitnessedFact] = []
        for (below, above) in zip(way, way.dropFirst()).reversed() {
            guard let options = try reader.options(of: below.classID) else { throw IndexError.damaged }
            facts.append(try fact(.object(above.object, above.classID)))
            facts.append(try fact(.child(below.object, of: above.object)))
            facts.append(try fact(.options(below.classID, options)))
        }
        return facts
    }

    private mutating func path(
        _ links: LinkReasons, to target: ObjectReasons, _ ancestry: Ancestry
    ) throws -> WitnessedPath {
        var facts: [WitnessedFact] = []
        var linked = target.object
        for source in links.sources {
            facts.append(try fact(.link(source.object, to: linked)))
            linked = source.object
        }
        return WitnessedPath(
            privileges: .read, beginning: nil, facts: facts, sources: try links.sources.map { try object($0, ancestry) })
    }

    // MARK: Facts and names

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

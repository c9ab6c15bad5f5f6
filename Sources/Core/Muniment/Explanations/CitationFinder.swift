internal import EventLog
internal import Events
internal import Permissions
internal import Projections

/// Finds the events that caused facts: the index contains the revision, the log contains the event.
final class CitationFinder {
    private let reader: IndexReader
    private let log: LogReader
    private var found: [Fact: WitnessedFact] = [:]
    private var commits: [Revision: Commit] = [:]
    private var eventCount = 0
    /// The number of events that stay in memory, unless one commit has more.
    private static let eventLimit = 100_000

    init(_ reader: IndexReader, _ log: LogReader) {
        self.reader = reader
        self.log = log
    }

    /// Returns a fact at the reader's revision, with the event that caused it.
    ///
    /// - Throws: `IndexError.damaged` if index and log do not agree.
    func witness(_ fact: Fact) throws -> WitnessedFact {
        if let witnessed = found[fact] { return witnessed }
        guard let revision = try reader.beginning(of: fact), case let commit = try commit(revision),
            let index = commit.events.lastIndex(where: { fact.isMade(by: $0) })
        else { throw IndexError.damaged }
        let witnessed = WitnessedFact(fact, Citation(commit, index))
        found[fact] = witnessed
        return witnessed
    }

    /// Returns the privileges of a grant, with the event that gave them. Returns several items if the privileges were given at
    /// different times.
    func witness(_ grant: Grant) throws -> [(privileges: Privileges, facts: [WitnessedFact])] {
        if let permission = grant.permission {
            let given = try witness(.permission(permission, grant.subject, grant.privileges))
            return [(grant.privileges, [given, try witness(.attachment(permission, to: grant.object))])]
        }
        var byEvent: [(citation: Citation, privileges: Privileges)] = []
        for privilege in grant.privileges.singles {
            let citation = try citation(of: privilege, in: grant)
            if let place = byEvent.firstIndex(where: { $0.citation == citation }) {
                byEvent[place].privileges.formUnion(privilege)
            } else {
                byEvent.append((citation, privilege))
            }
        }
        return byEvent.map { citation, privileges in
            let fact = Fact.entry(grant.subject, on: grant.object, privileges, until: grant.until)
            return (privileges, [WitnessedFact(fact, citation)])
        }
    }

    private func citation(of privilege: Privileges, in grant: Grant) throws -> Citation {
        let revisions = try reader.grantRevisions(grant.subject, on: grant.object, privilege)
        if let citation = try citation(of: privilege, in: grant, among: revisions) { return citation }
        // If only the expiry was changed, only the object's own versions contain the revision.
        let first = revisions.first ?? .genesis
        let all = try reader.revisions(of: grant.object).filter { first <= $0 && $0 <= reader.revision }
        guard let citation = try citation(of: privilege, in: grant, among: all) else { throw IndexError.damaged }
        return citation
    }

    /// Returns the event since which a privilege has been held until this expiry.
    private func citation(of privilege: Privileges, in grant: Grant, among revisions: [Revision]) throws -> Citation? {
        let fact = Fact.entry(grant.subject, on: grant.object, privilege, until: grant.until)
        var citation: Citation?
        for revision in revisions {
            let commit = try commit(revision)
            // Whether the privilege may be missing for a moment inside this commit, so that a later grant counts.
            var isInDoubt = false
            for (index, event) in commit.events.enumerated() {
                if fact.isMade(by: event) {
                    if citation == nil || isInDoubt { citation = Citation(commit, index) }
                    isInDoubt = false
                } else {
                    switch event.effect(on: grant, privilege) {
                    case .none: break
                    case .doubt: isInDoubt = true
                    case .end: citation = nil
                    }
                }
            }
        }
        return citation
    }

    private func commit(_ revision: Revision) throws -> Commit {
        if let commit = commits[revision] { return commit }
        let commit = try log.commit(at: revision)
        if eventCount + commit.events.count > CitationFinder.eventLimit {
            commits = [:]
            eventCount = 0
        }
        commits[revision] = commit
        eventCount += commit.events.count
        return commit
    }
}

private enum Effect {
    case none
    /// The privilege may be lost: a wildcard keeps only privileges that the class knows, and a deletion includes the objects below.
    case doubt
    case end
}

extension Event {
    fileprivate func effect(on grant: Grant, _ privilege: Privileges) -> Effect {
        switch self {
        case .accessRevoked(let event) where event.object == grant.object && event.subject == grant.subject:
            event.privileges.isSuperset(of: privilege) ? .end : Privileges.builtIn.contains(privilege) ? .none : .doubt
        case .accessExpired(let event) where event.object == grant.object && event.subject == grant.subject:
            event.privileges.isSuperset(of: privilege) ? .end : .none
        case .objectDeleted, .roleDeleted: .doubt
        default: .none
        }
    }
}

extension Citation {
    init(_ commit: Commit, _ index: Int) {
        self.init(
            revision: commit.revision, index: index, kind: commit.events[index].kind, time: commit.time, actor: commit.actor,
            origin: commit.origin)
    }
}

extension Privileges {
    fileprivate var singles: [Privileges] {
        (0..<UInt32(UInt32.bitWidth)).map { Privileges(rawValue: 1 << $0) }.filter(contains)
    }
}

internal import Events

/// Answers questions from the facts of a source alone, at one time.
struct SourceEvaluator {
    private let facts: SourceFacts
    private var subjects: [Question: Set<Name>] = [:]
    private var members: [Name: Set<Name>] = [:]

    struct Question: Hashable {
        let privilege: String
        let object: Name
    }

    init(_ facts: SourceFacts, at instant: Instant) {
        self.facts = facts
        for (grant, periods) in facts.grants where periods.contains(where: { $0.contains(instant) }) {
            subjects[Question(privilege: grant.privilege, object: grant.object), default: []].insert(grant.subject)
        }
        for (membership, periods) in facts.memberships where periods.contains(where: { $0.contains(instant) }) {
            members[membership.role, default: []].insert(membership.member)
        }
    }

    /// Returns the users and things with a privilege on an object; only `everyone` or `anonymous` if all of them have it.
    func holders(of privilege: String, on object: Name) -> Set<Name> {
        var found: Set<Name> = []
        var place: Name? = object
        while let here = place {
            found.formUnion(subjects[Question(privilege: privilege, object: here)] ?? [])
            let isInherited = facts.inherited[here.className]?.contains(privilege) ?? true
            place = isInherited ? facts.objects[here] ?? nil : nil
        }
        return SourceEvaluator.callers(of: found) { members[$0] ?? [] }
    }

    /// Returns the users and things in a role, through other roles too.
    func members(of role: Name) -> Set<Name> { SourceEvaluator.callers(of: [role]) { members[$0] ?? [] } }

    /// Returns the callers among subjects and below roles; only `everyone` or `anonymous` if all callers are among them.
    static func callers(of subjects: Set<Name>, members: (Name) throws -> Set<Name>) rethrows -> Set<Name> {
        var (seen, next) = (subjects, Array(subjects))
        while let subject = next.popLast() {
            if subject.kind == .role { next += try members(subject).filter { seen.insert($0).inserted } }
        }
        for all in [Name.anonymous, .everyone] where seen.contains(all) { return [all] }
        return seen.filter { $0.kind == .caller }
    }
}

internal import Events
public import Permissions
internal import Projections

/// Explaining the answer to a check (CONFORMANCE E11).
extension Snapshot {
    /// Why a subject has all of some privileges on an object, or has them not.
    ///
    /// The answer is the one that ``check(_:_:on:)-(Name,_,_)`` gives, with all that gives any of the privileges. What made each of
    /// these so is told by ``witness(of:for:)``, and what would allow what is denied by ``proposals(for:)``.
    ///
    /// - Parameters:
    ///   - subject: a user, a thing, a role, `everyone` or `anonymous`.
    ///   - privileges: by name.
    ///   - object: any object, built-in ones included.
    ///   - audience: who is told: for a caller there is no object at this moment that it may not know of, but for access of its own,
    ///     and others are judged without what administering the store gives them.
    /// - Throws: `Refusal` with `malformed` for a name that is ill-formed.
    /// - Complexity: about that of the check; linear in the entries on the object and above it that name the subject or its roles, and
    ///   in the links to it where the class reads through links.
    public func explain(
        _ subject: Name, _ privileges: [String], on object: Name, for audience: Audience = .unrestricted
    ) throws -> Explanation {
        try checkForm(subject, object)
        // One that the store does not know is denied, whatever the others are.
        let wanted = privileges.map { reader.privilege($0) ?? [] }
        if let unknown = privileges.first, wanted.allSatisfy(\.isEmpty) {
            return unexplained(.unknownPrivilege(unknown), subject, privileges, object)
        }
        guard let caller = try reader.caller(subject) else {
            return unexplained(.unknownSubject, subject, privileges, object, wanted)
        }
        let disclosure = try Disclosure(to: audience, reader)
        let isTold = try tells(audience, of: object)
        guard isTold || disclosure.isOwn(subject), let number = try reader.number(of: object) else {
            return unexplained(.unknownObject, subject, privileges, object, wanted)
        }
        let objectID = ObjectID(rawValue: number)
        let subjects = disclosure.told(try reader.subjects(of: caller))
        let all = Privileges(wanted)
        let reasons = subjects.isAdministrator ? nil : try rules.reasons(for: subjects, on: objectID, wanted: all)
        let verdict = try reasons?.verdict(wanted: all) ?? rules.verdict(for: subjects, on: objectID, wanted: all)
        guard isTold || verdict.allows(all) else {
            return unexplained(.unknownObject, subject, privileges, object, wanted)
        }
        return Explanation(
            subject: subject, privileges: privileges, object: object, revision: revision, instant: instant,
            verdict: Verdict(effective: verdict.effective.intersection(all), reason: verdict.reason), wanted: wanted,
            caller: caller, objectID: verdict.reason == .unknownObject ? nil : objectID,
            known: try reasons?.object.options.known ?? knownPrivileges(on: objectID), reasons: reasons)
    }

    private func knownPrivileges(on object: ObjectID) throws -> Privileges {
        try reader.place(of: object).flatMap { try reader.options(of: $0.classID) }?.known ?? []
    }

    private func unexplained(
        _ reason: Verdict.Reason, _ subject: Name, _ privileges: [String], _ object: Name, _ wanted: [Privileges] = []
    ) -> Explanation {
        Explanation(
            subject: subject, privileges: privileges, object: object, revision: revision, instant: instant,
            verdict: Verdict(effective: [], reason: reason), wanted: wanted)
    }
}

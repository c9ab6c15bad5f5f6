internal import Events
public import Permissions
internal import Projections

/// Explains the result of a check (CONFORMANCE E11).
extension Snapshot {
    /// Explains why a subject has or does not have all of some privileges on an object.
    ///
    /// The result is the same as that of ``check(_:_:on:)-(Name,_,_)``, with every source of any of the privileges.
    /// ``witness(of:for:)`` returns the cause of each step, and ``proposals(for:to:)`` returns the changes that would allow a denied
    /// check.
    ///
    /// - Parameters:
    ///   - subject: a user, a thing, a role, `everyone` or `anonymous`.
    ///   - privileges: by name.
    ///   - object: any object, built-in ones included.
    ///   - audience: who reads the result: an object that a caller may not know at this moment is treated as missing, except for
    ///     the caller's own access. Other subjects are judged without privileges from administering the store.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name.
    /// - Complexity: about that of the check; linear in the entries on the object and above it that name the subject or its roles,
    ///   and in the links to it if the class reads through links.
    public func explain(
        _ subject: Name, _ privileges: [String], on object: Name, for audience: Audience = .unrestricted
    ) throws -> Explanation {
        try checkForm(subject, object)
        // An unknown privilege is denied, whatever the others are.
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
        let subjects = disclosure.redacted(try reader.subjects(of: caller))
        let all = Privileges(wanted)
        let reasons = subjects.isAdministrator ? nil : try rules.reasons(for: subjects, on: objectID, wanted: all)
        let verdict = try reasons?.verdict ?? rules.verdict(for: subjects, on: objectID, wanted: all)
        guard isTold || verdict.allows(all) else {
            return unexplained(.unknownObject, subject, privileges, object, wanted)
        }
        return Explanation(
            subject: subject, privileges: privileges, object: object, revision: revision, instant: instant,
            verdict: Verdict(effective: verdict.effective.intersection(all), reason: verdict.reason), wanted: wanted,
            caller: caller, objectID: verdict.reason == .unknownObject ? nil : objectID,
            known: reasons?.object.options.known ?? verdict.effective, reasons: reasons)
    }

    private func unexplained(
        _ reason: Verdict.Reason, _ subject: Name, _ privileges: [String], _ object: Name, _ wanted: [Privileges] = []
    ) -> Explanation {
        Explanation(
            subject: subject, privileges: privileges, object: object, revision: revision, instant: instant,
            verdict: Verdict(effective: [], reason: reason), wanted: wanted)
    }
}

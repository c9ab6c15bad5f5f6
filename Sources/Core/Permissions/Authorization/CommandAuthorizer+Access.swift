internal import Events

extension CommandAuthorizer {
    func grant(
        _ subjectName: Name, on name: Name, _ names: [String], until: Instant?, strict: Bool, expectedRevision: Revision?
    ) throws -> [Event] {
        try checkForm(subjectName, name)
        let object = try object(name)
        let end = until ?? .forever
        guard end > instant else {
            throw Refusal(.malformed, "access until `\(end)` would have ended already: it is \(instant) now")
        }
        guard end == .forever || end.hasText else {
            throw Refusal(.malformed, "access until `\(end)` ends after the year 9999: leave out the end for permanent access")
        }
        let privileges = try privileges(names, on: object, name)
        try need(.setPermissions, on: object, name)
        let subject = try subject(subjectName)
        try needAtLeast(privileges, on: object, name)
        try checkAccessUnchanged(object, name, since: expectedRevision)
        let present = try state.entry(of: subject, on: object)
        var entry = present ?? AccessEntry(subject: subject)
        entry.grant(privileges, until: end)
        guard entry != present, !entry.isEmpty else {
            if strict {
                throw Refusal(.alreadyExists, "`\(subjectName.excerpt)` has all of that on `\(name.excerpt)` already")
            }
            return []
        }
        return [.accessGranted(AccessGranted(object: object, subject: subject, privileges: privileges, until: end))]
    }

    func setAccess(
        _ subjectName: Name, on name: Name, _ names: [String], expectedRevision: Revision?
    ) throws -> [Event] {
        try checkForm(subjectName, name)
        let object = try object(name)
        let privileges = try privileges(names, on: object, name)
        try need(.setPermissions, on: object, name)
        let subject = try subject(subjectName)
        let present = try state.entry(of: subject, on: object) ?? AccessEntry(subject: subject)
        // Making a temporary privilege permanent requires the same authority as granting a new one.
        try needAtLeast(privileges.subtracting(present.withoutExpiry), on: object, name)
        try checkAccessUnchanged(object, name, since: expectedRevision)
        try checkPermanent(present, losing: present.permanent.subtracting(privileges), subjectName, name)
        var events: [Event] = []
        var entry = present
        // A wildcard includes later privileges, so it is revoked as a whole before the list replaces it.
        let lost = present.isWildcard ? .all : present.privileges.subtracting(privileges)
        if !lost.isEmpty {
            entry.revoke(lost, known: [])
            events.append(.accessRevoked(AccessLoss(object: object, subject: subject, privileges: lost)))
        }
        // A privilege with an end becomes permanent.
        let gained = privileges.subtracting(entry.withoutExpiry)
        if !gained.isEmpty {
            events.append(.accessGranted(AccessGranted(object: object, subject: subject, privileges: gained)))
        }
        return events
    }

    func revoke(
        _ subjectName: Name, on name: Name, _ names: [String]?, strict: Bool, expectedRevision: Revision?
    ) throws -> [Event] {
        try checkForm(subjectName, name)
        let object = try object(name)
        // An exported history also revokes privileges that the class has dropped since they were granted.
        let asked = try names.map { try authority == .importer ? privileges($0) : privileges($0, on: object, name) }
        try need(.setPermissions, on: object, name)
        let subject = try subject(subjectName)
        try checkAccessUnchanged(object, name, since: expectedRevision)
        let present = try state.entry(of: subject, on: object) ?? AccessEntry(subject: subject)
        let lost = asked.map { present.privileges.intersection($0) } ?? present.privileges
        guard !lost.isEmpty else {
            if strict { throw Refusal(.notThere, "`\(subjectName.excerpt)` has nothing of that on `\(name.excerpt)`") }
            return []
        }
        try checkPermanent(present, losing: lost, subjectName, name)
        return [.accessRevoked(AccessLoss(object: object, subject: subject, privileges: asked == nil ? .all : lost))]
    }

    /// Throws if another transaction has changed an object's access list since the revision that the caller expected.
    private func checkAccessUnchanged(_ object: ObjectID, _ name: Name, since expectedRevision: Revision?) throws {
        // An object that this transaction created has no access list of others.
        guard let expectedRevision, let last = accessChanges[object] else { return }
        guard expectedRevision <= state.headRevision else {
            throw Refusal(
                .conflict, "the store has no revision \(expectedRevision) yet: read the entries of `\(name.excerpt)` again")
        }
        guard last <= expectedRevision else {
            throw Refusal(
                .conflict,
                "the access list of `\(name.excerpt)` was changed by revision \(last), after \(expectedRevision): read it again")
        }
    }

    private func checkPermanent(_ entry: AccessEntry, losing lost: Privileges, _ subject: Name, _ object: Name) throws {
        let kept = entry.permanent.intersection(lost)
        guard kept.isEmpty else {
            let names = state.privilegeNames.names(of: kept).joined(separator: ", ")
            throw Refusal(
                .permanentEntry,
                "`\(subject.excerpt)` has `\(names)` on `\(object.excerpt)` permanently, as its creator: change the owner first")
        }
    }
}

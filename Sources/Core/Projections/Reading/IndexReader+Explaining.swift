public import Events
internal import LMDB
public import Permissions

/// Reading for explanations.
extension IndexReader: ExplainableState {
    public func grants(
        _ level: DecidingLevel, on object: ObjectID, to subjects: SubjectSet?, at instant: Instant, wanted: Privileges
    ) throws -> [Grant] {
        if let subjects, let span = try upperSpan(level, object), let entries = span.entries {
            let ownCount = entries.count - span.attached.count
            var grants: [Grant] = []
            for (index, entry) in entries.enumerated() where subjects.contains(entry.subject) {
                let permission = index < ownCount ? nil : span.attached[index - ownCount]
                grants.add(entry, on: object, at: instant, wanted: wanted, permission: permission)
            }
            return grants
        }
        let current = try stand(on: object)
        guard let head = current.head, let row = current.row else { return [] }
        var grants: [Grant] = []
        if head.isSpread {
            for entry in try spreadEntries(on: object, for: subjects) {
                grants.add(entry, on: object, at: instant, wanted: wanted)
            }
        } else {
            try row.withBytes { _, bytes in
                var reader = ByteReader(offset: head.entriesOffset)
                for _ in 0..<(try reader.varint(bytes)) {
                    // Most entries are for other subjects, and need not be decoded in full.
                    var ahead = reader
                    let given = try AccessEntry.live(bytes, &ahead, for: subjects, at: instant)
                    if given.isDisjoint(with: wanted) {
                        reader = ahead
                    } else {
                        grants.add(try AccessEntry.decode(bytes, &reader), on: object, at: instant, wanted: wanted)
                    }
                }
            }
        }
        guard head.attachedCount > 0 else { return grants }
        for permission in try objectDocument(object)?.attached ?? [] {
            guard let grant = try permissionGrant(permission).value, subjects?.contains(grant.subject) ?? true else { continue }
            let entry = AccessEntry(subject: grant.subject, withoutExpiry: grant.privileges)
            grants.add(entry, on: object, at: instant, wanted: wanted, permission: permission)
        }
        return grants
    }

    public func ancestry(of caller: PrincipalID) throws -> MembershipChains {
        let span = try subjectSpan(of: caller)
        if let known = span.ancestry { return known }
        var members: [PrincipalID: [PrincipalID]] = [:]
        for member in span.subjects.members {
            let document = try document(DocumentID(kind: .memberships, id: member.rawValue), as: MembershipDocument.self)
            for role in document.value?.roles ?? [] where span.subjects.contains(role) { members[role, default: []].append(member) }
        }
        let ancestry = MembershipChains(of: caller, members: members)
        span.ancestry = ancestry
        return ancestry
    }
}

public import Events
public import Permissions

/// What explanations read.
extension IndexReader: ExplainableState {
    public func grants(
        on object: ObjectID, to subjects: SubjectSet?, at instant: Instant, wanted: Privileges
    ) throws -> [Grant] {
        guard let document = try objectDocument(object) else { return [] }
        var grants: [Grant] = []
        if let subjects, document.isSpread {
            let prefix = RelationPrefix(kind: .entry, first: object.rawValue)
            for subject in subjects.members {
                guard let entry = try relation(prefix, subject.rawValue)?.entry else { continue }
                grants.add(entry, on: object, at: instant, wanted: wanted)
            }
        } else {
            for entry in try allEntries(of: document, object) where subjects?.contains(entry.subject) ?? true {
                grants.add(entry, on: object, at: instant, wanted: wanted)
            }
        }
        for permission in document.attached {
            guard let grant = try permissionGrant(permission).value, subjects?.contains(grant.subject) ?? true else { continue }
            let given = grant.privileges.intersection(wanted)
            if !given.isEmpty {
                grants.append(Grant(object: object, subject: grant.subject, privileges: given, permission: permission))
            }
        }
        return grants
    }

    public func ancestry(of caller: PrincipalID) throws -> Ancestry {
        let subjects = try subjects(of: caller)
        var members: [PrincipalID: [PrincipalID]] = [:]
        for member in subjects.members {
            let document = try document(DocumentID(kind: .memberships, id: member.rawValue), as: MembershipDocument.self)
            for role in document.value?.roles ?? [] where subjects.contains(role) { members[role, default: []].append(member) }
        }
        return Ancestry(of: caller, members: members)
    }
}

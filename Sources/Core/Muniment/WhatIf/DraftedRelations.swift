internal import Events
internal import Permissions
internal import Projections

/// The relations before and after a draft: those in the index, and those that the draft has changed in memory.
///
/// An object below another, and a permission for a role, also count if only the draft puts them there: a later transaction of the
/// draft can delete the parent or the role, and with it an object or a permission that exists before the draft.
struct DraftedRelations {
    private let draft: Draft
    private let reader: IndexReader
    private var instancesAdded: [ClassID: Set<ObjectID>] = [:]
    private var childrenMoved: [ObjectID: Set<ObjectID>] = [:]
    private var permissionsChanged: [PrincipalID: Set<PermissionID>] = [:]

    init(of draft: Draft, over reader: IndexReader) {
        (self.draft, self.reader) = (draft, reader)
        for effect in draft.effects {
            switch effect {
            case .created(let object, let classID, _, _): instancesAdded[classID, default: []].insert(object)
            // The class in their place distinguishes users and things.
            case .registered(let principal): instancesAdded[.user, default: []].insert(ObjectID(principal))
            case .moved(let object, let parent?): childrenMoved[parent, default: []].insert(object)
            case .permission(let permission, let subject): permissionsChanged[subject, default: []].insert(permission)
            default: break
            }
        }
    }

    private func related<ID: EntityID>(_ relation: RelationPrefix) throws -> Set<ID> {
        Set((try reader.related(relation) + draft.workingSet.relatedInMemory(relation)).map(ID.init(rawValue:)))
    }

    // MARK: Downwards

    func members(of role: PrincipalID) throws -> Set<PrincipalID> { try related(.members(of: role)) }

    /// Returns the users and things that count as one of some subjects, directly or through roles; and `everyone` and `anonymous`
    /// if they do.
    func callers(among subjects: Set<PrincipalID>) throws -> Set<PrincipalID> {
        try Set(callersAmong: subjects) { try classID(of: ObjectID($0)) == .role ? members(of: $0) : nil }
    }

    func children(of object: ObjectID) throws -> Set<ObjectID> {
        try related(.children(of: object)).union(childrenMoved[object] ?? [])
    }

    func instances(of classID: ClassID) throws -> Set<ObjectID> {
        (instancesAdded[classID] ?? []).union(try reader.objects(of: classID))
    }

    /// Returns the objects with entries or permissions for a subject.
    func objects(naming subject: PrincipalID) throws -> Set<ObjectID> {
        try permissions(for: subject).reduce(into: related(.entries(for: subject))) { $0.formUnion(try objects(attachedTo: $1)) }
    }

    func permissions(for subject: PrincipalID) throws -> Set<PermissionID> {
        try related(.permissions(for: subject)).union(permissionsChanged[subject] ?? [])
    }

    func objects(attachedTo permission: PermissionID) throws -> Set<ObjectID> { try related(.attachments(of: permission)) }

    // MARK: Upwards

    func parents(of object: ObjectID) throws -> Set<ObjectID> {
        Set([try reader.place(of: object)?.parent, try draft.workingSet.place(of: object)?.parent].compactMap { $0 })
    }

    /// Returns the subjects of entries on an object and of permissions attached to it.
    func subjects(namedOn object: ObjectID) throws -> Set<PrincipalID> {
        try reader.namedSubjects(on: object).union(draft.workingSet.namedSubjectsInMemory(on: object))
    }

    func subjects(of permission: PermissionID) throws -> Set<PrincipalID> {
        Set([try reader.subject(of: permission), try draft.workingSet.permission(permission)?.subject].compactMap { $0 })
    }

    /// Returns a role and all roles above it, before and after.
    func subjects(above role: PrincipalID) throws -> Set<PrincipalID> {
        Set(try reader.subjects(of: role).members).union(try draft.workingSet.subjects(of: role).members)
            .subtracting([.everyone, .anonymous])
    }

    func sources(linkingTo object: ObjectID) throws -> Set<ObjectID> {
        let before = try reader.links(to: object, limit: .max)
        let after = try draft.workingSet.links(to: object, limit: .max)
        return Set((before + after).flatMap(\.sources))
    }

    var administrators: Set<PrincipalID> {
        get throws {
            let changed = draft.effects.compactMap { if case .administrator(let principal) = $0 { principal } else { nil } }
            return Set(try reader.administratorsNow()).union(changed)
        }
    }

    // MARK: Places

    /// Returns the class of an object. An object's name determines its class, so it is the same before and after.
    func classID(of object: ObjectID) throws -> ClassID? {
        try draft.workingSet.place(of: object)?.classID ?? reader.place(of: object)?.classID
    }

    func options(of classID: ClassID) throws -> [ClassOptions] {
        [try reader.options(of: classID), try draft.workingSet.options(of: classID)].compactMap { $0 }
    }
}

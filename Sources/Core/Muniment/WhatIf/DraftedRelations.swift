internal import Events
internal import Permissions
internal import Projections

/// The relations before or after a draft: those in the index, and those that the draft's events mention.
///
/// Relations that the draft removes stay included, since the relations are only used to find what to compare.
struct DraftedRelations {
    private let draft: Draft
    private let reader: IndexReader
    private var membersAdded: [PrincipalID: Set<PrincipalID>] = [:]
    private var childrenAdded: [ObjectID: Set<ObjectID>] = [:]
    private var parentsAdded: [ObjectID: Set<ObjectID>] = [:]
    private var instancesAdded: [ClassID: Set<ObjectID>] = [:]
    private var objectsNaming: [PrincipalID: Set<ObjectID>] = [:]
    private var subjectsOn: [ObjectID: Set<PrincipalID>] = [:]
    private var attachedAdded: [PermissionID: Set<ObjectID>] = [:]
    private var permissionsOn: [ObjectID: Set<PermissionID>] = [:]
    private var permissionSubjects: [PermissionID: Set<PrincipalID>] = [:]

    init(of draft: Draft, over reader: IndexReader) {
        (self.draft, self.reader) = (draft, reader)
        for effect in draft.effects { add(effect) }
    }

    private mutating func add(_ effect: EventEffect) {
        switch effect {
        case .created(let object, let classID, let parent, let subject):
            instancesAdded[classID, default: []].insert(object)
            if let parent { add(object, below: parent) }
            if classID == .permission, let subject { permissionSubjects[PermissionID(object), default: []].insert(subject) }
        // The class in their place distinguishes users and things.
        case .registered(let principal): instancesAdded[.user, default: []].insert(ObjectID(principal))
        case .moved(let object, let parent): if let parent { add(object, below: parent) }
        case .entry(let subject, let object):
            objectsNaming[subject, default: []].insert(object)
            subjectsOn[object, default: []].insert(subject)
        case .membership(let member, let role): membersAdded[role, default: []].insert(member)
        case .permission(let permission, let subject): permissionSubjects[permission, default: []].insert(subject)
        case .attachment(let permission, let object):
            attachedAdded[permission, default: []].insert(object)
            permissionsOn[object, default: []].insert(permission)
        case .written, .deleted, .owner, .options, .roleDeleted, .administrator, .clock: break
        }
    }

    private mutating func add(_ object: ObjectID, below parent: ObjectID) {
        childrenAdded[parent, default: []].insert(object)
        parentsAdded[object, default: []].insert(parent)
    }

    // MARK: Downwards

    func members(of role: PrincipalID) throws -> Set<PrincipalID> {
        (membersAdded[role] ?? []).union(try reader.members(of: role))
    }

    /// Returns the users and things that count as one of some subjects, directly or through roles; and `everyone` and `anonymous`
    /// if they do.
    func callers(among subjects: Set<PrincipalID>) throws -> Set<PrincipalID> {
        try Set(callersAmong: subjects) { try classID(of: ObjectID($0)) == .role ? members(of: $0) : nil }
    }

    func children(of object: ObjectID) throws -> Set<ObjectID> {
        (childrenAdded[object] ?? []).union(try reader.children(of: object))
    }

    func instances(of classID: ClassID) throws -> Set<ObjectID> {
        (instancesAdded[classID] ?? []).union(try reader.objects(of: classID))
    }

    /// Returns the objects with entries or permissions for a subject.
    func objects(naming subject: PrincipalID) throws -> Set<ObjectID> {
        var found = (objectsNaming[subject] ?? []).union(try reader.objectsNaming(subject))
        for (permission, subjects) in permissionSubjects where subjects.contains(subject) {
            found.formUnion(try objects(attachedTo: permission))
        }
        for permission in try reader.permissions(for: subject) { found.formUnion(attachedAdded[permission] ?? []) }
        return found
    }

    func objects(attachedTo permission: PermissionID) throws -> Set<ObjectID> {
        (attachedAdded[permission] ?? []).union(try reader.objects(attachedTo: permission))
    }

    // MARK: Upwards

    func parents(of object: ObjectID) throws -> Set<ObjectID> {
        var parents = parentsAdded[object] ?? []
        if let parent = try reader.place(of: object)?.parent { parents.insert(parent) }
        return parents
    }

    /// Returns the subjects of entries on an object and of permissions attached to it.
    func subjects(namedOn object: ObjectID) throws -> Set<PrincipalID> {
        var found = (subjectsOn[object] ?? []).union(try reader.namedSubjects(on: object))
        for permission in permissionsOn[object] ?? [] { found.formUnion(try subjects(of: permission)) }
        for permission in try reader.permissions(attachedTo: object) { found.formUnion(permissionSubjects[permission] ?? []) }
        return found
    }

    func subjects(of permission: PermissionID) throws -> Set<PrincipalID> {
        var subjects = permissionSubjects[permission] ?? []
        if let subject = try reader.permission(permission)?.subject { subjects.insert(subject) }
        return subjects
    }

    /// Returns a role and all roles above it, before and after.
    func subjects(above role: PrincipalID) throws -> Set<PrincipalID> {
        Set(try reader.subjects(of: role).members).union(try draft.workingSet.subjects(of: role).members)
            .subtracting([.everyone, .anonymous])
    }

    /// Returns the objects with values that link to an object.
    func sources(linkingTo object: ObjectID) throws -> Set<ObjectID> {
        let before = try reader.links(to: object, limit: .max)
        let after = try draft.workingSet.links(to: object, limit: .max)
        return Set((before + after).flatMap(\.sources))
    }

    /// The administrators of the store, before or after.
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

    /// Returns the options of a class, before and after.
    func options(of classID: ClassID) throws -> [ClassOptions] {
        [try reader.options(of: classID), try draft.workingSet.options(of: classID)].compactMap { $0 }
    }
}

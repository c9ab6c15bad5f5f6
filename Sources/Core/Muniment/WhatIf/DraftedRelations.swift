internal import Events
internal import Permissions
internal import Projections

/// The relations before or after a draft: those in the index, and those that the draft's events add.
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
        for event in draft.events { add(event) }
    }

    private mutating func add(_ event: Event) {
        switch event {
        case .classDefined(let event): instancesAdded[.class, default: []].insert(ObjectID(event.classID.id))
        case .principalRegistered(let event):
            // The class in their place distinguishes users and things.
            instancesAdded[.user, default: []].insert(ObjectID(event.principal.id))
        case .roleCreated(let event): instancesAdded[.role, default: []].insert(ObjectID(event.role.id))
        case .memberAdded(let event): membersAdded[event.role, default: []].insert(event.member)
        case .objectCreated(let event):
            instancesAdded[event.classID, default: []].insert(event.object.id)
            if let parent = event.parent { add(event.object.id, below: parent) }
        case .objectMoved(let event): if let parent = event.parent { add(event.object, below: parent) }
        case .accessGranted(let event):
            objectsNaming[event.subject, default: []].insert(event.object)
            subjectsOn[event.object, default: []].insert(event.subject)
        case .permissionDefined(let event):
            instancesAdded[.permission, default: []].insert(ObjectID(event.permission.id))
            permissionSubjects[event.permission.id, default: []].insert(event.subject)
        case .permissionChanged(let event): permissionSubjects[event.permission, default: []].insert(event.subject)
        case .permissionAttached(let event):
            attachedAdded[event.permission, default: []].insert(event.object)
            permissionsOn[event.object, default: []].insert(event.permission)
        case .storeCreated, .classChanged, .roleDeleted, .memberRemoved, .objectWritten, .objectDeleted, .ownerChanged,
            .accessRevoked, .accessExpired, .permissionDetached, .administratorAppointed, .administratorDismissed, .clockCorrected:
            break
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
            let appointed = draft.events.compactMap { event in
                if case .administratorAppointed(let event) = event { event.principal } else { nil }
            }
            return Set(try reader.administratorsNow()).union(appointed)
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

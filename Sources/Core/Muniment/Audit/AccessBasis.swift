internal import Events
internal import Permissions
internal import Projections

/// The facts that a subject's access to an object rests on, at the revision of a reader.
struct AccessBasis {
    private let object: ObjectID
    private var administrator: PrincipalID?
    /// The object, the objects that it inherits from, those that link to it, and their classes.
    private var objects: Set<ObjectID> = []
    /// The objects whose values link to it.
    private var linking: Set<ObjectID> = []
    /// The objects above the object. Deleting one of them deletes the object.
    private var ancestors: Set<ObjectID> = []
    private var grants: [Grant] = []
    /// The members that pass a grant on to the subject, by role.
    private var members: [PrincipalID: Set<PrincipalID>] = [:]

    init(of subjects: SubjectSet, with wanted: Privileges, on object: ObjectID, _ reader: IndexReader) throws {
        self.object = object
        var above = try reader.place(of: object)?.parent
        while let parent = above, ancestors.insert(parent).inserted { above = try reader.place(of: parent)?.parent }
        if subjects.isAdministrator {
            administrator = subjects.caller
            objects = [object]
            return
        }
        // Each end before the commit time of a revision is recorded in an earlier revision, so no clock is needed.
        guard let reasons = try AccessRules(reader, at: .distantPast).reasons(for: subjects, on: object, wanted: wanted) else {
            return
        }
        linking = Set(reasons.links.joined().map(\.object))
        for reason in [reasons.object] + reasons.links.joined() {
            objects.insert(reason.object)
            objects.insert(ObjectID(reason.classID))
            for (source, given) in reason.sources {
                objects.formUnion([source.object, ObjectID(source.classID)])
                grants += given
            }
        }
        members = reasons.ancestry.members(passingOn: Set(grants.map(\.subject)))
    }

    /// Returns whether an event makes or ends a fact of the basis.
    func rests(on event: Event) -> Bool {
        switch event {
        case .accessGranted(let event): isGiven(event.privileges, to: event.subject, on: event.object)
        case .accessRevoked(let event), .accessExpired(let event): isGiven(event.privileges, to: event.subject, on: event.object)
        default: rests(on: event.effect)
        }
    }

    private func rests(on effect: EventEffect) -> Bool {
        switch effect {
        case .permission(let permission, _): grants.contains { $0.permission == permission }
        case .created(let permission, in: .permission, _, _) where permission != object:
            grants.contains { $0.permission.map { ObjectID($0) } == permission }
        case .attachment(let permission, let object): grants.contains { $0.permission == permission && $0.object == object }
        case .membership(let member, let role): members[role]?.contains(member) ?? false
        case .roleDeleted(let role):
            members[role] != nil || objects.contains(ObjectID(role)) || grants.contains { $0.subject == role }
        case .administrator(let principal): principal == administrator
        case .created(let object, _, _, _), .moved(let object, _): objects.contains(object)
        case .written(let object): linking.contains(object)
        case .options(let classID): objects.contains(ObjectID(classID))
        case .deleted(let object): objects.contains(object) || ancestors.contains(object)
        case .registered, .owner, .entry, .clock: false
        }
    }

    private func isGiven(_ privileges: Privileges, to subject: PrincipalID, on object: ObjectID) -> Bool {
        grants.contains {
            $0.permission == nil && $0.subject == subject && $0.object == object && !$0.privileges.isDisjoint(with: privileges)
        }
    }
}

import Events

/// The position of an event in the log.
struct EventPlace: Hashable, Comparable {
    let revision: Revision
    let index: Int

    static func < (left: EventPlace, right: EventPlace) -> Bool {
        (left.revision, left.index) < (right.revision, right.index)
    }
}

/// The effect of an event on one entity. An event such as the deletion of a folder has several effects.
enum Effect {
    case objectMade(ObjectID, ClassID)
    case objectEnded(ObjectID)
    case placed(ObjectID, below: ObjectID?)
    case optionsSet(ClassID, ClassOptions)
    case joined(PrincipalID, PrincipalID)
    case left(PrincipalID, PrincipalID)
    case granted(PrincipalID, ObjectID, Privileges, until: Instant)
    /// `known` are the class's privileges at that time. A revoked wildcard becomes the rest of them.
    case revoked(PrincipalID, ObjectID, Privileges, known: Privileges)
    case expired(PrincipalID, ObjectID, Privileges)
    case subjectEnded(PrincipalID)
    case permissionSet(PermissionID, PrincipalID, Privileges)
    case attached(PermissionID, ObjectID)
    case detached(PermissionID, ObjectID)
    case linked(ObjectID, [ObjectID])
    case appointed(PrincipalID)
    case dismissed(PrincipalID)
}

/// The effects of all events of a log, in order.
struct LogEffects {
    private(set) var effects: [(place: EventPlace, effect: Effect)] = []
    private var place = EventPlace(revision: .genesis, index: 0)
    private var parents: [ObjectID: ObjectID] = [:]
    private var classes: [ClassID: ClassOptions] = [:]
    private var classOf: [ObjectID: ClassID] = [:]
    private var permissions: [PermissionID: PrincipalID] = [:]
    private var names: [UInt64: String] = [:]

    init(_ commits: [Commit]) {
        for commit in commits {
            for (index, event) in commit.events.enumerated() {
                place = EventPlace(revision: commit.revision, index: index)
                add(event)
            }
        }
    }

    private mutating func add(_ effect: Effect) {
        effects.append((place, effect))
        switch effect {
        case .objectMade(let object, let classID): classOf[object] = classID
        case .objectEnded(let object):
            parents[object] = nil
            classOf[object] = nil
        case .placed(let object, let parent): parents[object] = parent
        case .optionsSet(let classID, let options): classes[classID] = options
        case .permissionSet(let permission, let subject, _): permissions[permission] = subject
        default: break
        }
    }

    private mutating func add(_ event: Event) {
        switch event {
        case .storeCreated:
            for (_, classID) in ClassID.builtIn {
                add(.objectMade(ObjectID(classID), .class))
                add(.optionsSet(classID, ClassOptions(objectACL: classID == .class || classID == .store ? .required : .none)))
            }
            add(.objectMade(.store, .store))
        case .classDefined(let event):
            add(.objectMade(ObjectID(event.classID.id), .class))
            add(.optionsSet(event.classID.id, event.options))
        case .classChanged(let event): add(.optionsSet(event.classID, event.options))
        case .principalRegistered(let principal):
            let id = principal.id
            names[id.rawValue] = principal.name ?? names[id.rawValue]
            add(.objectMade(ObjectID(id), names[id.rawValue]?.hasPrefix("thing:") == true ? .thing : .user))
        case .roleCreated(let role): add(.objectMade(ObjectID(role.id), .role))
        case .roleDeleted(let role): endRole(role)
        case .memberAdded(let event): add(.joined(event.member, event.role))
        case .memberRemoved(let event): add(.left(event.member, event.role))
        case .objectCreated(let event):
            for link in event.links { names[link.id.rawValue] = link.name ?? names[link.id.rawValue] }
            add(.objectMade(event.object.id, event.classID))
            add(.placed(event.object.id, below: event.parent))
            add(.linked(event.object.id, event.links.map(\.id)))
        case .objectWritten(let event):
            for link in event.links { names[link.id.rawValue] = link.name ?? names[link.id.rawValue] }
            add(.linked(event.object, event.links.map(\.id)))
        case .objectMoved(let event): add(.placed(event.object, below: event.parent))
        case .objectDeleted(let object): endTree(object)
        case .ownerChanged: break
        case .accessGranted(let event): add(.granted(event.subject, event.object, event.privileges, until: event.until))
        case .accessRevoked(let event): add(.revoked(event.subject, event.object, event.privileges, known: known(on: event.object)))
        case .accessExpired(let event): add(.expired(event.subject, event.object, event.privileges))
        case .permissionDefined(let event):
            add(.objectMade(ObjectID(event.permission.id), .permission))
            add(.permissionSet(event.permission.id, event.subject, event.privileges))
        case .permissionChanged(let event): add(.permissionSet(event.permission, event.subject, event.privileges))
        case .permissionAttached(let event): add(.attached(event.permission, event.object))
        case .permissionDetached(let event): add(.detached(event.permission, event.object))
        case .administratorAppointed(let principal): add(.appointed(principal))
        case .administratorDismissed(let principal): add(.dismissed(principal))
        case .clockCorrected: break
        }
    }

    private func known(on object: ObjectID) -> Privileges {
        let classID = classOf[object] ?? .store
        return classes[classID == .class ? ClassID(object) : classID]?.known ?? .builtIn
    }

    private func children(of object: ObjectID) -> [ObjectID] { parents.filter { $0.value == object }.map(\.key).sorted() }

    private mutating func endTree(_ object: ObjectID) {
        for child in children(of: object) { endTree(child) }
        add(.objectEnded(object))
    }

    /// The children of a role or a permission stay, without a parent.
    private mutating func endAlone(_ object: ObjectID) {
        for child in children(of: object) { add(.placed(child, below: nil)) }
        add(.objectEnded(object))
    }

    private mutating func endRole(_ role: PrincipalID) {
        add(.subjectEnded(role))
        for permission in permissions.filter({ $0.value == role }).map(\.key).sorted() {
            permissions[permission] = nil
            endAlone(ObjectID(permission))
        }
        endAlone(ObjectID(role))
    }
}

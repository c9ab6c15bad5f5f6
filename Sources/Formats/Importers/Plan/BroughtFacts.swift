internal import Events
internal import Muniment
internal import Permissions

/// The facts of earlier imports of a source that no other caller has changed since. A later import may remove only these.
///
/// It is computed from the log: a commit of an import has the source in its request id, and a line number, which no request can set.
struct BroughtFacts {
    struct Entry: Hashable {
        let subject: Name
        let object: Name
    }

    /// A grant or a membership that ended in the history that an import brought.
    struct Ended: Hashable {
        let first: Name
        let second: Name
        let privilege: String?
        let time: Instant
    }

    private(set) var privileges: [Entry: Set<String>] = [:]
    private(set) var memberships: Set<SourceFacts.Membership> = []
    private(set) var objects: Set<Name> = []
    private(set) var roles: Set<Name> = []
    private(set) var classes: Set<Name> = []
    private(set) var ended: Set<Ended> = []
    /// What this source gave and another caller took or gave again.
    private(set) var lost: [Entry: Set<String>] = [:]
    /// Whether every commit is an import of this source.
    private(set) var isAlone = true

    /// The request id of the commits of a source.
    static func requestID(of source: String) -> String { "import:" + source }

    /// A store without any imports.
    init() {}

    /// Linear in the log.
    init(of source: String, in store: Store) throws {
        var log = BroughtIDs()
        let head = try store.head.revision
        try store.log(from: Revision(1), to: head) { described in
            let origin = described.commit.origin
            let isImport = origin.importLine != nil && origin.requestID == BroughtFacts.requestID(of: source)
            if !isImport { isAlone = false }
            for event in described.commit.events { log.apply(event, isImport: isImport, at: described.commit.time) }
            if described.commit.revision == head { try resolve(log, described) }
        }
    }

    private mutating func resolve(_ log: BroughtIDs, _ described: DescribedCommit) throws {
        func name(_ id: some EntityID) throws -> Name { Name(try described.name(id)) }
        for (entry, held) in log.privileges where !held.isEmpty {
            privileges[Entry(subject: try name(entry.subject), object: try name(entry.object))] = Set(described.names(of: held))
        }
        for (entry, taken) in log.lost {
            lost[Entry(subject: try name(entry.subject), object: try name(entry.object))] = Set(described.names(of: taken))
        }
        for membership in log.memberships {
            memberships.insert(SourceFacts.Membership(role: try name(membership.role), member: try name(membership.member)))
        }
        objects = Set(try log.objects.map(name))
        roles = Set(try log.roles.map(name))
        classes = Set(try log.classes.map(name))
        for (entry, held, until) in log.endingGrants {
            for privilege in described.names(of: held) {
                ended.insert(
                    Ended(first: try name(entry.subject), second: try name(entry.object), privilege: privilege, time: until))
            }
        }
        for (membership, time) in log.endedMemberships {
            ended.insert(
                Ended(first: try name(membership.member), second: try name(membership.role), privilege: nil, time: time))
        }
    }
}

/// The fold of the log that ``BroughtFacts`` is made of, with numbers instead of names.
private struct BroughtIDs {
    struct Entry: Hashable {
        let subject: PrincipalID
        let object: ObjectID
    }

    var privileges: [Entry: Privileges] = [:]
    var lost: [Entry: Privileges] = [:]
    var memberships: Set<RoleMember> = []
    var objects: Set<ObjectID> = []
    var roles: Set<PrincipalID> = []
    var classes: Set<ClassID> = []
    var endingGrants: [(Entry, Privileges, Instant)] = []
    var endedMemberships: [(RoleMember, Instant)] = []

    mutating func apply(_ event: Event, isImport: Bool, at time: Instant) {
        switch event {
        case .accessGranted(let event):
            let entry = Entry(subject: event.subject, object: event.object)
            let isBrought = isImport && event.cause == .granted
            if isBrought { privileges[entry, default: []].formUnion(event.privileges) } else { lose(event.privileges, entry) }
            if isBrought, event.until != .forever { endingGrants.append((entry, event.privileges, event.until)) }
        case .accessRevoked(let event), .accessExpired(let event):
            lose(event.privileges, Entry(subject: event.subject, object: event.object))
        case .memberAdded(let membership):
            if isImport { memberships.insert(membership) } else { memberships.remove(membership) }
        case .memberRemoved(let membership):
            memberships.remove(membership)
            if isImport { endedMemberships.append((membership, time)) }
        case .roleCreated(let role): if isImport { roles.insert(role.id) } else { roles.remove(role.id) }
        case .roleDeleted(let role): roles.remove(role)
        case .objectCreated(let event): if isImport { objects.insert(event.object.id) } else { objects.remove(event.object.id) }
        case .objectDeleted(let object): objects.remove(object)
        // Another caller has changed it: an import does not remove it.
        case .objectWritten(let event): objects.remove(event.object)
        case .ownerChanged(let event): objects.remove(event.object)
        case .objectMoved(let event): if !isImport { objects.remove(event.object) }
        case .permissionDefined(let event): roles.remove(event.subject)
        case .permissionChanged(let event): roles.remove(event.subject)
        case .classDefined(let event): if isImport { classes.insert(event.classID.id) }
        case .classChanged(let event): if !isImport { classes.remove(event.classID) }
        default: break
        }
    }

    private mutating func lose(_ lost: Privileges, _ entry: Entry) {
        guard let held = privileges[entry] else { return }
        privileges[entry] = held.subtracting(lost)
        self.lost[entry, default: []].formUnion(held.intersection(lost))
    }
}

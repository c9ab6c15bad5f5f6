import Events
import Permissions

/// A state of access that is small enough to write by hand. It has only the data that the rules read.
struct TinyState: AccessState {
    var classes: [ClassID: ClassOptions] = [
        .class: ClassOptions(), .store: ClassOptions(), .user: ClassOptions(objectACL: .none), .doc: ClassOptions(),
    ]
    var places: [ObjectID: ClassAndParent] = [
        .store: ClassAndParent(classID: .store, parent: nil), .one: ClassAndParent(classID: .doc, parent: nil),
    ]
    var entries: [ObjectID: [AccessEntry]] = [:]
    /// The objects that link to an object, by who wrote the links.
    var links: [ObjectID: [PrincipalID: [ObjectID]]] = [:]

    /// Gives everyone all access to the store and the classes, so that a test can check only the object part.
    static var open: TinyState {
        var state = TinyState()
        for object in [.store, ObjectID(ClassID.doc), ObjectID(ClassID.folder)] { state.grant(.all, on: object, to: .everyone) }
        return state
    }

    mutating func grant(_ privileges: Privileges, on object: ObjectID, to subject: PrincipalID, until: Instant = .forever) {
        var entry = AccessEntry(subject: subject)
        entry.grant(privileges, until: until)
        entries[object, default: []].append(entry)
    }

    func subjects(of caller: PrincipalID) -> SubjectSet {
        SubjectSet(caller: caller, isAdministrator: caller == .root, members: [caller, .everyone, .anonymous])
    }

    func place(of object: ObjectID) -> ClassAndParent? { places[object] }

    func level(
        _ level: DecidingLevel, on object: ObjectID, for subjects: SubjectSet, at instant: Instant, wanted: Privileges
    ) -> Privileges {
        (entries[object] ?? []).live(for: subjects, at: instant)
    }

    func options(of classID: ClassID) -> ClassOptions? { classes[classID] }

    func links(to target: ObjectID, limit: Int) -> [CallerLinks] {
        (links[target] ?? [:]).sorted { $0.key < $1.key }.prefix(limit).map { CallerLinks(writer: $0.key, sources: $0.value) }
    }

    /// The privileges of a subject on an object, by the rules.
    func effective(_ caller: PrincipalID, _ object: ObjectID, at instant: Instant = Instant(microseconds: 0)) throws -> Privileges {
        try verdict(caller, object, at: instant).effective
    }

    func verdict(_ caller: PrincipalID, _ object: ObjectID, at instant: Instant = Instant(microseconds: 0)) throws -> Verdict {
        try AccessRules(self, at: instant).verdict(for: subjects(of: caller), on: object)
    }
}

extension ClassID {
    static let doc = ClassID(rawValue: 30)
    static let folder = ClassID(rawValue: 31)
}

extension ObjectID {
    static let one = ObjectID(rawValue: 41)
    static let two = ObjectID(rawValue: 42)
    static let three = ObjectID(rawValue: 43)
}

extension PrincipalID {
    static let root = PrincipalID(rawValue: 16)
    static let ann = PrincipalID(rawValue: 17)
    static let ben = PrincipalID(rawValue: 18)
}

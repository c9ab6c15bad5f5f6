internal import EventLog
public import Events
public import Permissions
internal import Projections

/// A store at one moment: everything that can be asked about it. For one thread, inside ``Store/read(at:_:)``.
///
/// Questions about objects, roles and classes that are not there have an answer; a name that is ill-formed is refused.
public final class Snapshot {
    let reader: IndexReader
    /// The revision that answers are about.
    public var revision: Revision { reader.revision }
    /// The instant at which ends are judged.
    public let instant: Instant
    /// What queries have found beyond their pages.
    let memory: QueryMemory
    /// The log that the index was folded from.
    let log: EventLog

    init(reader: IndexReader, instant: Instant, memory: QueryMemory, log: EventLog) {
        self.log = log
        self.reader = reader
        self.instant = instant
        self.memory = memory
    }

    var rules: AccessRules<IndexReader> { AccessRules(reader, at: instant) }

    /// Whether a subject has all of some privileges on an object, and why.
    public func check(_ subject: Name, _ privileges: [String], on object: Name) throws -> CheckAnswer {
        try checkForm(subject, object)
        var wanted: [Privileges] = []
        for name in privileges {
            guard let privilege = reader.privilege(name) else {
                return CheckAnswer(
                    Verdict(effective: [], reason: .unknownPrivilege(name)), wanted: [], subject, privileges, object, at: revision)
            }
            wanted.append(privilege)
        }
        let verdict = try verdict(for: subject, on: object, wanted: Privileges(wanted))
        return CheckAnswer(verdict, wanted: wanted, subject, privileges, object, at: revision)
    }

    /// Whether a subject has all of some privileges on an object, all of them known by number: the fastest way to ask, for callers
    /// that keep the numbers of ``principalID(_:)``, ``objectID(_:)`` and ``privileges(named:)``.
    public func check(_ subject: PrincipalID, _ wanted: Privileges, on object: ObjectID) throws -> Bool {
        try rules.verdict(for: reader.subjects(of: subject), on: object, wanted: wanted).allows(wanted)
    }

    /// As ``check(_:_:on:)-(PrincipalID,_,_)``, at another revision than the snapshot's: for walking through a history.
    ///
    /// Every end that had come by a revision's commit time is in the log before that revision, so no clock is needed.
    ///
    /// - Throws: ``StoreError/noSuchRevision(_:head:)``.
    public func check(
        _ subject: PrincipalID, _ wanted: Privileges, on object: ObjectID, at revision: Revision
    ) throws -> Bool {
        guard revision <= reader.state.revision else {
            throw StoreError.noSuchRevision(revision, head: reader.state.revision)
        }
        let present = reader.revision
        reader.look(at: revision)
        defer { reader.look(at: present) }
        return try AccessRules(reader, at: .distantPast)
            .verdict(for: reader.subjects(of: subject), on: object, wanted: wanted).allows(wanted)
    }

    private func verdict(for subject: Name, on object: Name, wanted: Privileges) throws -> Verdict {
        guard let caller = try reader.caller(subject) else { return Verdict(effective: [], reason: .unknownSubject) }
        guard let number = try reader.number(of: object) else { return Verdict(effective: [], reason: .unknownObject) }
        return try rules.verdict(for: reader.subjects(of: caller), on: ObjectID(rawValue: number), wanted: wanted)
    }

    /// The number of whom a question about a name asks about; nil for a role that is not there.
    public func principalID(_ name: Name) throws -> PrincipalID? { try reader.caller(name) }

    /// The number of an object's name; nil where the store never heard of it.
    public func objectID(_ name: Name) throws -> ObjectID? { try reader.number(of: name).map(ObjectID.init(rawValue:)) }

    /// A set of privileges by name; nil where the store does not know one.
    public func privileges(named names: [String]) -> Privileges? {
        var privileges: Privileges = []
        for name in names {
            guard let privilege = reader.privilege(name) else { return nil }
            privileges.formUnion(privilege)
        }
        return privileges
    }

    /// The effective privileges of a subject on an object, sorted; empty where there is no such object.
    public func privileges(of subject: Name, on object: Name) throws -> [String] {
        try checkForm(subject, object)
        return names(try verdict(for: subject, on: object, wanted: .all).effective)
    }

    /// The users and things that have all of some privileges on an object through entries, roles and levels, sorted; only
    /// `everyone` or `anonymous` where all callers of that kind have them. Administrators, who have everything, are left out.
    public func subjects(with privileges: [String], on object: Name) throws -> [String] {
        try checkForm(object)
        guard let wanted = self.privileges(named: privileges), let found = try reader.object(object) else { return [] }
        switch try reader.holders(of: wanted, on: found, at: instant) {
        case .anonymous: return [Name.anonymous.text]
        case .everyone: return [Name.everyone.text]
        case .some(let callers): return try reader.names(of: callers)
        }
    }

    /// The objects of classes that are not built in on which a subject has all of some privileges, sorted.
    public func objects(for subject: Name, with privileges: [String], class className: String? = nil) throws -> [String] {
        try checkForm(subject)
        guard let wanted = self.privileges(named: privileges), let caller = try reader.caller(subject) else { return [] }
        var classID: ClassID?
        if let className {
            guard let found = try reader.classID(className) else { return [] }
            classID = found
        }
        return try reader.names(
            of: reader.objects(for: reader.subjects(of: caller), with: wanted, class: classID, at: instant))
    }

    /// The access list of an object, sorted by subject, end and permission; empty where there is no such object.
    public func entries(on object: Name) throws -> [EntryDescription] {
        try checkForm(object)
        guard let found = try reader.object(object) else { return [] }
        let rows = try reader.entries(on: found, at: instant).map { row in
            EntryDescription(
                subject: try reader.name(of: row.subject), privileges: names(row.privileges),
                until: row.until == .forever ? nil : row.until, isPermanent: row.isPermanent,
                permission: try row.permission.map { Name(try reader.name(of: $0)).id ?? "" })
        }
        return rows.sorted { $0.order.lexicographicallyPrecedes($1.order, by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) }
    }

    /// The direct members of a role, sorted; empty where there is no such role.
    public func members(of role: Name) throws -> [String] {
        try checkForm(role)
        guard let found = try reader.object(role) else { return [] }
        return try reader.names(of: reader.members(of: PrincipalID(found)))
    }

    /// The value of an object, as a caller that must be allowed to read it.
    ///
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` or `notAuthenticated`.
    public func value(of object: Name, as caller: Name) throws -> JSONValue {
        try reader.value(of: readableObject(object, as: caller)).map(JSONText.decode) ?? .null
    }

    /// The number of an object, as a caller that must be allowed to read it.
    func readableObject(_ object: Name, as caller: Name) throws -> ObjectID {
        try checkForm(caller, object)
        guard object.kind == .object, let found = try reader.object(object) else {
            let when = revision == reader.state.revision ? "" : " at revision \(revision)"
            throw Refusal(.unknownObject, "there is no object `\(object)`\(when)")
        }
        guard try verdict(for: caller, on: object, wanted: .read).allows(.read) else { throw lacking("read", caller, object) }
        return found
    }

    /// The objects of a class that a caller may read and query, sorted.
    ///
    /// - Parameters:
    ///   - className: the class, without `class:`.
    ///   - condition: what their properties must have, whether the class names these or not; nil for all.
    ///   - caller: who asks; must be allowed to query the class.
    /// - Throws: `Refusal`: `unknownClass`, or `noPrivilege` or `notAuthenticated` without query on the class.
    public func list(class className: String, where condition: Condition? = nil, as caller: Name) throws -> [String] {
        guard let (classID, subjects) = try mayQuery(className, as: caller) else { return [] }
        let query = Query(className, where: condition, limit: nil)
        if let problem = query.problem { throw problem }
        return try reader.names(of: reader.find(query, in: classID, for: subjects, at: instant).objects)
    }

    /// The custom privileges that a class knows, sorted; nil where there is no such class.
    public func customPrivileges(ofClass className: String) throws -> [String]? {
        guard let classID = try reader.classID(className) else { return nil }
        return names(try reader.options(of: classID)?.privileges ?? [])
    }

    /// Who owns an object; nil where there is none.
    public func owner(of object: Name) throws -> Name? {
        try checkForm(object)
        return try reader.object(object).flatMap { try reader.owner(of: $0) }.map { Name(try reader.name(of: $0)) }
    }

    /// Whether there is an object of this name: a user that has called, a role, a class, or any other.
    public func exists(_ object: Name) throws -> Bool { try reader.object(object) != nil }

    /// The revision that last changed an object's value, parent or owner; nil where there is no such object.
    public func lastChange(of object: Name) throws -> Revision? {
        try reader.object(object).flatMap { try reader.lastChange(of: $0) }
    }

    /// Who administers the store at this moment, sorted.
    public func administrators() throws -> [String] { try reader.names(of: reader.administratorsNow()) }

    func names(_ privileges: Privileges) -> [String] { reader.state.privilegeNames.names(of: privileges) }

    func lacking(_ privilege: String, _ caller: Name, _ object: Name) -> Refusal {
        caller == .anonymous
            ? Refusal(
                .notAuthenticated, "`\(privilege)` on `\(object)` is needed, and an anonymous caller does not have it: sign in")
            : Refusal(.noPrivilege, "`\(caller)` lacks `\(privilege)` on `\(object)`")
    }

    func checkForm(_ names: Name...) throws {
        for name in names {
            if let problem = name.problem { throw problem }
        }
    }
}

/// One line of an object's access list.
public struct EntryDescription: Hashable, Sendable {
    public let subject: String
    /// Sorted.
    public let privileges: [String]
    /// When it ends; nil for good.
    public let until: Instant?
    /// Whether some of the subject's entry cannot be taken away.
    public let isPermanent: Bool
    /// The permission that it comes from, without `permission:`; nil for an entry of the object's own.
    public let permission: String?

    fileprivate var order: [String] { [subject, until?.description ?? "", permission ?? ""] }
}

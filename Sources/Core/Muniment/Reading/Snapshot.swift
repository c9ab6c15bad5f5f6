internal import EventLog
public import Events
public import Permissions
package import Projections

/// A store at one moment, for questions. For one thread, inside ``Store/read(at:_:)``.
///
/// Questions about objects, roles and classes that do not exist have an answer; an ill-formed name is refused.
public final class Snapshot {
    package let reader: IndexReader
    /// The revision of the answers.
    public var revision: Revision { reader.revision }
    /// The time for evaluating ends.
    public let instant: Instant
    /// The results of queries beyond their pages.
    let memory: QueryMemory
    /// The log that the index was folded from.
    let log: EventLog

    init(reader: IndexReader, instant: Instant, memory: QueryMemory, log: EventLog) {
        self.log = log
        self.reader = reader
        self.instant = instant
        self.memory = memory
    }

    package var rules: AccessRules<IndexReader> { AccessRules(reader, at: instant) }

    /// Returns whether a subject has all of some privileges on an object, and why.
    public func check(_ subject: Name, _ privileges: [String], on object: Name) throws -> CheckResult {
        try checkForm(subject, object)
        func result(_ verdict: Verdict, _ wanted: [Privileges]) -> CheckResult {
            CheckResult(
                verdict: verdict, wanted: wanted, subject: subject, privileges: privileges, object: object, revision: revision)
        }
        var wanted: [Privileges] = []
        for name in privileges {
            guard let privilege = reader.privilege(name) else {
                return result(Verdict(effective: [], reason: .unknownPrivilege(name)), [])
            }
            wanted.append(privilege)
        }
        return result(try verdict(for: subject, on: object, wanted: Privileges(wanted)), wanted)
    }

    /// Returns whether a subject has all of some privileges on an object, by number. This is the fastest check, for callers that
    /// keep the numbers from ``principalID(_:)``, ``objectID(_:)`` and ``privileges(named:)``.
    public func check(_ subject: PrincipalID, _ wanted: Privileges, on object: ObjectID) throws -> Bool {
        try rules.verdict(for: reader.subjects(of: subject), on: object, wanted: wanted).allows(wanted)
    }

    /// Same as ``check(_:_:on:)-(PrincipalID,_,_)``, at another revision than the snapshot's: for examining a history.
    ///
    /// Every expiry before the commit time of a revision is recorded in an earlier revision, so no clock is needed.
    ///
    /// - Throws: ``StoreError/noSuchRevision(_:head:)``.
    public func check(
        _ subject: PrincipalID, _ wanted: Privileges, on object: ObjectID, at revision: Revision
    ) throws -> Bool {
        try reader.requireRevision(revision)
        let present = reader.revision
        reader.move(to: revision)
        defer { reader.move(to: present) }
        return try AccessRules(reader, at: .distantPast)
            .verdict(for: reader.subjects(of: subject), on: object, wanted: wanted).allows(wanted)
    }

    private func verdict(for subject: Name, on object: Name, wanted: Privileges) throws -> Verdict {
        guard let caller = try reader.caller(subject) else { return Verdict(effective: [], reason: .unknownSubject) }
        guard let number = try reader.number(of: object) else { return Verdict(effective: [], reason: .unknownObject) }
        return try rules.verdict(for: reader.subjects(of: caller), on: ObjectID(rawValue: number), wanted: wanted)
    }

    /// Returns the number of the principal that a question about a name refers to; nil for a role that does not exist.
    public func principalID(_ name: Name) throws -> PrincipalID? { try reader.caller(name) }

    /// Returns the number of an object's name; nil if the store never had it.
    public func objectID(_ name: Name) throws -> ObjectID? { try reader.number(of: name).map(ObjectID.init(rawValue:)) }

    /// Returns a set of privileges by name; nil if the store does not define one of them.
    public func privileges(named names: [String]) -> Privileges? { reader.privileges(named: names) }

    /// Returns the effective privileges of a subject on an object, sorted; empty if the object does not exist.
    public func privileges(of subject: Name, on object: Name) throws -> [String] {
        try checkForm(subject, object)
        return names(try verdict(for: subject, on: object, wanted: .all).effective)
    }

    /// Returns the users and things with all of some privileges on an object through entries, roles and levels, sorted. If all
    /// callers have them, only `everyone` or `anonymous`. Administrators, who have every privilege, are left out.
    public func subjects(with privileges: [String], on object: Name) throws -> [String] {
        try checkForm(object)
        guard let wanted = self.privileges(named: privileges), let found = try reader.object(object) else { return [] }
        switch try reader.holders(of: wanted, on: found, at: instant) {
        case .anonymous: return [Name.anonymous.text]
        case .everyone: return [Name.everyone.text]
        case .some(let callers): return try reader.names(of: callers)
        }
    }

    /// Returns the objects of classes that are not built in with all of some privileges for a subject, sorted.
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

    /// Returns the access list of an object, sorted by subject, end and permission; empty if the object does not exist.
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

    /// Returns the direct members of a role, sorted; empty if the role does not exist.
    public func members(of role: Name) throws -> [String] {
        try checkForm(role)
        guard let found = try reader.object(role) else { return [] }
        return try reader.names(of: reader.members(of: PrincipalID(found)))
    }

    /// Returns the value of an object for a caller that must be allowed to read it.
    ///
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` or `notAuthenticated`.
    public func value(of object: Name, as caller: Name) throws -> JSONValue {
        try reader.value(of: readableObject(object, as: caller)).map(JSONText.decode) ?? .null
    }

    /// Returns the number of an object for a caller that must be allowed to read it.
    func readableObject(_ object: Name, as caller: Name) throws -> ObjectID {
        try checkForm(caller, object)
        guard object.kind == .object, let found = try reader.object(object) else {
            let when = revision == reader.state.revision ? "" : " at revision \(revision)"
            throw Refusal(.unknownObject, "the object `\(object)` does not exist\(when)")
        }
        guard try verdict(for: caller, on: object, wanted: .read).allows(.read) else { throw lacking("read", caller, object) }
        return found
    }

    /// Throws unless an object exists and a caller may read it.
    ///
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` or `notAuthenticated`.
    package func requireReadable(_ object: Name, to caller: Name) throws { _ = try readableObject(object, as: caller) }

    /// Returns the objects of a class that a caller may read and query, sorted.
    ///
    /// - Parameters:
    ///   - className: the class, without `class:`.
    ///   - condition: a condition on their properties, named by the class or not; nil for all objects.
    ///   - caller: the caller, which must be allowed to query the class.
    /// - Throws: `Refusal`: `unknownClass`, or `noPrivilege` or `notAuthenticated` without query on the class.
    public func list(class className: String, where condition: Condition? = nil, as caller: Name) throws -> [String] {
        guard let (classID, subjects) = try mayQuery(className, as: caller) else { return [] }
        let query = Query(className, where: condition, limit: nil)
        if let problem = query.problem { throw problem }
        return try reader.names(of: reader.find(query, in: classID, for: subjects, at: instant).objects)
    }

    /// Returns the custom privileges that a class supports, sorted; nil if the class does not exist.
    public func customPrivileges(ofClass className: String) throws -> [String]? {
        guard let classID = try reader.classID(className) else { return nil }
        return names(try reader.options(of: classID)?.privileges ?? [])
    }

    /// Returns the owner of an object; nil if the object does not exist.
    public func owner(of object: Name) throws -> Name? {
        try checkForm(object)
        return try reader.object(object).flatMap { try reader.owner(of: $0) }.map { Name(try reader.name(of: $0)) }
    }

    /// Returns whether an object of this name exists: a user that has called, a role, a class, or any other.
    public func exists(_ object: Name) throws -> Bool { try reader.object(object) != nil }

    /// Returns the revisions that changed a name, in order and also after this moment; nil for a name that the store never had.
    package func changes(of name: Name) throws -> [Revision]? {
        try reader.number(of: name).map { try reader.revisions(of: ObjectID(rawValue: $0)) }
    }

    /// Returns the revision that last changed an object's value, parent or owner; nil if the object does not exist.
    public func lastChange(of object: Name) throws -> Revision? {
        try reader.object(object).flatMap { try reader.lastChange(of: $0) }
    }

    /// Returns the revision that last changed what ``entries(on:)`` returns; nil if the object does not exist, or if privileges
    /// have ended and the log does not record that yet. Linear in the number of entries and attached permissions.
    public func lastAccessChange(of object: Name) throws -> Revision? {
        try checkForm(object)
        return try reader.object(object).flatMap { try reader.lastAccessChange(of: $0, at: instant) }
    }

    /// Returns the administrators of the store at this moment, sorted.
    public func administrators() throws -> [String] { try reader.names(of: reader.administratorsNow()) }

    package func names(_ privileges: Privileges) -> [String] { reader.state.privilegeNames.names(of: privileges) }

    func lacking(_ privilege: String, _ caller: Name, _ object: Name, at level: DecidingLevel? = nil) -> Refusal {
        caller == .anonymous
            ? Refusal(
                .notAuthenticated, "`\(privilege)` on `\(object)` is required, and an anonymous caller does not have it: sign in")
            : Refusal(
                .noPrivilege,
                "`\(caller)` lacks `\(privilege)` on `\(object)`" + (level == .store ? ", since `store` does not give it" : ""))
    }

    func checkForm(_ names: Name...) throws {
        for name in names {
            if let problem = name.problem { throw problem }
        }
    }
}

/// One row of an object's access list.
public struct EntryDescription: Hashable, Sendable {
    public let subject: String
    /// Sorted.
    public let privileges: [String]
    /// When it ends; nil if it never does.
    public let until: Instant?
    /// Whether some of the subject's entry cannot be revoked.
    public let isPermanent: Bool
    /// The permission that gives it, without `permission:`; nil for an entry of the object.
    public let permission: String?

    fileprivate var order: [String] { [subject, until?.description ?? "", permission ?? ""] }
}

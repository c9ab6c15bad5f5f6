public import Events

/// The authority that the changes of a transaction are made with.
public enum Authority: Hashable, Sendable {
    /// The caller's, according to the rules of access. Privileges that a caller gives on an object are checked on the objects
    /// below it too.
    case caller
    /// The caller's, as in a scenario file: privileges that a caller gives are checked only on the object that the change names.
    case scenario
    /// The importer's: everything is allowed, the caller is only recorded, and users exist as soon as they are mentioned.
    case importer
}

/// Decides about the changes of one transaction, in order: returns the events, or throws a refusal.
///
/// The checks have the order of `SCENARIOS.md`:
///
/// 1. the form
/// 2. whether the named objects exist, or do not exist yet
/// 3. privileges that the class does not support, and ends that are not in the future
/// 4. the caller's privilege
/// 5. whether subjects, members and owners exist
/// 6. all other checks
///
/// The caller of ``events(for:)`` must apply the events to the state before it passes the next change.
public struct CommandAuthorizer<State: CommandState> {
    let state: State
    let instant: Instant
    let caller: PrincipalID
    let authority: Authority
    /// Objects that this transaction created: their creator may change them until it ends.
    var created: Set<ObjectID> = []
    /// The last changes of access lists before this transaction, of the objects for which the transaction expects a revision.
    var accessChanges: [ObjectID: Revision] = [:]
    /// The last changes before this transaction, of the objects that it names: of value, parent and owner, and of the access list if
    /// the caller may read it. Empty unless the transaction as a whole expects a revision.
    private var changesBefore: [Name: Revision] = [:]

    public init(_ state: State, caller: PrincipalID, authority: Authority, at instant: Instant) {
        self.state = state
        self.caller = caller
        self.authority = authority
        self.instant = instant
    }

    /// Reads the last changes of the objects for which a transaction expects a revision. Must be called before the first change of
    /// the transaction is applied: a transaction does not conflict with its own changes. Linear in the number of changes.
    ///
    /// - Parameters:
    ///   - changes: the changes of the transaction.
    ///   - revision: the revision that the transaction as a whole expects.
    public mutating func readExpectations(of changes: [Change], and revision: Revision?) throws {
        if revision != nil {
            for name in changes.lazy.flatMap(\.mentionedObjects) where name.problem == nil && changesBefore[name] == nil {
                guard let object = try existing(name), let change = try state.lastChange(of: object) else { continue }
                changesBefore[name] = change
                guard try authority == .importer || own(object).isSuperset(of: .setPermissions) else { continue }
                changesBefore[name] = max(change, try state.lastAccessChange(of: object) ?? change)
            }
        }
        for case let expected? in changes.lazy.map(\.expectedAccess) where expected.object.problem == nil {
            guard let object = try existing(expected.object), accessChanges[object] == nil else { continue }
            accessChanges[object] = try state.lastAccessChange(of: object)
        }
    }

    /// Throws if another transaction has changed an object that the changes name after the revision that the transaction as a whole
    /// expects. Called after the caller was authorized for every change, so that a refusal tells nothing to other callers.
    public func checkExpectation(of changes: [Change], _ expectedRevision: Revision?) throws {
        guard let expectedRevision else { return }
        guard expectedRevision <= state.headRevision else {
            throw Refusal(.conflict, "the store has no revision \(expectedRevision) yet: read the objects again")
        }
        for (index, change) in changes.enumerated() {
            for name in change.mentionedObjects {
                guard let last = changesBefore[name], last > expectedRevision else { continue }
                throw Refusal(
                    .conflict, "`\(name.excerpt)` was changed by revision \(last), after \(expectedRevision): read it again",
                    change: index)
            }
        }
    }

    /// Returns the events of a change; none if it changes nothing.
    ///
    /// - Throws: ``Refusal``, or the error of reading the state.
    public mutating func events(for change: Change) throws -> [Event] {
        switch change {
        case .defineClass(let name, let settings): try defineClass(name, settings)
        case .changeClass(let name, let settings): try changeClass(name, settings)
        case .createObject(let name, let parent, let value, let owner):
            try createObject(name, parent: parent, value: value, owner: owner)
        case .writeObject(let name, let content, let expected): try writeObject(name, content, expectedRevision: expected)
        case .moveObject(let name, let parent): try moveObject(name, parent: parent)
        case .deleteObject(let name, let expected): try deleteObject(name, expectedRevision: expected)
        case .setOwner(let name, let owner): try setOwner(name, owner: owner)
        case .grant(let subject, let object, let privileges, let until, let strict, let expected):
            try grant(subject, on: object, privileges, until: until, strict: strict, expectedRevision: expected)
        case .setAccess(let subject, let object, let privileges, let expected):
            try setAccess(subject, on: object, privileges, expectedRevision: expected)
        case .revoke(let subject, let object, let privileges, let strict, let expected):
            try revoke(subject, on: object, privileges, strict: strict, expectedRevision: expected)
        case .createRole(let name): try createRole(name)
        case .deleteRole(let name): try deleteRole(name)
        case .addMember(let member, let role, let strict): try addMember(member, to: role, strict: strict)
        case .removeMember(let member, let role, let strict): try removeMember(member, from: role, strict: strict)
        case .register(let name): try register(name)
        case .definePermission(let name, let subject, let privileges): try definePermission(name, subject: subject, privileges)
        case .changePermission(let name, let subject, let privileges): try changePermission(name, subject: subject, privileges)
        case .attachPermission(let name, let object): try attachPermission(name, to: object)
        case .detachPermission(let name, let object): try detachPermission(name, from: object)
        case .appointAdministrator(let name): try appointAdministrator(name)
        case .dismissAdministrator(let name): try dismissAdministrator(name)
        }
    }
}

/// Looking up the names in a command.
extension CommandAuthorizer {
    /// Returns the number of an object, or nil if it does not exist.
    func existing(_ name: Name) throws -> ObjectID? {
        guard let number = try state.number(of: name) else { return nil }
        let object = ObjectID(rawValue: number)
        return try state.place(of: object) == nil ? nil : object
    }

    func object(_ name: Name) throws -> ObjectID {
        guard let object = try existing(name) else {
            throw Refusal(.unknownObject, "there is no object `\(name.excerpt)`: create it first, or check the name")
        }
        return object
    }

    func classID(_ name: String) throws -> ClassID {
        guard let object = try existing(.class(name)) else {
            throw Refusal(.unknownClass, "there is no class `\(Name(name).excerpt)`: define it first, or check the name")
        }
        return ClassID(object)
    }

    func permission(_ name: Name) throws -> PermissionID {
        guard let object = try existing(name) else {
            throw Refusal(.unknownPermission, "there is no permission `\(name.excerpt)`: define it first, or check the name")
        }
        return PermissionID(object)
    }

    /// Returns a principal that can receive access, own objects or be a member: `everyone`, `anonymous`, and principals that
    /// exist.
    func subject(_ name: Name) throws -> PrincipalID {
        switch name.kind {
        case .everyone: return .everyone
        case .anonymous: return .anonymous
        case .caller, .role:
            if let object = try existing(name) { return PrincipalID(object) }
        default: break
        }
        throw Refusal.unknownPrincipal(name)
    }

    /// Returns a new id for a name that a transaction creates, or the id that the name had before.
    ///
    /// - Throws: ``Refusal`` for a new name with an invisible character. An import accepts the names of its history.
    func introduction<ID: EntityID>(of name: Name, offset: UInt64 = 0) throws -> Introduction<ID> {
        if let number = try state.number(of: name) { return Introduction(ID(rawValue: number)) }
        if authority != .importer, let problem = name.problemAsNew { throw problem }
        let number = state.nextID + offset
        guard number <= ReservedID.limit else {
            throw Refusal(.tooLarge, "the store has given out all \(ReservedID.limit) numbers")
        }
        return Introduction(ID(rawValue: number), name: name.text)
    }

    /// Returns a set of privileges by name, for an object. Its class must support them.
    ///
    /// - Parameters:
    ///   - names: the names of the privileges.
    ///   - object: the number of the object.
    ///   - objectName: its name.
    func privileges(_ names: [String], on object: ObjectID, _ objectName: Name) throws -> Privileges {
        let known = try known(on: object)
        let privileges = try self.privileges(names)
        guard known.isSuperset(of: privileges) else {
            let unknown = state.privilegeNames.names(of: privileges.subtracting(known))
            let className = objectName.className == "class" ? objectName.id ?? "class" : objectName.className
            throw Refusal(
                .malformed,
                "the class `\(className)` does not have the privilege `\(unknown.joined(separator: "`, `"))`: add it first, with "
                    + "`muniment class change \(className.shellWord) --add-privileges \(unknown.joined(separator: ","))` or `changeClass`"
            )
        }
        return privileges
    }

    /// Returns every privilege that can be granted on an object: those of its class, or those of the class itself if the object
    /// is `class:NAME`.
    func known(on object: ObjectID) throws -> Privileges {
        let classID = try state.place(of: object)?.classID ?? .store
        return try state.options(of: classID == .class ? ClassID(object) : classID)?.known ?? .builtIn
    }

    /// Returns a set of privileges by name, for any object.
    func privileges(_ names: [String]) throws -> Privileges {
        try named(names, in: state.privilegeNames, remedy: "a class can define it")
    }

    func checkForm(_ names: Name?...) throws {
        for name in names {
            if let problem = name?.problem { throw problem }
        }
    }

    func checkForm(_ name: Name, is kind: NameKind, _ what: String) throws {
        try checkForm(name)
        guard name.kind == kind else { throw Refusal(.malformed, "`\(name.excerpt)` is not a name of \(what)") }
    }
}

/// Checks of the caller's privileges.
extension CommandAuthorizer {
    var mayDoEverything: Bool {
        get throws { try authority == .importer || state.isAdministrator(caller) }
    }

    /// Returns the caller's privileges on an object. For an object created in this transaction they are the privileges that the
    /// store and class levels allow, and read and update.
    func own(_ object: ObjectID) throws -> Privileges { try held(on: object).own }

    /// Returns the caller's privileges on an object, and those that come from entries on or above the object. The objects below
    /// inherit the latter.
    private func held(on object: ObjectID) throws -> (own: Privileges, inherited: Privileges) {
        let rules = AccessRules(state, at: instant)
        let subjects = try state.subjects(of: caller)
        let verdict = try rules.verdict(for: subjects, on: object)
        guard case .levels(let levels) = verdict.reason else { return (verdict.effective, verdict.effective) }
        guard created.contains(object), let place = try state.place(of: object) else { return (verdict.effective, levels.object) }
        let allowed = try rules.classVerdict(for: subjects, on: place.classID).effective
        return (verdict.effective.union(allowed).union([.read, .update]), levels.object)
    }

    func need(_ privilege: Privileges, on object: ObjectID, _ name: Name) throws {
        guard authority != .importer, try !own(object).isSuperset(of: privilege) else { return }
        let verdict = try AccessRules(state, at: instant).verdict(for: try state.subjects(of: caller), on: object)
        throw lacking(privilege, on: name, at: verdict.decidingLevel(for: privilege))
    }

    func need(_ privilege: Privileges, onClass classID: ClassID, _ name: String) throws {
        guard authority != .importer else { return }
        let verdict = try AccessRules(state, at: instant).classVerdict(for: try state.subjects(of: caller), on: classID)
        guard !verdict.allows(privilege) else { return }
        // The message already names the class, so only the store level is reported as the level above.
        let isStore = verdict.decidingLevel(for: privilege) == .store
        throw lacking(privilege, on: .class(name), at: isStore ? .store : nil)
    }

    private func lacking(_ privilege: Privileges, on name: Name, at level: DecidingLevel?) -> Refusal {
        let names = state.privilegeNames.names(of: privilege).joined(separator: ", ")
        return .lacking(names, on: name, isAnonymous: caller == .anonymous, at: level)
    }

    /// Checks that the caller has the privileges that it gives: on the object, and on the objects below that inherit them.
    func needAtLeast(_ privileges: Privileges, on object: ObjectID, _ name: Name) throws {
        guard try !mayDoEverything else { return }
        let (own, inherited) = try held(on: object)
        let missing = privileges.subtracting(own)
        guard missing.isEmpty else {
            let names = state.privilegeNames.names(of: missing).joined(separator: ", ")
            throw Refusal(.aboveOwnLevel, "the caller has no `\(names)` on `\(name.excerpt)` itself, and cannot give it")
        }
        try needBelow(privileges.subtracting(inherited), object, name)
    }

    /// Checks the creator privileges that a new owner receives on the objects below. On each of them, a caller with `setOwner`
    /// may give any privilege.
    func needBelow(ownedBy newOwner: [Event], _ object: ObjectID, _ name: Name) throws {
        guard try !mayDoEverything else { return }
        for case .accessGranted(let event) in newOwner {
            try needBelow(event.privileges.subtracting(held(on: object).inherited), object, name, orHas: .setOwner)
        }
    }

    /// Checks that the caller has, on each object below, the part of the given privileges that the object inherits.
    ///
    /// - Parameters:
    ///   - given: excluding the privileges that the caller has on the object by entries, because these are inherited in the same
    ///     way. Usually this set is empty, and no object below is read.
    ///   - name: the object that the change names.
    ///   - instead: privileges on an object below that allow the caller to give any other privilege there.
    private func needBelow(_ given: Privileges, _ object: ObjectID, _ name: Name, orHas instead: Privileges = .all) throws {
        guard authority == .caller, !given.isEmpty else { return }
        for child in try state.children(of: object) {
            guard let place = try state.place(of: child), let options = try state.options(of: place.classID),
                options.objectACL == .required
            else { continue }
            let passed = given.intersection(options.inherits)
            guard !passed.isEmpty else { continue }
            let (own, inherited) = try held(on: child)
            if own.isSuperset(of: instead) { continue }
            let lacking = passed.intersection(options.known).subtracting(own)
            guard lacking.isEmpty else {
                let names = state.privilegeNames.names(of: lacking).joined(separator: ", ")
                throw Refusal(
                    .aboveOwnLevel,
                    "an object below `\(name.excerpt)` would inherit `\(names)`, which the caller does not have there, and cannot give"
                )
            }
            try needBelow(passed.subtracting(inherited), child, name, orHas: instead)
        }
    }
}

internal import Events
internal import Permissions
internal import Projections

/// A note for the caller about a change that was committed: that it had no effect on access, or that its result
/// is rarely wanted.
public struct ChangeNote: Hashable, Sendable {
    /// The index of the change in the transaction, from 0.
    public let change: Int
    public let reason: Reason
    /// The explanation, and the remedy.
    public let message: String

    /// The kind of the note.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The store had this state already, or an entry with a later end.
        case unchanged
        /// The entries of the store deny the granted privileges.
        case storeLevel
        /// The entries of the class deny the granted privileges.
        case classLevel
        /// The subject keeps the revoked privileges in another way.
        case stillAllowed
        /// A class was defined that gives creators no privileges on their objects (CONFORMANCE R8).
        case noCreatorPrivileges
        /// The caller created an object that it may not read.
        case unreadable
    }

    package init(change: Int, reason: Reason, message: String) {
        (self.change, self.reason, self.message) = (change, reason, message)
    }
}

/// Finds the changes of a transaction that its caller should know more about, in the state after all of them.
struct ChangeReview {
    let workingSet: WorkingSet
    let caller: PrincipalID
    let instant: Instant

    /// The steps that a review may take. A transaction that needs more gets an incomplete list.
    private static let workLimit = 10_000

    /// The access that a change gave to a subject on an object, or took from it.
    struct AccessChange {
        let index: Int
        let subject: PrincipalID
        let object: ObjectID
        let privileges: Privileges
        let isGrant: Bool
    }

    /// Returns the notes about the changes, in their order.
    ///
    /// - Parameters:
    ///   - changes: the changes of the transaction.
    ///   - unchanged: the indexes of those without an event.
    ///   - accesses: the privileges that the other changes gave or took.
    func notes(_ changes: [Change], unchanged: [Int], accesses: [AccessChange]) throws -> [ChangeNote] {
        var found = unchanged.map {
            ChangeNote(
                change: $0, reason: .unchanged,
                message: "the change has no effect: the store has this state already, or for a longer time")
        }
        workingSet.work.beginLimit(Self.workLimit)
        defer { workingSet.work.endLimit() }
        do {
            for access in accesses {
                let reason = access.isGrant ? try blocked(access) : try kept(access)
                guard let reason, let message = try message(reason, access) else { continue }
                found.append(ChangeNote(change: access.index, reason: reason, message: message))
            }
            for (index, change) in changes.enumerated() {
                switch change {
                case .defineClass(let name, let settings):
                    // A caller that wrote an empty list knows.
                    guard case nil = settings.creatorPrivileges, let message = try missingCreatorPrivileges(name) else { continue }
                    found.append(ChangeNote(change: index, reason: .noCreatorPrivileges, message: message))
                case .createObject(let name, _, _, _):
                    guard let message = try missingRead(name) else { continue }
                    found.append(ChangeNote(change: index, reason: .unreadable, message: message))
                default: break
                }
            }
        } catch let refusal as Refusal where refusal.code == .tooMuchWork {
            // The list is then incomplete.
        }
        return found.sorted { $0.change < $1.change }
    }

    /// Returns why no caller gained access by a grant; nil if a caller may have.
    private func blocked(_ access: AccessChange) throws -> ChangeNote.Reason? {
        // The entries of the store decide together with all that is below: no level is above them.
        guard access.object != .store, let place = try workingSet.place(of: access.object),
            let options = try workingSet.options(of: place.classID)
        else { return nil }
        let isLevel = place.classID == .class
        let granted = isLevel ? access.privileges : access.privileges.intersection(options.known)
        guard !granted.isEmpty else { return nil }
        // A reason would tell that the subject administers the store. The caller may know nothing but this object.
        if try workingSet.isAdministrator(access.subject) { return nil }
        let classObject = ObjectID(place.classID)
        var (passesStore, passesClass) = (false, isLevel || options.composition == .widening)
        for caller in try callers(within: access.subject) {
            let store = try given(.store, on: .store, to: caller)
            let atStore = Levels(store: store, classLevel: .all, object: granted, composition: .narrowing).combined
            guard !atStore.isDisjoint(with: granted) else { continue }
            passesStore = true
            if passesClass { return nil }
            let classLevel = try given(.class, on: classObject, to: caller)
            let atClass = Levels(store: store, classLevel: classLevel, object: granted, composition: .narrowing).combined
            passesClass = !atClass.isDisjoint(with: granted)
            if passesClass { return nil }
        }
        if !passesStore { return .storeLevel }
        // Objects below can be of classes that do not deny it.
        return try workingSet.children(of: access.object).isEmpty ? .classLevel : nil
    }

    /// Returns why no caller lost access by a revocation; nil if a caller may have.
    private func kept(_ access: AccessChange) throws -> ChangeNote.Reason? {
        guard try !access.privileges.isEmpty && !workingSet.isAdministrator(access.subject) else { return nil }
        // The members of a role have at least the access of the role.
        let verdict = try AccessRules(workingSet, at: instant)
            .verdict(for: workingSet.subjects(of: access.subject), on: access.object, wanted: access.privileges)
        return verdict.allows(access.privileges) ? .stillAllowed : nil
    }

    /// Returns the subject itself, and if it is a role all members, without administrators.
    private func callers(within subject: PrincipalID) throws -> Set<PrincipalID> {
        try Set(reachableFrom: [subject]) { member in
            try workingSet.place(of: ObjectID(member))?.classID == .role ? workingSet.members(of: member) : []
        }.filter { try !workingSet.isAdministrator($0) }
    }

    /// Returns the privileges that a level gives a caller. For everyone: those of any subject, because the level can name single callers.
    private func given(_ level: DecidingLevel, on object: ObjectID, to caller: PrincipalID) throws -> Privileges {
        if caller == .everyone { return try workingSet.privilegesOfAnySubject(on: object, at: instant) }
        return try workingSet.level(level, on: object, for: workingSet.subjects(of: caller), at: instant, wanted: .all)
    }

    private func message(_ reason: ChangeNote.Reason, _ access: AccessChange) throws -> String? {
        let subject = Name(try workingSet.name(of: access.subject.rawValue)).excerpt
        let object = Name(try workingSet.name(of: access.object.rawValue)).excerpt
        let names = workingSet.privilegeNames.names(of: access.privileges).joined(separator: ", ")
        switch reason {
        case .unchanged, .noCreatorPrivileges, .unreadable: return nil
        case .storeLevel:
            return "`\(subject)` gets nothing by the grant on `\(object)`: the entries of `store` do not give it \(names). "
                + "Grant it on `store` too"
        case .classLevel:
            guard let place = try workingSet.place(of: access.object) else { return nil }
            let level = Name(try workingSet.name(of: place.classID.rawValue)).excerpt
            return "`\(subject)` gets nothing by the grant on `\(object)`: the entries of `\(level)` do not give it \(names). "
                + "Grant it on `\(level)` too"
        case .stillAllowed:
            return "`\(subject)` keeps \(names) on `\(object)`: it has that in another way. Ask `why`, then change that way"
        }
    }

    /// Returns the note about a new class that gives creators nothing on their objects; nil if creators get access by the options.
    private func missingCreatorPrivileges(_ className: String) throws -> String? {
        guard let object = try object(.class(className)), let options = try workingSet.options(of: ClassID(object)),
            options.objectACL == .required, options.composition == .narrowing, options.creatorPrivileges.isEmpty
        else { return nil }
        return "a user who creates an object of class `\(Name(className).excerpt)` gets no privileges on it. To give some, use "
            + creatorPrivilegesRemedy(className, standardCreatorPrivileges)
    }

    /// Returns the note about a new object that the caller may not read; nil if it may.
    private func missingRead(_ name: Name) throws -> String? {
        guard let object = try object(name), try !workingSet.isAdministrator(caller) else { return nil }
        let verdict = try AccessRules(workingSet, at: instant)
            .verdict(for: workingSet.subjects(of: caller), on: object, wanted: .read)
        guard !verdict.allows(.read) else { return nil }
        let place: Name =
            switch verdict.decidingLevel(for: .read) {
            case .store: .store
            case .class: .class(name.className)
            case .object, nil: name
            }
        let creator = Name(try workingSet.name(of: caller.rawValue)).excerpt
        let lack = "`\(creator)` may not read `\(name.excerpt)`, which it created: "
        guard place == name else {
            return lack + "the entries of `\(place.excerpt)` do not give it read. Grant read on `\(place.excerpt)`"
        }
        let grant = lack + "no entry on the object gives it read. Grant read on it"
        let given = try workingSet.place(of: object).flatMap { try workingSet.options(of: $0.classID) }?.creatorPrivileges ?? []
        // The class gives creators read, so another owner got it.
        guard !given.contains(.read) else { return grant }
        let names = workingSet.privilegeNames.names(of: given.union(.read))
        return grant + "; for later objects, use "
            + creatorPrivilegesRemedy(name.className, given.isEmpty ? standardCreatorPrivileges : names.joined(separator: ","))
    }

    /// The privileges that most creators need: with them they use an object, list it, and share it.
    private var standardCreatorPrivileges: String { "read,query,update,delete,setPermissions" }

    private func creatorPrivilegesRemedy(_ className: String, _ privileges: String) -> String {
        "`muniment class change \(className.shellWord) --creator-privileges \(privileges)`, or `creatorPrivileges` in `changeClass`"
    }

    /// Returns the number of an object that exists after the transaction.
    private func object(_ name: Name) throws -> ObjectID? {
        guard let number = try workingSet.number(of: name) else { return nil }
        let object = ObjectID(rawValue: number)
        return try workingSet.place(of: object) == nil ? nil : object
    }
}

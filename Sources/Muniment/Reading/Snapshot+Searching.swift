package import Events
internal import Permissions
internal import Projections

/// What a search asks: everybody and everything that a question about one of them would be answered yes for, administrators
/// included.
extension Snapshot {
    /// What an action stands for on the objects of a class: the class's alias of this name, else the privilege that the store
    /// knows by it; nil where it is neither.
    package func action(_ name: String, onClass className: String) throws -> Privileges? {
        if let classID = try classID(className), let options = try reader.options(of: classID) {
            for alias in options.aliases where alias.isCalled(name) { return alias.privileges }
        }
        return reader.privilege(name)
    }

    /// The names of a set of privileges, sorted.
    package func names(of privileges: Privileges) -> [String] { names(privileges) }

    /// The users, things or roles that are there and have all of some privileges on an object, by name, sorted.
    ///
    /// Linear in the number of those who are named at the level that decides; where everyone has the privileges, and for roles,
    /// in the number of all.
    package func subjects(ofClass classID: ClassID, with wanted: Privileges, on object: ObjectID) throws -> [String] {
        let found: [PrincipalID]
        if classID == .role {
            found = try principals(.role).filter { try check($0, wanted, on: object) }
        } else {
            switch try reader.holders(of: wanted, on: object, at: instant) {
            case .anonymous, .everyone: found = try principals(classID)
            case .some(let named):
                let others = try administratorsNow(besides: named).filter { try check($0, wanted, on: object) }
                found = try (named + others).filter { try reader.place(of: ObjectID($0))?.classID == classID }
            }
        }
        return try reader.names(of: found)
    }

    /// The objects of a class, built in or not, on which a subject has all of some privileges, by name, sorted.
    package func objects(ofClass className: String, for subject: PrincipalID, with wanted: Privileges) throws -> [String] {
        guard let classID = try classID(className) else { return [] }
        guard classID.isBuiltIn else {
            return try reader.names(
                of: reader.objects(for: reader.subjects(of: subject), with: wanted, class: classID, at: instant))
        }
        let all = classID == .store ? [ObjectID.store] : try reader.objects(of: classID)
        return try reader.names(of: all.filter { try check(subject, wanted, on: $0) })
    }

    /// The privileges that a subject has on an object, and the aliases of its class for what it has in full, by name, sorted.
    package func actions(of subject: PrincipalID, on object: ObjectID) throws -> [String] {
        let verdict = try rules.verdict(for: reader.subjects(of: subject), on: object)
        guard let place = try reader.place(of: object), let options = try reader.options(of: place.classID) else { return [] }
        let aliases = options.aliases.filter { verdict.allows($0.privileges) }.map(\.name)
        return (names(verdict.effective) + aliases).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func classID(_ className: String) throws -> ClassID? {
        Name.class(className).isWellFormed ? try reader.classID(className) : nil
    }

    private func principals(_ classID: ClassID) throws -> [PrincipalID] {
        try reader.objects(of: classID).map { PrincipalID($0) }
    }

    private func administratorsNow(besides known: [PrincipalID]) throws -> [PrincipalID] {
        Set(try reader.administratorsNow()).subtracting(known).sorted { $0.rawValue < $1.rawValue }
    }
}

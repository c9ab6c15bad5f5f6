package import Events
internal import Permissions
internal import Projections

/// Searches: they return every subject, object or action with a positive check, including administrators.
extension Snapshot {
    /// Returns the privileges that an action requires on the objects of a class: those of the class's alias of this name,
    /// otherwise the privilege of this name; nil if neither exists.
    package func action(_ name: String, onClass className: String) throws -> Privileges? {
        try reader.action(name, onClass: className)
    }

    /// Returns the existing users, things or roles with all of some privileges on an object, by name, sorted.
    ///
    /// Linear in the number of subjects named at the level that decides. If everyone has the privileges, and for roles, linear in
    /// the number of all.
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

    /// Returns the objects of a class, built in or not, with all of some privileges for a subject, by name, sorted.
    package func objects(ofClass className: String, for subject: PrincipalID, with wanted: Privileges) throws -> [String] {
        guard let classID = try classID(className) else { return [] }
        guard classID.isBuiltIn else {
            return try reader.names(
                of: reader.objects(for: reader.subjects(of: subject), with: wanted, class: classID, at: instant))
        }
        let all = classID == .store ? [ObjectID.store] : try reader.objects(of: classID)
        return try reader.names(of: all.filter { try check(subject, wanted, on: $0) })
    }

    /// Returns the privileges of a subject on an object, and the aliases of its class with all their privileges, by name, sorted.
    package func actions(of subject: PrincipalID, on object: ObjectID) throws -> [String] {
        let verdict = try rules.verdict(for: reader.subjects(of: subject), on: object)
        guard let place = try reader.place(of: object), let options = try reader.options(of: place.classID) else { return [] }
        let aliases = options.aliases.filter { verdict.allows($0.privileges) }.map(\.name)
        return (names(verdict.effective) + aliases).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns the number of a class; nil if it does not exist, or its name is ill-formed.
    func classID(_ className: String) throws -> ClassID? {
        Name.class(className).isWellFormed ? try reader.classID(className) : nil
    }

    private func principals(_ classID: ClassID) throws -> [PrincipalID] {
        try reader.objects(of: classID).map { PrincipalID($0) }
    }

    private func administratorsNow(besides known: [PrincipalID]) throws -> [PrincipalID] {
        Set(try reader.administratorsNow()).subtracting(known).sorted { $0.rawValue < $1.rawValue }
    }
}

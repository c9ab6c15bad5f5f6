public import Events
internal import Permissions
internal import Projections

/// The reader of a response, which determines how much the response may disclose.
public enum Audience: Hashable, Sendable {
    /// May read everything: a caller with the permission to query all subjects, or an administrator of the store.
    case unrestricted
    /// May read data about itself and about objects that it has access to at this instant.
    case caller(Name, at: Instant)
}

extension Store {
    /// Returns the audience of a caller: unrestricted if the caller administers the store.
    public func audience(actingAs caller: Name) throws -> Audience {
        try checkIndex()
        return try withReader { reader in
            if let number = try reader.number(of: caller),
                try reader.administratorsNow().contains(PrincipalID(rawValue: number))
            {
                return .unrestricted
            }
            return .caller(caller, at: try turn(reader, to: .now))
        }
    }
}

extension Snapshot {
    /// Returns whether a subject has all of some privileges on an object, and why, as far as an audience may know.
    ///
    /// For an object that the audience may not know, the denial is the same as for a missing object.
    ///
    /// - Parameter audience: who reads the result; used only for a denial in the past.
    package func check(
        _ subject: Name, _ privileges: [String], on object: Name, for audience: () throws -> Audience
    ) throws -> CheckResult {
        let answer = try check(subject, privileges, on: object)
        guard !answer.isAllowed, revision < reader.state.revision, try !tells(audience(), of: object) else { return answer }
        return answer.withoutObject
    }

    /// Returns whether an audience may know an object at this moment: the object exists now, and the same object existed at this
    /// moment.
    package func tells(_ audience: Audience, of object: Name) throws -> Bool {
        guard audience != .unrestricted else { return true }
        guard let number = try reader.number(of: object) else { return false }
        return try Disclosure(to: audience, reader).isPresent(ObjectID(rawValue: number), at: revision)
    }

    /// Returns the principals that have all of some privileges on an object, as far as an audience may know. Privileges from
    /// administering the store count only for the audience itself.
    ///
    /// - Parameter principals: the names of the principals to check.
    package func holders(
        of wanted: Privileges, on object: ObjectID, among principals: [String], for audience: Audience
    ) throws -> [String] {
        guard audience != .unrestricted else { return principals }
        let disclosure = try Disclosure(to: audience, reader)
        return try principals.filter { name in
            guard let number = try reader.caller(Name(name)) else { return false }
            let subjects = disclosure.redacted(try reader.subjects(of: number))
            return try rules.verdict(for: subjects, on: object, wanted: wanted).allows(wanted)
        }
    }

    /// Returns the objects with a value at this moment that an audience may read.
    package func readable(_ objects: [String], to audience: Audience) throws -> [String] {
        guard audience != .unrestricted else { return objects }
        let disclosure = try Disclosure(to: audience, reader)
        return try objects.filter { object in
            guard let number = try reader.number(of: Name(object)) else { return false }
            return try disclosure.mayKnowValue(of: ObjectID(rawValue: number), at: revision)
        }
    }
}

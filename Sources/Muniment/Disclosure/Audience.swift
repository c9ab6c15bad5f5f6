public import Events
public import Permissions
internal import Projections

/// Who is told something about a store.
public enum Audience: Hashable, Sendable {
    /// A program or a person that may know everything: one with the right to ask about anyone, or an administrator of the store.
    case unrestricted
    /// A caller that may know of itself and of what it has access to at this instant.
    case caller(Name, at: Instant)
}

extension Store {
    /// The audience that a caller is now: unrestricted if it administers the store.
    public func audience(actingAs caller: Name) throws -> Audience {
        try withReader { reader in
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
    /// Whether a subject has all of some privileges on an object, and why, in an answer for an audience.
    ///
    /// A denial tells of no object that the audience may not know of: there was none at this moment.
    ///
    /// - Parameter audience: who is told; is asked for a denial in the past only.
    package func check(
        _ subject: Name, _ privileges: [String], on object: Name, for audience: () throws -> Audience
    ) throws -> CheckAnswer {
        let answer = try check(subject, privileges, on: object)
        guard !answer.isAllowed, revision < reader.state.revision, try !tells(audience(), of: object) else { return answer }
        return answer.withoutObject
    }

    /// Whether an audience may know of an object at this moment: it exists now, and did so at this moment as the same object.
    package func tells(_ audience: Audience, of object: Name) throws -> Bool {
        guard audience != .unrestricted else { return true }
        guard let number = try reader.number(of: object) else { return false }
        return try Disclosure(to: audience, reader).isPresent(ObjectID(rawValue: number), at: revision)
    }

    /// Those of some principals that have all of some privileges on an object, in an answer for an audience: others than itself are
    /// judged without what administering the store gives them.
    ///
    /// - Parameter principals: their names.
    package func holders(
        of wanted: Privileges, on object: ObjectID, among principals: [String], for audience: Audience
    ) throws -> [String] {
        guard audience != .unrestricted else { return principals }
        let disclosure = try Disclosure(to: audience, reader)
        return try principals.filter { name in
            guard let number = try reader.caller(Name(name)) else { return false }
            let subjects = disclosure.told(try reader.subjects(of: number))
            return try rules.verdict(for: subjects, on: object, wanted: wanted).allows(wanted)
        }
    }

    /// Which of some objects have a value at this moment that an audience may know.
    package func readable(_ objects: [String], to audience: Audience) throws -> [String] {
        guard audience != .unrestricted else { return objects }
        let disclosure = try Disclosure(to: audience, reader)
        return try objects.filter { object in
            guard let number = try reader.number(of: Name(object)) else { return false }
            return try disclosure.mayKnowValue(of: ObjectID(rawValue: number), at: revision)
        }
    }
}

internal import Credentials
internal import Muniment
internal import Permissions

extension Call {
    /// Throws unless the caller may query all subjects: with the permission to query all subjects or to administer, or by acting as
    /// an administrator of the store.
    func requireAskingAnything() throws {
        if case .act(let principal)? = caller?.right {
            guard try principal != .anonymous && store.administrators.contains(principal) else {
                throw Problem.beyondToken("ask this: the question is about all subjects")
            }
        } else if caller == nil {
            throw Problem.unauthenticated
        }
    }

    /// Throws unless the caller may query a name, which is a subject or an object. The permission to set permissions on the object
    /// of a subject does not allow querying the subject's access.
    func requireAsking(aboutName name: Name) throws {
        try name.isSubject ? requireAsking(about: name) : requireAsking(aboutObject: name)
    }

    /// The audience that represents the caller: unrestricted with the permission to query all subjects or to administer, or if it
    /// acts as an administrator of the store.
    var audience: Audience {
        get throws {
            switch caller?.right {
            case nil: throw Problem.unauthenticated
            case .ask, .administer: .unrestricted
            case .act(let principal): try store.audience(actingAs: principal)
            }
        }
    }

    /// Throws unless the caller may query the access of a subject on an object: because of the subject, or because of the object.
    func requireAsking(about subject: Name, on object: Name) throws {
        if try mayAsk(about: subject) { return }
        try requireAsking(aboutObject: object)
    }

    /// Returns the principal that the caller reads as. A token that acts as a principal reads as that principal, and as others if
    /// it may query them.
    ///
    /// - Parameter named: the principal that the request names, if any.
    func reader(named: Name?) throws -> Name {
        if case .act(let principal)? = caller?.right, named == nil || named == principal { return principal }
        guard let named else {
            throw Problem(.malformed, "the caller is missing: with this token, name a user, a thing or `anonymous` in `as`")
        }
        try requireAsking(about: named)
        return named
    }
}

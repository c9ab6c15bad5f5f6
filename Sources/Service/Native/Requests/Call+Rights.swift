internal import Credentials
internal import Muniment
internal import Permissions

extension Call {
    /// Makes sure that the caller may ask anything about anybody: with the right to ask or to administer, or acting as an
    /// administrator of the store.
    func requireAskingAnything() throws {
        if case .act(let principal)? = caller?.right {
            guard try principal != .anonymous && store.administrators.contains(principal) else {
                throw Problem.beyondToken("ask this: it is about everybody")
            }
        } else if caller == nil {
            throw Problem.unauthenticated
        }
    }

    /// Makes sure that the caller may ask about a name: somebody, or an object. Setting permissions on the object that stands for
    /// somebody is no right to know what that somebody has.
    func requireAsking(aboutName name: Name) throws {
        try name.isSubject ? requireAsking(about: name) : requireAsking(aboutObject: name)
    }

    /// What the caller may know: everything with the right to ask or to administer, or acting as an administrator of the store.
    var audience: Audience {
        get throws {
            switch caller?.right {
            case nil: throw Problem.unauthenticated
            case .ask, .administer: .unrestricted
            case .act(let principal): try store.audience(actingAs: principal)
            }
        }
    }

    /// Makes sure that the caller may ask what somebody has on an object: about that somebody, or about that object.
    func requireAsking(about subject: Name, on object: Name) throws {
        if try mayAsk(about: subject) { return }
        try requireAsking(aboutObject: object)
    }

    /// As whom the caller reads. A token that acts as somebody reads as that one, and as others where it may ask about them.
    ///
    /// - Parameter named: whom the request names, if anybody.
    func reader(named: Name?) throws -> Name {
        if case .act(let principal)? = caller?.right, named == nil || named == principal { return principal }
        guard let named else {
            throw Problem(.malformed, "it is not said who reads: this token names a user, a thing or `anonymous` in `as`")
        }
        try requireAsking(about: named)
        return named
    }
}

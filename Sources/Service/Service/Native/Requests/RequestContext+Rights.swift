internal import Credentials
internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions
internal import Wire

extension RequestContext {
    /// Throws unless the caller may query all subjects: with the permission to query all subjects or to administer, or by acting as
    /// an administrator of the store.
    func requirePermissionToQueryAllSubjects() throws {
        guard try asker.mayAskAnything(in: store) else {
            throw Problem.beyondToken("ask this: the question is about all subjects")
        }
    }

    /// Throws unless the caller may query a name, which is a subject or an object. The permission to set permissions on the object
    /// of a subject does not allow querying the subject's access.
    func requirePermissionToQuery(aboutName name: Name) throws {
        try name.isSubject ? requirePermissionToQuery(about: name) : requirePermissionToQuery(aboutObject: name)
    }

    /// The audience that represents the caller: unrestricted with the permission to query all subjects or to administer, or if it
    /// acts as an administrator of the store.
    var audience: Audience { get throws { try asker.audience(in: store) } }

    /// Throws unless the caller may query the access of a subject on an object: because of the subject, or because of the object.
    func requirePermissionToQuery(about subject: Name, on object: Name) throws {
        if try mayQuery(about: subject) { return }
        try requirePermissionToQuery(aboutObject: object)
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
        try requirePermissionToQuery(about: named)
        return named
    }
}

/// The moment of a query, and the revision that its response must include.
struct ReadConsistency: Sendable {
    let moment: Moment
    /// A revision that the store must have reached.
    let atLeast: Revision?
}

extension RequestContext {
    /// Returns the arguments of the request: from its body if its route has them there, and from its address otherwise.
    func arguments() throws -> Arguments {
        route.hasArgumentsInBody ? try Arguments(body: try json()) : Arguments(address: try query)
    }

    /// Runs a query at its moment.
    func read<R>(at point: ReadConsistency, _ body: (Snapshot) throws -> R) throws -> R {
        try requireVisible(point.atLeast)
        return try store.read(at: point.moment, body)
    }

    /// Returns privileges for names of privileges and of levels of the store's history.
    ///
    /// - Throws: `Refusal` with `malformed` for a name that is neither.
    func privileges(_ names: [String], _ snapshot: Snapshot) throws -> [String] {
        snapshot.privileges(named: names) == nil ? try store.privileges(named: names) : names
    }

    /// How long a request waits for a revision that another node has.
    private static let arrivalLimit = Duration.seconds(2)

    /// Throws unless the store has reached a revision.
    ///
    /// On one machine, a revision that this service has returned is visible immediately. A revision that is missing belongs to
    /// another store, or to this one before it was restored from an older copy. With a shared log, it may be on its way.
    func requireVisible(_ revision: Revision?) throws {
        guard let revision else { return }
        if canWait, try store.sharedLogStatus != nil, try !store.wait(for: revision, atMost: RequestContext.arrivalLimit) {
            throw Problem(
                .unavailable,
                "this node is at revision \(try store.head.revision), and \(revision) did not arrive in time: try again, or ask "
                    + "another node",
                retryAfterSeconds: 1)
        }
        let head = try store.head.revision
        guard revision <= head else {
            throw Problem(
                .revisionNotReached,
                "the store is at revision \(head), not yet at \(revision): try again, or check the revision",
                members: ["head": .revision(head)], retryAfterSeconds: 1)
        }
    }
}

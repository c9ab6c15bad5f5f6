internal import Credentials
internal import Events
internal import Identity
internal import Muniment
internal import Permissions

/// Who calls, as far as credentials say.
struct Caller: Sendable {
    /// What logs call it: never anything secret.
    let id: String
    let stores: StoreScope
    let right: Right
    /// What commits record of the credential that it comes with, as ``Origin/credential`` has it.
    let credential: String?
    /// The session that it comes with; nil for any other credential.
    let session: SessionID?
    /// When what it comes with ends by itself; nil for what can be taken back at any moment, and has to be looked up again.
    let until: Instant?

    init(
        id: String, stores: StoreScope, right: Right, credential: String?, session: SessionID? = nil, until: Instant? = nil
    ) {
        self.id = id
        self.credential = credential
        self.stores = stores
        self.right = right
        self.session = session
        self.until = until
    }

    /// What the shares and the rate of a caller are counted by: its credential, or its address if it is anonymous. Of IPv6 the
    /// address counts up to its first 64 bits.
    static func shareKey(_ caller: Caller?, from client: String) -> String {
        guard let caller, caller.right != .act(as: .anonymous) else { return "address " + FailureLimit.group(client) }
        return "token " + caller.id
    }

    /// Whether it reaches what a route needs, in a store or, where none is named, at all.
    func reaches(_ need: CallerNeed, in store: String?) -> Bool {
        if let store, !stores.includes(store) { return false }
        switch need {
        case .nothing, .store: return true
        case .asking: return right == .ask || right == .administer
        case .administering: return right == .administer
        case .administeringAll: return right == .administer && stores == .all
        case .session: return session != nil
        }
    }

    /// - Throws: ``Problem`` where it does not reach what a route needs. It says the same, whether there is such a store or not.
    func require(_ need: CallerNeed, in store: String?) throws(Problem) {
        guard reaches(need, in: store) else {
            throw need == .session
                ? Problem(.forbidden, "this is for somebody who signed in: send the access token of a session")
                : .beyondToken("do this here")
        }
    }
}

extension Call {
    /// Whether the caller may ask what somebody has and may do: about itself always, about anybody with the right to ask, or where
    /// it acts as an administrator of the store.
    func mayAsk(about subject: Name) throws -> Bool {
        switch caller?.right {
        case nil: return false
        case .ask, .administer: return true
        case .act(let principal):
            if principal == subject { return true }
            return try principal != .anonymous && store.administrators.contains(principal)
        }
    }

    /// Whether the caller may ask who has what on an object: whoever may set permissions there, too.
    func mayAsk(aboutObject object: Name) throws -> Bool {
        switch caller?.right {
        case nil: return false
        case .ask, .administer: return true
        case .act(let principal): return try store.read { try $0.check(principal, ["setPermissions"], on: object).isAllowed }
        }
    }

    func requireAsking(about subject: Name) throws {
        guard try mayAsk(about: subject) else { throw Problem.beyondToken("ask about others than the one that it acts as") }
    }

    func requireAsking(aboutObject object: Name) throws {
        guard try mayAsk(aboutObject: object) else {
            throw Problem.beyondToken("ask this of an object on which the one that it acts as may not set permissions")
        }
    }

    /// Whether the caller is told that there is a store. Somebody who could go into any store is told of those it has been in: the
    /// names of the others say who else uses the service.
    func mayKnow(of name: StoreName) throws -> Bool {
        guard let caller, caller.stores.includes(name.text) else { return false }
        guard case .act(let principal) = caller.right, case .all = caller.stores else { return true }
        return try service.data.store(name)?.store.read { try $0.exists(principal) } ?? false
    }

    /// Whom the caller acts as.
    ///
    /// - Parameter named: whom the request names, if anybody.
    /// - Throws: ``Problem`` where the token cannot act, acts as somebody else, or it is not said as whom.
    func principal(named: Name?) throws(Problem) -> Name {
        switch caller?.right {
        case nil: throw Problem.unauthenticated
        case .act(let principal):
            guard named == nil || named == principal else { throw Problem.beyondToken("act as others than its principal") }
            return principal
        case .administer:
            guard let named else {
                throw Problem(.malformed, "it is not said who acts: an administrator's token names a user or a thing in `as`")
            }
            return named
        case .ask: throw Problem.beyondToken("change anything")
        }
    }
}

extension Problem {
    /// The caller is known, and its token does not let it do something.
    static func beyondToken(_ what: String) -> Problem {
        Problem(.forbidden, "this token does not let its holder \(what)")
    }
}

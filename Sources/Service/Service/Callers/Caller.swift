internal import Credentials
internal import Events
internal import HTTPServer
internal import Identity
internal import Muniment
internal import Permissions

/// The caller of a request, as determined by its credentials.
///
/// It is a class, so that no request copies it.
final class Caller: Sendable {
    /// The id in logs. It never contains secrets.
    let id: String
    let stores: StoreScope
    let right: Right
    /// The credential that commits record, as in ``Origin/credential``.
    let credential: String?
    /// The session of the caller; nil for any other credential.
    let session: SessionID?
    /// When the credential expires. Nil for a credential that can be revoked at any moment, and must be looked up again.
    let until: Instant?
    /// Whether the caller may be an administrator of a store. False for a user of an issuer without a prefix, which could name any user.
    let mayAdminister: Bool
    /// The key for the shares and the rate limit of the caller; nil for an anonymous caller, which is counted by its address.
    private let shareKey: String?

    init(
        id: String, stores: StoreScope, right: Right, credential: String?, session: SessionID? = nil, until: Instant? = nil,
        mayAdminister: Bool = true
    ) {
        self.id = id
        self.credential = credential
        self.stores = stores
        self.right = right
        self.session = session
        self.until = until
        self.mayAdminister = mayAdminister
        shareKey = right == .act(as: .anonymous) ? nil : "token " + id
    }

    /// Returns the key for the shares and the rate limit of a caller: its credential, or its address if it is anonymous. For IPv6,
    /// only the first 64 bits of the address count.
    static func shareKey(_ caller: Caller?, from client: String) -> String {
        caller?.shareKey ?? "address " + ClientAddress.group(client)
    }

    /// The owner of page cursors and browser sessions: the principal, so that a renewed session continues a list, or else the token.
    var owner: String {
        if case .act(let principal) = right { "as " + principal.text } else { "\(right.word) \(id)" }
    }

    /// Returns whether the caller has the access that a route needs, in the given store or, without a store, in general.
    func reaches(_ need: RequiredRight, in store: String?) -> Bool {
        if let store, !stores.includes(store) { return false }
        switch need {
        case .nothing: return true
        case .store: return right != .observe
        case .observing: return right == .observe || right == .administer
        case .asking: return right == .ask || right == .administer
        case .administering: return right == .administer
        case .administeringAll: return right == .administer && stores == .all
        case .session: return session != nil
        }
    }

    /// - Throws: ``Problem`` if the caller lacks the access that a route needs. The problem does not disclose whether the store
    ///   exists.
    func require(_ need: RequiredRight, in store: String?) throws(Problem) {
        guard reaches(need, in: store) else {
            throw need == .session
                ? Problem(.forbidden, "this request requires a signed-in user: send the access token of a session")
                : .beyondToken("make this request")
        }
    }
}

extension RequestContext {
    /// The subjects that the caller may query.
    var asker: QueryScope {
        get throws(Problem) {
            switch caller?.right {
            case nil: throw .unauthenticated
            case .observe: throw .beyondToken("ask about access")
            case .ask, .administer: .anyone
            case .act(let principal): .itself(principal)
            }
        }
    }

    /// Returns whether the caller may query the access of a subject: always for itself; for any subject with the permission to
    /// query all subjects, or as an administrator of the store.
    func mayQuery(about subject: Name) throws -> Bool { try asker.mayQuery(about: subject, in: store) }

    /// Returns whether the caller may query the subjects with access to an object. Also true if the caller may set permissions on
    /// it.
    func mayQuery(aboutObject object: Name) throws -> Bool { try asker.mayQuery(aboutObject: object, in: store) }

    /// Throws if the caller is an administrator of the store, and a user of an issuer without a prefix.
    func requireNoUnconfirmedAdministrator() throws {
        guard let caller, !caller.mayAdminister, case .act(let principal) = caller.right, let store = hosted?.store,
            try store.administrators.contains(principal)
        else { return }
        throw Problem.unconfirmedAdministrator(principal)
    }

    func requirePermissionToQuery(about subject: Name) throws {
        guard try mayQuery(about: subject) else { throw Problem.beyondToken("ask about principals other than its own") }
    }

    func requirePermissionToQuery(aboutObject object: Name) throws {
        guard try mayQuery(aboutObject: object) else {
            throw Problem.beyondToken("ask this about an object where its principal may not set permissions")
        }
    }

    /// Returns whether the caller may know that a store exists. A caller that may enter any store knows only the stores it has been
    /// in: other names would disclose who else uses the service.
    func mayKnow(of name: StoreName) throws -> Bool {
        guard let caller, caller.stores.includes(name.text) else { return false }
        guard case .act(let principal) = caller.right, case .all = caller.stores else { return true }
        return try service.data.store(name)?.store.read { try $0.exists(principal) } ?? false
    }

    /// Returns the principal that the caller acts as.
    ///
    /// - Parameter named: the principal that the request names, if any.
    /// - Throws: ``Problem`` if the token cannot act, acts as another principal, or if the request must name a principal and does
    ///   not.
    func principal(named: Name?) throws(Problem) -> Name {
        switch caller?.right {
        case nil: throw Problem.unauthenticated
        case .act(let principal):
            guard named == nil || named == principal else { throw Problem.beyondToken("act as a principal other than its own") }
            return principal
        case .administer:
            guard let named else {
                throw Problem(.malformed, "the caller is missing: with an administrator's token, name a user or a thing in `as`")
            }
            return named
        case .ask, .observe: throw Problem.beyondToken("change anything")
        }
    }
}

extension Problem {
    /// Returns the problem for a known caller with a token that does not allow an action.
    static func beyondToken(_ what: String) -> Problem {
        Problem(.forbidden, "this token does not allow its holder to \(what)")
    }

    /// Returns the problem for a user of an issuer without a prefix with the name of an administrator.
    fileprivate static func unconfirmedAdministrator(_ principal: Name) -> Problem {
        Problem(
            .forbidden,
            "`\(principal.excerpt)` is an administrator of this store, and the issuer of this JWT could name any user: have the operator "
                + "give the issuer a prefix (`--issuer URL=user:corp/`, or `URL=user:` for all users)")
    }
}

/// The address of a client, including clients of proxies.
///
/// All requests through a proxy have the proxy's address. The proxy appends the address of its client to `X-Forwarded-For`. So the
/// first entries may be forged by the client. Only the last entries, added by trusted proxies, are reliable.
enum ClientAddress {
    /// Returns the group of an address, which limits count. For IPv6, the first 64 bits, which one customer usually gets.
    static func group(_ peer: String) -> String { IPAddress(peer)?.network.description ?? peer }

    /// Returns the address to count a request by and to show in the log.
    ///
    /// - Parameters:
    ///   - peer: the remote address of the connection.
    ///   - forwarded: the values of `X-Forwarded-For`, in the order of the lines.
    ///   - proxies: the trusted proxies.
    /// - Returns: the last address that is not a trusted proxy. The peer itself if it is not a trusted proxy, or if the entry is
    ///   not a valid address.
    static func client(peer: String, forwarded: @autoclosure () -> [String], proxies: [IPAddressRange]) -> String {
        let isProxy = { (address: IPAddress) in proxies.contains { $0.contains(address) } }
        guard !proxies.isEmpty, let proxy = IPAddress(peer), isProxy(proxy) else { return peer }
        let named = forwarded().flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        for text in named.reversed() {
            let words = text.split { $0 == " " || $0 == "\t" }
            guard words.count == 1, let address = IPAddress(String(words[0])) else { return peer }
            if !isProxy(address) { return address.description }
        }
        return peer
    }
}

/// Describes the caller's rights in a store.
enum CallerRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/caller", "describeCaller", need: .store,
        RouteDescription("what the caller's token allows in a store", group: "Stores")
            .withNote("`queriesAll`: whether it may query all subjects, because of its right or as an administrator of the store.")
            .withResponse(
                "the rights of the token",
                Schema.object(
                    [
                        "credential": Schema.text, "right": Schema.words("ask", "act", "administer"), "queriesAll": Schema.flag,
                    ],
                    optional: ["principal": Schema.name, "until": Schema.time]), headers: []
            ),
        .immediate { call in
            try Arguments(address: try call.query).finish()
            guard let caller = call.caller else { throw Problem.unauthenticated }
            var members: JSONObject = [
                "credential": .string(caller.credential ?? caller.id), "right": .string(caller.right.word),
                "queriesAll": .bool(try call.asker.mayAskAnything(in: call.store)),
            ]
            if case .act(let principal) = caller.right { members["principal"] = .name(principal) }
            if let until = caller.until { members["until"] = .time(until) }
            return call.answer(members)
        })
}

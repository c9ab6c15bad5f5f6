internal import Credentials
internal import Events
internal import HTTPServer
internal import Hashing
internal import Identity
internal import Muniment
internal import Synchronization

/// Routes of ``BrowserSessions``.
enum BrowserSessionRoutes {
    static let all = [create, list, end]

    private static let create = Route(
        "POST", "/v1/browser-sessions", "createBrowserSession", need: .store,
        RouteDescription("creates a session for a page of the service's origin", group: "Browser sessions")
            .withNote(
                "Sets a cookie (`HttpOnly`, `SameSite=Strict` and, with TLS, `Secure`). Requests with the cookie, and with `key` in "
                    + "the header `Muniment-Session`, need no `Authorization`. The session has the caller's access, and ends "
                    + "with its credential."
            )
            .withResponse(
                "the session, with its key", Schema.object(["key": Schema.text, "session": Schema.named("BrowserSession")]),
                status: 201, headers: []),
        .queued { call in
            try Arguments(address: try call.query).finish()
            // A session cannot create another one, which would extend its lifetime.
            let service = call.service
            guard let credential = call.exchange.credential.flatMap(service.lasting), call.request.header("Authorization") != nil
            else {
                throw Problem.unauthenticated
            }
            let (cookie, key, session) = try service.browserSessions.create(
                for: credential, from: call.client, at: service.now)
            return call.answer(
                ["key": .string(key), "session": .object(session.json)], status: 201, headers: [service.setCookie(cookie)])
        })

    private static let list = Route(
        "GET", "/v1/browser-sessions", "listBrowserSessions", need: .store,
        RouteDescription("the open browser sessions of the caller, in the order of their creation", group: "Browser sessions")
            .withNote("With an administrator's token for all stores: of all callers.")
            .withResponse(
                "the sessions", Schema.object(["sessions": Schema.list(Schema.named("BrowserSession"))], optional: .next),
                headers: []),
        .queued(.page(.names, at: nil)) { call, request in
            let start = try request.position { UInt64($0) } ?? 0
            let found = call.service.browserSessions.list(at: call.service.now) { $0.id > start && call.mayManage($0) }
            let page = found.prefix(request.limit)
            let members: JSONObject = ["sessions": .array(page.map { .object($0.json) })]
            return call.answer(call.page(members, next: page.count < found.count ? page.last?.id : nil))
        })

    private static let end = Route(
        "DELETE", "/v1/browser-sessions/{session}", "endBrowserSession", need: .store,
        RouteDescription("ends a browser session: `current`, or one of the list", group: "Browser sessions")
            .withNote("If a user signed in to an account for it, the user's session ends too.")
            .withResponse("the session ended", nil, status: 204, headers: []),
        .queued { call in
            try Arguments(address: try call.query).finish()
            let (service, id) = (call.service, call.parameter("session"))
            let isCurrent = id == "current"
            let session =
                isCurrent
                ? call.request.browserSession(in: service).flatMap { service.browserSessions.session($0, at: service.now) }
                : service.browserSessions.list(at: service.now) { String($0.id) == id }.first
            guard let session, call.mayManage(session) else {
                throw Problem(.notFound, "the session does not exist: `GET /v1/browser-sessions` lists the open sessions")
            }
            try service.browserSessions.end(session)
            if let signedIn = session.credential.caller.session { try service.accounts?.accounts.signOut(signedIn) }
            guard isCurrent else { return call.done }
            return HTTPResponse(status: 204, headers: [HTTPHeader("Cache-Control", "no-store"), service.setCookie(nil)])
        })

    static let schema = Schema.object(
        [
            "id": Schema.text, "credential": Schema.text, "client": Schema.text, "made": Schema.time, "used": Schema.time,
            "until": Schema.time,
        ], optional: ["principal": Schema.name])
}

extension BrowserSessions.Session {
    fileprivate var json: JSONObject {
        let caller = credential.caller
        var members: JSONObject = [
            "id": .string(String(id)), "credential": .string(caller.credential ?? caller.id), "client": .string(client),
            "made": .time(createdAt), "used": .time(usedAt), "until": .time(expiresAt),
        ]
        if case .act(let principal) = caller.right { members["principal"] = .name(principal) }
        return members
    }
}

extension RequestContext {
    /// Returns whether the caller may see and end a browser session: its own, or any as an administrator of all stores.
    fileprivate func mayManage(_ session: BrowserSessions.Session) -> Bool {
        guard let caller else { return false }
        return caller.owner == session.owner || caller.reaches(.administeringAll, in: nil)
    }
}

extension MunimentService {
    /// Whether browsers reach the service by TLS.
    private var isSecure: Bool { settings.usesTLS || settings.publicAddress?.hasPrefix("https:") == true }

    /// The name of the cookie. All services on a host share its cookies, so the name contains the port.
    fileprivate var cookieName: String {
        (isSecure ? "__Host-muniment-" : "muniment-") + String(listener.withLock { $0.server?.port } ?? 0)
    }

    /// Returns the header that sets the cookie, or removes it without a value. The browser removes it too when it is closed.
    fileprivate func setCookie(_ value: String?) -> HTTPHeader {
        HTTPHeader(
            "Set-Cookie",
            "\(cookieName)=\(value ?? ""); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
                + (value == nil ? "; Max-Age=0" : ""))
    }

    /// Opens the browser sessions of an earlier start.
    func restoreBrowserSessions() {
        do { try browserSessions.restore { try authenticator.credential(named: $0, begunBy: $1) } } catch {
            settings.note(.warning, "browser sessions cannot be read, so users of the console must sign in again: \(error)")
        }
    }

    /// Returns a credential for a browser session, without the token.
    fileprivate func lasting(_ credential: Credential) -> Credential? {
        guard let session = credential.caller.session else { return Credential(credential.caller, isValid: credential.isValid) }
        return accounts?.credential(of: session, begunBy: now)
    }

    /// Returns the credential of a request with a browser session; nil if the session is unknown or has ended.
    func browserCredential(of request: HTTPRequest) -> Credential? {
        guard let hash = request.browserSession(in: self), let session = browserSessions.use(hash, at: now) else { return nil }
        return Credential(session.credential.caller) { [browserSessions, clock = settings.clock] in
            browserSessions.session(hash, at: clock()) != nil
        }
    }
}

extension HTTPRequest {
    /// Returns the hash of the session that the cookie and the header of the request name. Nil without both, for two cookies of this name,
    /// and if the browser says that a page of another origin sent the request.
    fileprivate func browserSession(in service: MunimentService) -> Digest? {
        guard let key = header("Muniment-Session"), header("Sec-Fetch-Site").map({ $0 == "same-origin" }) ?? true else {
            return nil
        }
        let name = service.cookieName + "="
        let cookies = headers("Cookie").flatMap { $0.split(separator: ";") }.map { $0.drop { $0 == " " } }.filter {
            $0.hasPrefix(name)
        }
        guard let cookie = cookies.first, cookies.count == 1 else { return nil }
        return BrowserSessions.hash(cookie: String(cookie.dropFirst(name.count)), key: key)
    }
}

internal import Events
internal import HTTPServer
internal import Identity

/// Routes for the sessions of a user, one per device, and for authenticating again (CONFORMANCE I7).
enum SessionRoutes {
    static let all = [list, end, endOthers, signOut, recentSignIn, reauthenticate]

    static let list = Route(
        "GET", "/v1/account/sessions", "listSessions", need: .session,
        RouteDescription("where the caller is signed in", group: "Accounts")
            .answering(
                "the sessions, in the order in which they began", Schema.object(["sessions": Schema.list(Schema.named("Session"))]),
                headers: []),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            let sessions = try accounts.sessions(call.access).sorted { $0.id < $1.id }
            let current = call.caller?.session
            return call.answer(["sessions": .array(sessions.map { .object($0.json(isCurrent: $0.id == current)) })])
        })

    static let end = Route(
        "DELETE", "/v1/account/sessions/{session}", "endSession", need: .session,
        RouteDescription("signs out on one device", group: "Accounts").answering("it is over", nil, status: 204, headers: []),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            guard let number = UInt64(call.parameter("session")) else {
                throw Problem(.notFound, "there is no such session: `GET /v1/account/sessions` lists them")
            }
            try accounts.endSession(call.access, SessionID(number))
            return call.done
        })

    static let endOthers = Route(
        "DELETE", "/v1/account/sessions", "endOtherSessions", need: .session,
        RouteDescription("signs out on all other devices", group: "Accounts").answering(
            "they are over", nil, status: 204, headers: []),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            try accounts.endOtherSessions(call.access)
            return call.done
        })

    static let signOut = Route(
        "POST", "/v1/account/sign-out", "signOut", need: .session,
        RouteDescription("ends the session that the request comes with", group: "Accounts")
            .answering("it is over", nil, status: 204, headers: []),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            try accounts.signOut(call.access)
            return call.done
        })

    static let recentSignIn = Route(
        "GET", "/v1/account/recent-sign-in", "getRecentSignIn", need: .session,
        RouteDescription("whether the caller has signed in recently enough for sensitive changes", group: "Accounts")
            .saying("Changes nothing. For whoever deletes something of their own before the account, and would be asked too late.")
            .answering(
                "for how many seconds it stays recent enough, and for how many a sign-in does",
                Schema.object(["secondsLeft": Schema.number, "maxAge": Schema.number]), headers: []
            )
            .refusing(.recentSignInRequired),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            let (left, maxAge) = try accounts.recentSignIn(call.access)
            return call.answer(["secondsLeft": .integer(left), "maxAge": .integer(maxAge)])
        })

    static let reauthenticate = Route(
        "POST", "/v1/account/reauthenticate", "reauthenticate", need: .session, bodyLimitBytes: AccountRoutes.bodyLimitBytes,
        RouteDescription("shows anew who one is, before something sensitive", group: "Accounts")
            .saying(
                "The session goes on, with new tokens; the old ones are over at once. With a password, `evidence` needs no email."
            )
            .taking(body: Schema.object(["provider": Schema.provider, "evidence": Schema.openObject]))
            .answering("the session, with new tokens", Schema.named("SignedIn"), headers: [])
            .refusing(.wrongCredentials),
        .ofAccounts(.proving) { call, accounts in
            var arguments = try call.bodyArguments()
            let (provider, evidence) = (try arguments.provider(), try arguments.object("evidence"))
            try arguments.finish()
            return call.answer(
                try accounts.reauthenticate(call.access, provider, evidence, from: call.source).json(accounts))
        })
}

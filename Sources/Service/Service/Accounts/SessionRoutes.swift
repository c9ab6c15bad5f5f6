internal import Events
internal import HTTPServer
internal import Identity

/// Routes for the sessions of a user, one per device, and for authenticating again (CONFORMANCE I7).
enum SessionRoutes {
    static let all = [list, end, endOthers, signOut, recentSignIn, reauthenticate]

    static let list = Route(
        "GET", "/v1/account/sessions", "listSessions", need: .session,
        RouteDescription("the sessions of the caller", group: "Accounts")
            .answering(
                "the sessions, in the order of their creation", Schema.object(["sessions": Schema.list(Schema.named("Session"))]),
                headers: []),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            let sessions = try accounts.sessions(call.access).sorted { $0.id < $1.id }
            let current = call.caller?.session
            return call.answer(["sessions": .array(sessions.map { .object($0.json(isCurrent: $0.id == current)) })])
        })

    static let end = Route(
        "DELETE", "/v1/account/sessions/{session}", "endSession", need: .session,
        RouteDescription("ends a session", group: "Accounts").answering(
            "the session ended", nil, status: 204, headers: []),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            guard let number = UInt64(call.parameter("session")) else {
                throw Problem(.notFound, "the session does not exist: `GET /v1/account/sessions` lists the sessions")
            }
            try accounts.endSession(call.access, SessionID(number))
            return call.done
        })

    static let endOthers = Route(
        "DELETE", "/v1/account/sessions", "endOtherSessions", need: .session,
        RouteDescription("ends all other sessions", group: "Accounts").answering(
            "the sessions ended", nil, status: 204, headers: []),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            try accounts.endOtherSessions(call.access)
            return call.done
        })

    static let signOut = Route(
        "POST", "/v1/account/sign-out", "signOut", need: .session,
        RouteDescription("ends the session of the request", group: "Accounts")
            .answering("the session ended", nil, status: 204, headers: []),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            try accounts.signOut(call.access)
            return call.done
        })

    static let recentSignIn = Route(
        "GET", "/v1/account/recent-sign-in", "getRecentSignIn", need: .session,
        RouteDescription("checks if the caller's sign-in is recent enough for sensitive changes", group: "Accounts")
            .saying("Changes nothing. For clients that delete the caller's data before the account: they check the sign-in first.")
            .answering(
                "for how many seconds the sign-in stays recent, and the limit in seconds",
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
        RouteDescription("confirms the caller's identity again before a sensitive change", group: "Accounts")
            .saying(
                "The session continues with new tokens; the old tokens become invalid at once. With a password, `evidence` needs no email."
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

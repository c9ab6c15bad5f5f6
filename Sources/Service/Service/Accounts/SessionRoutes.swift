internal import Events
internal import HTTPServer
internal import Identity

/// Routes for the sessions of a user, one per device, and for authenticating again (CONFORMANCE I7).
enum SessionRoutes {
    static let all = [list, end, endOthers, signOut, recentSignIn, reauthenticate]

    static let list = Route(
        account: "GET", "/v1/account/sessions", "listSessions",
        RouteDescription("the sessions of the caller")
            .withResponse(
                "the sessions, in the order of their creation", Schema.object(["sessions": Schema.list(Schema.named("Session"))])),
        .fast
    ) { call, accounts in
        let sessions = try accounts.sessions(call.access).sorted { $0.id < $1.id }
        let current = call.caller?.session
        return call.answer(["sessions": .array(sessions.map { .object($0.json(isCurrent: $0.id == current)) })])
    }

    static let end = Route(
        account: "DELETE", "/v1/account/sessions/{session}", "endSession",
        RouteDescription("ends a session").withResponse(
            "the session ended", nil, status: 204), .fast
    ) { call, accounts in
        guard let number = UInt64(call.parameter("session")) else {
            throw Problem(.notFound, "the session does not exist: `GET /v1/account/sessions` lists the sessions")
        }
        try accounts.endSession(call.access, SessionID(number))
        return call.done
    }

    static let endOthers = Route(
        account: "DELETE", "/v1/account/sessions", "endOtherSessions",
        RouteDescription("ends all other sessions").withResponse(
            "the sessions ended", nil, status: 204), .fast
    ) { call, accounts in
        try accounts.endOtherSessions(call.access)
        return call.done
    }

    static let signOut = Route(
        account: "POST", "/v1/account/sign-out", "signOut",
        RouteDescription("ends the session of the request")
            .withResponse("the session ended", nil, status: 204), .fast
    ) { call, accounts in
        try accounts.signOut(call.access)
        return call.done
    }

    static let recentSignIn = Route(
        account: "GET", "/v1/account/recent-sign-in", "getRecentSignIn",
        RouteDescription("checks if the caller's sign-in is recent enough for sensitive changes")
            .withNote(
                "Changes nothing. For clients that delete the caller's data before the account: they check the sign-in first."
            )
            .withResponse(
                "for how many seconds the sign-in stays recent, and the limit in seconds",
                Schema.object(["secondsLeft": Schema.number, "maxAge": Schema.number])
            )
            .withProblems(.recentSignInRequired), .fast
    ) { call, accounts in
        let (left, maxAge) = try accounts.recentSignIn(call.access)
        return call.answer(["secondsLeft": .integer(left), "maxAge": .integer(maxAge)])
    }

    static let reauthenticate = Route(
        account: "POST", "/v1/account/reauthenticate", "reauthenticate",
        RouteDescription("confirms the caller's identity again before a sensitive change")
            .withNote(
                "The session continues with new tokens; the old tokens become invalid at once. With a password, `evidence` needs no email."
            )
            .withResponse("the session, with new tokens", Schema.named("SignedIn"))
            .withProblems(.wrongCredentials), .provider, .provider, .evidence
    ) { call, accounts, provider, evidence in
        call.answer(
            try accounts.reauthenticate(call.access, provider, evidence, from: call.source).json(accounts))
    }
}

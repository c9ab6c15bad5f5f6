internal import Events
internal import HTTPServer
internal import Identity

/// Routes for the sign-in methods of a user's own account (CONFORMANCE I5, I6). All of them require a recent sign-in, and end all
/// other sessions.
enum WaysInRoutes {
    static let all = [link, unlink, setPassword, changePassword]

    private static let needs = "Requires a recent sign-in; ends all other sessions."

    static let link = Route(
        "POST", "/v1/account/identities", "linkIdentity", need: .session, bodyLimitBytes: AccountRoutes.bodyLimitBytes,
        RouteDescription("adds a sign-in method to the account, with evidence or a `link`", group: "Accounts")
            .saying(needs + " `link` is from a problem `account-exists`.")
            .taking(
                body: Schema.oneOf(
                    Schema.object(["provider": Schema.provider, "evidence": Schema.openObject]),
                    Schema.object(["link": Schema.text]))
            )
            .answering("the account after the change", Schema.named("Account"), headers: [])
            .refusing(.recentSignInRequired, .wrongCredentials, .wrongCode, .linkedElsewhere, .alreadyLinked, .unfitPassword),
        .ofAccounts(.proving) { call, accounts in
            var arguments = try call.bodyArguments()
            if let link = try arguments.optionalText("link") {
                try arguments.finish()
                return call.answer(try accounts.link(call.access, link).json(accounts))
            }
            let (provider, evidence) = (try arguments.provider(), try arguments.object("evidence"))
            try arguments.finish()
            return call.answer(try accounts.link(call.access, provider, evidence, from: call.source).json(accounts))
        })

    static let unlink = Route(
        "DELETE", "/v1/account/identities/{provider}", "unlinkIdentity", need: .session,
        RouteDescription("removes a sign-in method of the account, unless it is the only one", group: "Accounts").saying(needs)
            .answering("the account after the change", Schema.named("Account"), headers: [])
            .refusing(.recentSignInRequired, .lastWayIn),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            guard let provider = ProviderID(call.parameter("provider")) else {
                throw Problem(.notFound, "the account does not have this sign-in method: `GET /v1/account` lists the methods")
            }
            return call.answer(try accounts.unlink(call.access, provider).json(accounts))
        })

    static let setPassword = Route(
        "POST", "/v1/account/password", "setPassword", need: .session, bodyLimitBytes: AccountRoutes.bodyLimitBytes,
        RouteDescription("sets a password for an account without one", group: "Accounts").saying(needs)
            .taking(body: Schema.object(["password": Schema.text]))
            .answering("the account after the change", Schema.named("Account"), headers: [])
            .refusing(.recentSignInRequired, .alreadyLinked, .unfitPassword),
        .ofAccounts(.hashing) { call, accounts in
            call.answer(try accounts.setPassword(call.access, try call.newPassword()).json(accounts))
        })

    static let changePassword = Route(
        "PUT", "/v1/account/password", "changePassword", need: .session, bodyLimitBytes: AccountRoutes.bodyLimitBytes,
        RouteDescription("changes the password", group: "Accounts").saying(needs)
            .taking(body: Schema.object(["password": Schema.text]))
            .answering("the account after the change", Schema.named("Account"), headers: [])
            .refusing(.recentSignInRequired, .unfitPassword),
        .ofAccounts(.hashing) { call, accounts in
            call.answer(try accounts.changePassword(call.access, try call.newPassword()).json(accounts))
        })
}

extension Call {
    fileprivate func newPassword() throws -> String {
        var arguments = try bodyArguments()
        let password = try arguments.text("password")
        try arguments.finish()
        return password
    }
}

internal import Events
internal import HTTPServer
internal import Identity

/// Routes for the sign-in methods of a user's own account (CONFORMANCE I5, I6). All of them require a recent sign-in, and end all
/// other sessions.
enum SignInMethodRoutes {
    static let all = [link, unlink, setPassword, changePassword]

    private static let needs = "Requires a recent sign-in; ends all other sessions."

    static let link = Route(
        "POST", "/v1/account/identities", "linkIdentity", need: .session, bodyLimitBytes: 32 << 10,
        RouteDescription("adds a sign-in method to the account, with evidence or a `link`", group: "Accounts")
            .withNote(needs + " `link` is from a problem `account-exists`.")
            .withParameters(body: Schema.oneOf(Schema.named("LinkByEvidence"), Schema.named("LinkByCode")))
            .withResponse("the account after the change", Schema.named("Account"), headers: [])
            .withProblems(
                .recentSignInRequired, .wrongCredentials, .wrongCode, .linkedElsewhere, .alreadyLinked, .unacceptablePassword),
        Operation(
            ArgumentList(),
            .ofAccounts(.provider) { call, accounts, arguments in
                if arguments.has("link") {
                    let link = try ArgumentList(.text("link")).read(arguments, call)
                    return call.answer(try accounts.link(call.access, link).json(accounts))
                }
                let (_, provider, evidence) = try ArgumentList(.optionalText("link"), .provider, .evidence).read(arguments, call)
                return call.answer(try accounts.link(call.access, provider, evidence, from: call.source).json(accounts))
            }))

    static let unlink = Route(
        account: "DELETE", "/v1/account/identities/{provider}", "unlinkIdentity",
        RouteDescription("removes a sign-in method of the account, unless it is the only one").withNote(needs)
            .withResponse("the account after the change", Schema.named("Account"))
            .withProblems(.recentSignInRequired, .lastSignInMethod), .fast
    ) { call, accounts in
        guard let provider = ProviderID(call.parameter("provider")) else {
            throw Problem(.notFound, "the account does not have this sign-in method: `GET /v1/account` lists the methods")
        }
        return call.answer(try accounts.unlink(call.access, provider).json(accounts))
    }

    static let setPassword = Route(
        account: "POST", "/v1/account/password", "setPassword",
        RouteDescription("sets a password for an account without one").withNote(needs)
            .withResponse("the account after the change", Schema.named("Account"))
            .withProblems(.recentSignInRequired, .alreadyLinked, .unacceptablePassword), .hashing, .text("password")
    ) { call, accounts, password in
        call.answer(try accounts.setPassword(call.access, password).json(accounts))
    }

    static let changePassword = Route(
        account: "PUT", "/v1/account/password", "changePassword",
        RouteDescription("changes the password").withNote(needs)
            .withResponse("the account after the change", Schema.named("Account"))
            .withProblems(.recentSignInRequired, .unacceptablePassword), .hashing, .text("password")
    ) { call, accounts, password in
        call.answer(try accounts.changePassword(call.access, password).json(accounts))
    }
}

internal import Events
internal import HTTPServer
internal import Identity

/// Routes for users that are not signed in yet (CONFORMANCE I3, I4).
enum SignInRoutes {
    static let all = [providers, begin, signUp, verify, signIn, reset, confirmReset, refresh]

    static let providers = Route(
        account: "GET", "/v1/accounts/providers", "listProviders", need: .nothing,
        RouteDescription("the sign-in methods, the preferred one first")
            .withResponse(
                "the providers", Schema.object(["providers": Schema.list(Schema.named("Provider"))])), .fast
    ) { call, accounts, _ in
        call.answer([
            "providers": .array(
                accounts.providers.map { .object(["id": .string($0.id.text), "priority": .integer(Int64($0.priority))]) })
        ])
    }

    static let begin = Route(
        account: "POST", "/v1/accounts/begin", "beginSignIn", need: .nothing,
        RouteDescription("starts a sign-in with a provider that needs a first step")
            .withNote(
                "For OpenID Connect: given `redirectURI`, it returns `attempt`, a secret of the client, and `authorizationURL`, the "
                    + "page for the user. The evidence contains `attempt`, the values from the redirect (`code`, `state`, `iss`) and "
                    + "`redirectURI`, the address of the redirect; without it `iss` is required. With "
                    + "`\"purpose\":\"reauthenticate\"` the provider asks the user to sign in again."
            )
            .withParameters(
                body: Schema.object(["provider": Schema.provider], optional: ["redirectURI": Schema.text, "purpose": Schema.text])
            )
            .withResponse("the data for the next step of the client", Schema.named("SignInStep")), .provider
    ) { call, accounts, arguments in
        var arguments = arguments
        let provider = try arguments.provider()
        return call.answer(try accounts.begin(provider, arguments.rest, from: call.source))
    }

    static let signUp = Route(
        account: "POST", "/v1/accounts/sign-up", "signUp", need: .nothing,
        RouteDescription("creates an account")
            .withNote(
                "With a password, no account is created yet: the service sends a code to the email and returns a secret `attempt`, "
                    + "whether an account has that email or not. `sign-up/confirm` takes both."
            )
            .withParameters(
                body: Schema.object(
                    ["provider": Schema.provider, "evidence": Schema.named("Evidence")],
                    optional: ["displayName": Schema.text, "picture": Schema.text, "device": Schema.text])
            )
            .withResponse("the account was created", Schema.named("SignedIn"), status: 201)
            .withResponse("a code was sent", Schema.named("CodeSent"), status: 202)
            .withProblems(.accountExists, .wrongCredentials, .unacceptablePassword), .provider
    ) { call, accounts, arguments in
        let (provider, evidence, profile, device) = try arguments.all {
            (
                try $0.provider(), try $0.object("evidence"),
                Profile(displayName: try $0.optionalText("displayName"), picture: try $0.optionalText("picture")), try $0.device()
            )
        }
        switch try accounts.signUp(provider, evidence, profile: profile, device: device, from: call.source) {
        case .signedIn(let signedIn): return call.answer(signedIn.json(accounts), status: 201)
        case .verificationSent(let attempt, let ends): return call.answer(codeSent: attempt, ends)
        }
    }

    static let verify = Route(
        account: "POST", "/v1/accounts/sign-up/confirm", "confirmSignUp", need: .nothing,
        RouteDescription("confirms an email with its code, and creates the account")
            .withParameters(
                body: Schema.object(["attempt": Schema.text, "code": Schema.text], optional: ["device": Schema.text])
            )
            .withResponse("the account was created", Schema.named("SignedIn"), status: 201)
            .withProblems(.wrongCode, .accountExists), .hashing
    ) { call, accounts, arguments in
        let (attempt, code, device) = try arguments.all { (try $0.text("attempt"), try $0.text("code"), try $0.device()) }
        let signedIn = try accounts.verify(attempt: attempt, code: code, device: device, from: call.source)
        return call.answer(signedIn.json(accounts), status: 201)
    }

    static let signIn = Route(
        account: "POST", "/v1/accounts/sign-in", "signIn", need: .nothing,
        RouteDescription("signs in and creates a session")
            .withNote(
                "An unknown email and a wrong password get the same response, after the same time. `link` is from a problem "
                    + "`account-exists`: it adds the sign-in method of that request to this account."
            )
            .withParameters(
                body: Schema.object(
                    ["provider": Schema.provider, "evidence": Schema.named("Evidence")],
                    optional: ["device": Schema.text, "link": Schema.text])
            )
            .withResponse("the session", Schema.named("SignedIn"))
            .withProblems(.wrongCredentials, .noAccount, .accountExists, .wrongCode, .linkedElsewhere, .alreadyLinked), .provider
    ) { call, accounts, arguments in
        let (provider, evidence, device, link) = try arguments.all {
            (try $0.provider(), try $0.object("evidence"), try $0.device(), try $0.optionalText("link"))
        }
        return call.answer(
            try accounts.signIn(provider, evidence, device: device, link: link, from: call.source).json(accounts))
    }

    static let reset = Route(
        account: "POST", "/v1/accounts/reset", "requestReset", need: .nothing,
        RouteDescription("sends a code to reset a password")
            .withNote("The response does not disclose whether the account exists.")
            .withParameters(body: Schema.object(["email": Schema.text]))
            .withResponse("a code was sent, if the account exists", Schema.named("CodeSent"), status: 202), .hashing
    ) { call, accounts, arguments in
        let email = try arguments.all { try $0.text("email") }
        let sent = try accounts.requestReset(email: email, from: call.source)
        return call.answer(codeSent: sent.attempt, sent.ends)
    }

    static let confirmReset = Route(
        account: "POST", "/v1/accounts/reset/confirm", "confirmReset", need: .nothing,
        RouteDescription("sets a new password with a code, ends all sessions and creates a new one")
            .withParameters(
                body: Schema.object(
                    ["attempt": Schema.text, "code": Schema.text, "password": Schema.text], optional: ["device": Schema.text])
            )
            .withResponse("the session", Schema.named("SignedIn"))
            .withProblems(.wrongCode, .unacceptablePassword), .hashing
    ) { call, accounts, arguments in
        let (attempt, code, password, device) = try arguments.all {
            (try $0.text("attempt"), try $0.text("code"), try $0.text("password"), try $0.device())
        }
        let signedIn = try accounts.confirmReset(
            attempt: attempt, code: code, password: password, device: device, from: call.source)
        return call.answer(signedIn.json(accounts))
    }

    static let refresh = Route(
        account: "POST", "/v1/accounts/refresh", "refreshSession", need: .nothing,
        RouteDescription("refreshes the tokens of a session")
            .withNote(
                "A refresh token can be used once. `nonce` is a random string of the client: a repeated request with the same nonce "
                    + "returns the same tokens if the response was lost; a used token with another nonce ends the session."
            )
            .withParameters(body: Schema.object(["refreshToken": Schema.text, "nonce": Schema.text]))
            .withResponse("the session, with new tokens", Schema.named("SignedIn"))
            .withProblems(.sessionEnded), .fast
    ) { call, accounts, arguments in
        let (refresh, nonce) = try arguments.all { (try $0.text("refreshToken"), try $0.text("nonce")) }
        return call.answer(try accounts.refresh(refresh, nonce: nonce).json(accounts))
    }
}

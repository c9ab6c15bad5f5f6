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
    ) { call, accounts in
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
            .withResponse("the data for the next step of the client", Schema.named("SignInStep")), .provider, .provider, .beginning
    ) { call, accounts, provider, beginning in
        call.answer(try accounts.begin(provider, beginning, from: call.source))
    }

    static let signUp = Route(
        account: "POST", "/v1/accounts/sign-up", "signUp", need: .nothing,
        RouteDescription("creates an account")
            .withNote(
                "With a password, no account is created yet: the service sends a code to the email and returns a secret `attempt`, "
                    + "whether an account has that email or not. `sign-up/confirm` takes both."
            )
            .withResponse("the account was created", Schema.named("SignedIn"), status: 201)
            .withResponse("a code was sent", Schema.named("CodeSent"), status: 202)
            .withProblems(.accountExists, .wrongCredentials, .unacceptablePassword), .provider,
        .provider, .evidence, .optionalText("displayName"), .optionalText("picture"), .device
    ) { call, accounts, provider, evidence, displayName, picture, device in
        let profile = Profile(displayName: displayName, picture: picture)
        switch try accounts.signUp(provider, evidence, profile: profile, device: device, from: call.source) {
        case .signedIn(let signedIn): return call.answer(signedIn.json(accounts), status: 201)
        case .verificationSent(let attempt, let ends): return call.answer(codeSent: attempt, ends)
        }
    }

    static let verify = Route(
        account: "POST", "/v1/accounts/sign-up/confirm", "confirmSignUp", need: .nothing,
        RouteDescription("confirms an email with its code, and creates the account")
            .withResponse("the account was created", Schema.named("SignedIn"), status: 201)
            .withProblems(.wrongCode, .accountExists), .hashing, .text("attempt"), .text("code"), .device
    ) { call, accounts, attempt, code, device in
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
            .withResponse("the session", Schema.named("SignedIn"))
            .withProblems(.wrongCredentials, .noAccount, .accountExists, .wrongCode, .linkedElsewhere, .alreadyLinked), .provider,
        .provider, .evidence, .device, .optionalText("link")
    ) { call, accounts, provider, evidence, device, link in
        call.answer(
            try accounts.signIn(provider, evidence, device: device, link: link, from: call.source).json(accounts))
    }

    static let reset = Route(
        account: "POST", "/v1/accounts/reset", "requestReset", need: .nothing,
        RouteDescription("sends a code to reset a password")
            .withNote("The response does not disclose whether the account exists.")
            .withResponse("a code was sent, if the account exists", Schema.named("CodeSent"), status: 202), .hashing,
        .text("email")
    ) { call, accounts, email in
        let sent = try accounts.requestReset(email: email, from: call.source)
        return call.answer(codeSent: sent.attempt, sent.ends)
    }

    static let confirmReset = Route(
        account: "POST", "/v1/accounts/reset/confirm", "confirmReset", need: .nothing,
        RouteDescription("sets a new password with a code, ends all sessions and creates a new one")
            .withResponse("the session", Schema.named("SignedIn"))
            .withProblems(.wrongCode, .unacceptablePassword), .hashing,
        .text("attempt"), .text("code"), .text("password"), .device
    ) { call, accounts, attempt, code, password, device in
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
            .withResponse("the session, with new tokens", Schema.named("SignedIn"))
            .withProblems(.sessionEnded), .fast, .text("refreshToken"), .text("nonce")
    ) { call, accounts, refresh, nonce in
        call.answer(try accounts.refresh(refresh, nonce: nonce).json(accounts))
    }
}

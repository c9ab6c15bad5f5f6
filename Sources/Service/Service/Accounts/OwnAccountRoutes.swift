internal import Events
internal import HTTPServer
internal import Identity

/// Routes for a user's own account (CONFORMANCE I6, I8).
enum OwnAccountRoutes {
    static let all = [get, patch, delete, changeEmail, confirmEmail]

    static let get = Route(
        account: "GET", "/v1/account", "getAccount",
        RouteDescription("the caller's account").withResponse("the account", Schema.named("Account")), .fast
    ) { call, accounts in
        call.answer(try accounts.account(call.access).json(accounts))
    }

    static let patch = Route(
        account: "PATCH", "/v1/account", "changeProfile",
        RouteDescription("changes the profile of the caller; null removes a member")
            .withResponse("the account after the change", Schema.named("Account")), .fast, .change("displayName"),
        .change("picture")
    ) { call, accounts, displayName, picture in
        let account = try accounts.updateProfile(call.access) { profile in
            if let displayName { profile.displayName = displayName }
            if let picture { profile.picture = picture }
        }
        return call.answer(account.json(accounts))
    }

    static let delete = Route(
        account: "DELETE", "/v1/account", "deleteAccount",
        RouteDescription("deletes the caller's account, all its sessions and all its access")
            .withNote("Requires a recent sign-in. If it fails, the account is unchanged, and the caller can try again.")
            .withResponse("the account was deleted", nil, status: 204)
            .withProblems(.recentSignInRequired, .conflict), .fast
    ) { call, accounts in
        try accounts.deleteAccount(call.access)
        return call.done
    }

    static let changeEmail = Route(
        account: "PUT", "/v1/account/email", "requestEmailChange",
        RouteDescription("sends a code to a new email; after its confirmation it replaces the account's email")
            .withNote("Requires a recent sign-in. The response does not disclose whether an account has the email.")
            .withResponse("a code was sent", Schema.named("CodeSent"), status: 202)
            .withProblems(.recentSignInRequired, .conflict), .fast, .text("email")
    ) { call, accounts, email in
        let sent = try accounts.requestEmailChange(call.access, email, from: call.source)
        return call.answer(codeSent: sent.attempt, sent.ends)
    }

    static let confirmEmail = Route(
        account: "POST", "/v1/account/email/confirm", "confirmEmailChange",
        RouteDescription("confirms the new email with the code")
            .withNote("Requires a recent sign-in; ends all other sessions.")
            .withResponse("the account after the change", Schema.named("Account"))
            .withProblems(.recentSignInRequired, .wrongCode, .accountExists, .conflict), .fast, .text("attempt"), .text("code")
    ) { call, accounts, attempt, code in
        call.answer(
            try accounts.confirmEmailChange(call.access, attempt: attempt, code: code, from: call.source).json(accounts))
    }
}

internal import Events
internal import HTTPServer
internal import Identity

/// Routes for a user's own account (CONFORMANCE I6, I8).
enum OwnAccountRoutes {
    static let all = [get, patch, delete, changeEmail, confirmEmail]

    static let get = Route(
        "GET", "/v1/account", "getAccount", need: .session,
        RouteDescription("the caller's account", group: "Accounts").answering("the account", Schema.named("Account"), headers: []),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            return call.answer(try accounts.account(call.access).json(accounts))
        })

    static let patch = Route(
        "PATCH", "/v1/account", "changeProfile", need: .session, bodyLimitBytes: AccountRoutes.bodyLimitBytes,
        RouteDescription("changes the profile of the caller; null removes a member", group: "Accounts")
            .taking(
                body: Schema.object(
                    [:], optional: ["displayName": Schema.orNull(Schema.text), "picture": Schema.orNull(Schema.text)])
            )
            .answering("the account after the change", Schema.named("Account"), headers: []),
        .ofAccounts(.brisk) { call, accounts in
            var arguments = try call.bodyArguments()
            let (displayName, picture) = (try arguments.change("displayName"), try arguments.change("picture"))
            try arguments.finish()
            let account = try accounts.updateProfile(call.access) { profile in
                if let displayName { profile.displayName = displayName }
                if let picture { profile.picture = picture }
            }
            return call.answer(account.json(accounts))
        })

    static let delete = Route(
        "DELETE", "/v1/account", "deleteAccount", need: .session,
        RouteDescription("deletes the caller's account, all its sessions and all its access", group: "Accounts")
            .saying("Requires a recent sign-in. If it fails, the account is unchanged, and the caller can try again.")
            .answering("the account was deleted", nil, status: 204, headers: [])
            .refusing(.recentSignInRequired, .conflict),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            try accounts.deleteAccount(call.access)
            return call.done
        })

    static let changeEmail = Route(
        "PUT", "/v1/account/email", "requestEmailChange", need: .session, bodyLimitBytes: AccountRoutes.bodyLimitBytes,
        RouteDescription("sends a code to a new email; after its confirmation it replaces the account's email", group: "Accounts")
            .saying("Requires a recent sign-in. The response does not disclose whether an account has the email.")
            .taking(body: Schema.object(["email": Schema.text]))
            .answering("a code was sent", Schema.named("CodeSent"), status: 202, headers: [])
            .refusing(.recentSignInRequired, .conflict),
        .ofAccounts(.brisk) { call, accounts in
            var arguments = try call.bodyArguments()
            let email = try arguments.text("email")
            try arguments.finish()
            let sent = try accounts.requestEmailChange(call.access, email, from: call.source)
            return call.answer(codeSent: sent.attempt, sent.ends)
        })

    static let confirmEmail = Route(
        "POST", "/v1/account/email/confirm", "confirmEmailChange", need: .session, bodyLimitBytes: AccountRoutes.bodyLimitBytes,
        RouteDescription("confirms the new email with the code", group: "Accounts")
            .saying("Requires a recent sign-in; ends all other sessions.")
            .taking(body: Schema.object(["attempt": Schema.text, "code": Schema.text]))
            .answering("the account after the change", Schema.named("Account"), headers: [])
            .refusing(.recentSignInRequired, .wrongCode, .accountExists, .conflict),
        .ofAccounts(.brisk) { call, accounts in
            var arguments = try call.bodyArguments()
            let (attempt, code) = (try arguments.text("attempt"), try arguments.text("code"))
            try arguments.finish()
            return call.answer(
                try accounts.confirmEmailChange(call.access, attempt: attempt, code: code, from: call.source).json(accounts))
        })
}

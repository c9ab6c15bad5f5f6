internal import Events
internal import HTTPServer
internal import Identity

/// Routes for a user's own account (CONFORMANCE I6, I8).
enum OwnAccountRoutes {
    static let all = [get, patch, delete, changeEmail, confirmEmail]

    static let get = Route(
        "GET", "/v1/account", "getAccount", need: .session,
        RouteDescription("the caller's account", group: "Accounts").answering("it", Schema.named("Account"), headers: []),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            return call.answer(try accounts.account(call.access).json(accounts))
        })

    static let patch = Route(
        "PATCH", "/v1/account", "changeProfile", need: .session, bodyLimitBytes: AccountRoutes.bodyLimitBytes,
        RouteDescription("changes what the caller says of themselves; null takes it away", group: "Accounts")
            .taking(
                body: Schema.object(
                    [:], optional: ["displayName": Schema.orNull(Schema.text), "picture": Schema.orNull(Schema.text)])
            )
            .answering("the account as it is now", Schema.named("Account"), headers: []),
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
        RouteDescription("deletes the caller's account, and with it every session and everything it was given", group: "Accounts")
            .saying("Needs a recent sign-in. Where it fails the account is as it was, and it can be tried again.")
            .answering("it is gone", nil, status: 204, headers: [])
            .refusing(.recentSignInRequired, .conflict),
        .ofAccounts(.brisk) { call, accounts in
            try Arguments(address: try call.query).finish()
            try accounts.deleteAccount(call.access)
            return call.done
        })

    static let changeEmail = Route(
        "PUT", "/v1/account/email", "requestEmailChange", need: .session, bodyLimitBytes: AccountRoutes.bodyLimitBytes,
        RouteDescription("sends a code to another email, which becomes the account's once it is confirmed", group: "Accounts")
            .saying("Needs a recent sign-in. The answer is the same whether somebody has that email or not.")
            .taking(body: Schema.object(["email": Schema.text]))
            .answering("a code is on its way", Schema.named("CodeSent"), status: 202, headers: [])
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
        RouteDescription("shows that the other email is the caller's own", group: "Accounts")
            .saying("Needs a recent sign-in; ends all other sessions.")
            .taking(body: Schema.object(["attempt": Schema.text, "code": Schema.text]))
            .answering("the account as it is now", Schema.named("Account"), headers: [])
            .refusing(.recentSignInRequired, .wrongCode, .accountExists, .conflict),
        .ofAccounts(.brisk) { call, accounts in
            var arguments = try call.bodyArguments()
            let (attempt, code) = (try arguments.text("attempt"), try arguments.text("code"))
            try arguments.finish()
            return call.answer(
                try accounts.confirmEmailChange(call.access, attempt: attempt, code: code, from: call.source).json(accounts))
        })
}

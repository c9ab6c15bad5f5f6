internal import Credentials
internal import Events
internal import HTTPServer
internal import Identity
internal import Muniment
internal import Permissions

/// Manages all accounts (CONFORMANCE R18).
enum AccountAdministrationRoutes {
    static let all = [find, verify, get, signOut, delete]

    private static let who =
        "Requires a token that administers all stores, or an administrator of a store with accounts."
    private static let whoManages =
        "Requires a token that administers all stores, or an administrator of every store with accounts; a session needs a recent "
        + "sign-in."

    static let find = Route(
        account: "GET", "/v1/accounts", "listAccounts", need: .store,
        RouteDescription("the account with an email, or all accounts in pages").withNote(who)
            .withResponse(
                "the accounts, in the order of their creation",
                Schema.object(["accounts": Schema.list(Schema.named("Account"))], optional: .next)
            )
            .withProblems(.conflict), .fast, .optionalText("email", "the email to search for; at most one account has it"),
        .page(.records, at: nil)
    ) { call, accounts, email, request in
        try call.requireAdministeringAccounts()
        if let email {
            guard try !call.query.has("cursor"), try !call.query.has("limit") else {
                throw Problem(.malformed, "`email` cannot be used with `cursor` and `limit`: omit them")
            }
            let found = try accounts.find(email: email)
            return call.answer(["accounts": .array(found.map { [.object($0.json(accounts))] } ?? [])])
        }
        let last = try request.position { Name($0).problem == nil ? Name($0) : nil }
        // One more account than fits on the page shows if this is the last page.
        let found = accounts.list(after: try last.map { try id(of: $0, accounts) }, limit: request.limit + 1)
        let page = found.prefix(request.limit)
        let members: JSONObject = ["accounts": .array(page.map { .object($0.json(accounts)) })]
        return call.answer(call.page(members, next: found.count > page.count ? page.last?.principal : nil))
    }

    static let verify = Route(
        account: "GET", "/v1/accounts/verify", "verifyAccounts", need: .store,
        RouteDescription("checks the log of accounts: its hash chain, every record, every key")
            .withNote(who)
            .withResponse(
                "the report; `hash` covers the whole log; the bytes of the log beyond `checkedBytes` are not in use",
                Schema.object([
                    "sound": Schema.flag, "problems": Schema.list(Schema.text), "records": Schema.number, "accounts": Schema.number,
                    "sessions": Schema.number, "hash": Schema.orNull(Schema.text), "checkedBytes": Schema.number,
                    "logBytes": Schema.number,
                ])), .fast
    ) { call, accounts in
        try call.requireAdministeringAccounts()
        var report: AccountVerification?
        var problems: [String] = []
        do { report = try accounts.verify() } catch { problems = ["\(error)"] }
        return call.answer([
            "sound": .bool(report != nil), "problems": .texts(problems), "records": .integer(Int64(clamping: report?.records ?? 0)),
            "accounts": .count(report?.accounts ?? 0), "sessions": .count(report?.sessions ?? 0),
            "hash": .optional(report?.headHash), "checkedBytes": .count(report?.checkedBytes ?? 0),
            "logBytes": .count(report?.logBytes ?? 0),
        ])
    }

    static let get = Route(
        account: "GET", "/v1/accounts/{principal}", "describeAccount", need: .store,
        RouteDescription("an account").withNote(who)
            .withResponse("the account", Schema.named("Account")), .fast
    ) { call, accounts in
        try call.requireAdministeringAccounts()
        return call.answer(try call.account(in: accounts).json(accounts))
    }

    static let signOut = Route(
        account: "POST", "/v1/accounts/{principal}/sign-out", "endSessionsOfAccount", need: .store,
        RouteDescription("ends every session of an account")
            .withNote(whoManages)
            .withResponse("the sessions ended", nil, status: 204)
            .withProblems(.recentSignInRequired), .fast
    ) { call, accounts in
        try call.requireManagingAccounts(accounts)
        try accounts.endSessions(principal: try call.account(in: accounts).principal)
        return call.done
    }

    static let delete = Route(
        account: "DELETE", "/v1/accounts/{principal}", "deleteAccountOf", need: .store,
        RouteDescription("deletes an account, all its sessions and all its access")
            .withNote(whoManages)
            .withResponse("the account was deleted", nil, status: 204)
            .withProblems(.recentSignInRequired, .conflict), .fast
    ) { call, accounts in
        try call.requireManagingAccounts(accounts)
        try accounts.deleteAccount(principal: try call.account(in: accounts).principal)
        return call.done
    }

    /// Where a page begins.
    private static func id(of principal: Name, _ accounts: Accounts) throws(Problem) -> AccountID {
        guard let account = accounts.account(principal: principal) else {
            throw Problem(.conflict, "the account in `cursor` no longer exists: begin with the first page")
        }
        return account.id
    }
}

extension RequestContext {
    /// Returns the account that the path names.
    fileprivate func account(in accounts: Accounts) throws(Problem) -> Account {
        guard let account = accounts.account(principal: Name(parameter("principal"))) else {
            throw Problem(.notFound, "no account has this principal: check the list of all accounts")
        }
        return account
    }

    /// Throws unless the caller may read accounts. Administering one of the stores is sufficient.
    fileprivate func requireAdministeringAccounts() throws {
        guard try mayAdministerAccounts(ofEveryStore: false) else { throw Problem.beyondToken("administer accounts") }
    }

    /// Throws unless the caller may change accounts, which affects all stores. A session requires a recent sign-in (CONFORMANCE
    /// I7); a token acts for a program, which cannot sign in.
    fileprivate func requireManagingAccounts(_ accounts: Accounts) throws {
        guard try mayAdministerAccounts(ofEveryStore: true) else { throw Problem.beyondToken("administer accounts") }
        if caller?.session != nil { try accounts.requireRecentSignIn(access) }
    }

    private func mayAdministerAccounts(ofEveryStore: Bool) throws -> Bool {
        guard let caller else { return false }
        if caller.reaches(.administeringAll, in: nil) { return true }
        guard case .act(let principal) = caller.right, principal != .anonymous, caller.mayAdminister else { return false }
        let stores = service.settings.accounts?.stores ?? []
        var administered = 0
        for name in stores where caller.stores.includes(name.text) {
            if try service.data.store(name)?.store.administrators.contains(principal) == true { administered += 1 }
        }
        return administered > 0 && (!ofEveryStore || administered == stores.count)
    }
}

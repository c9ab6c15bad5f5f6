import Credentials
import Events
import Identity
import Muniment
import NetworkClient
import Permissions

extension Command {
    private static let options: [Option] = [.data, .json]

    static let accountFind = Command(
        "account find", "the account with an email", sentence: "EMAIL", options: options,
        example: Example(
            "account find ann@example.com --data site",
            "user:k3v9q2m7x1c8p4d6r5t0w2y7za  ann@example.com  Ann  password  since 2026-01-31T10:21:00Z")
    ) { call in
        let text = try call.word("the email")
        try call.end()
        guard let email = EmailAddress(text) else {
            throw UsageError("`\(text)` is no email; write one like ann@example.com")
        }
        return try call.withAccounts { desk, call in
            guard let account = try desk.send(.get, "/v1/accounts?email=" + FormText.escaped(email.text)).list("accounts").first
            else {
                throw AccountRefusal(nobody: "nobody with an account has the email `\(email)`")
            }
            return try call.show(account)
        }
    }

    static let accountShow = Command(
        "account show", "somebody's account", sentence: "PRINCIPAL", options: options,
        example: Example(
            "account show user:k3v9q2m7x1c8p4d6r5t0w2y7za --data site",
            "user:k3v9q2m7x1c8p4d6r5t0w2y7za  ann@example.com  Ann  password  since 2026-01-31T10:21:00Z")
    ) { call in
        let principal = try call.accountPrincipal()
        return try call.withAccounts { desk, call in try call.show(try desk.send(.get, principal.accountTarget)) }
    }

    static let accountList = Command(
        "account list", "everybody who has an account, in the order in which they signed up", options: options,
        example: Example(
            "account list --data site",
            "user:k3v9q2m7x1c8p4d6r5t0w2y7za  ann@example.com  Ann  password  since 2026-01-31T10:21:00Z")
    ) { call in
        try call.end()
        return try call.withAccounts { desk, call in
            var next: String?
            repeat {
                let page = try desk.send(.get, "/v1/accounts?limit=1000" + (next.map { "&after=" + FormText.escaped($0) } ?? ""))
                for account in page.list("accounts") { _ = try call.show(account) }
                next = page.text("next")
            } while next != nil
            return .success
        }
    }

    static let accountSignOut = Command(
        "account sign-out", "end every session of somebody", sentence: "PRINCIPAL", options: options,
        example: Example(
            "account sign-out user:k3v9q2m7x1c8p4d6r5t0w2y7za --data site",
            "every session of user:k3v9q2m7x1c8p4d6r5t0w2y7za is over")
    ) { call in
        let principal = try call.accountPrincipal()
        return try call.withAccounts { desk, call in
            _ = try desk.send(.post, principal.accountTarget + "/sign-out")
            return try call.done(principal, "every session of \(principal) is over")
        }
    }

    static let accountDelete = Command(
        "account delete", "delete somebody's account, its sessions, and everything it was given in any store",
        sentence: "PRINCIPAL", options: options,
        example: Example(
            "account delete user:k3v9q2m7x1c8p4d6r5t0w2y7za --data site",
            "the account of user:k3v9q2m7x1c8p4d6r5t0w2y7za is gone, and everything it was given")
    ) { call in
        let principal = try call.accountPrincipal()
        return try call.withAccounts { desk, call in
            _ = try desk.send(.delete, principal.accountTarget)
            return try call.done(principal, "the account of \(principal) is gone, and everything it was given")
        }
    }

    static let accountVerify = Command(
        "account verify", "whether the log of accounts is whole: its chain of hashes, every record, every key", options: options,
        example: Example(
            "account verify --data site",
            "sound: 2 records, 1 accounts, 0 sessions, head 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f")
    ) { call in
        try call.end()
        return try call.withAccounts { desk, call in
            let report = try desk.send(.get, "/v1/accounts/verify")
            let isSound = report["sound"] == .bool(true)
            if call.isJSON {
                try call.output.json(report)
            } else if isSound {
                let counts = ["records", "accounts", "sessions"].map { "\(report.number($0)) \($0)" }
                try call.output.line("sound: \(counts.joined(separator: ", ")), head \(report.text("hash") ?? "none")")
            } else {
                for problem in report.list("problems") { if case .string(let text) = problem { try call.output.line(text) } }
            }
            return isSound ? .success : .failure
        }
    }
}

extension Call {
    /// Takes the last word as a principal with an account.
    fileprivate mutating func accountPrincipal() throws -> Name {
        let name = try name("the principal")
        try end()
        guard name.kind == .caller else {
            throw UsageError("`\(name)` has no account; write a principal like `user:…`, or `muniment account find EMAIL` first")
        }
        return name
    }

    fileprivate func withAccounts(_ body: (AccountsDesk, Call) throws -> ExitCode) throws -> ExitCode {
        let desk = try AccountsDesk(dataDirectory: try dataDirectory, options: storeOptions)
        let code: ExitCode
        do { code = try body(desk, self) } catch {
            try? desk.close()
            throw error
        }
        try desk.close()
        return code
    }

    fileprivate func show(_ account: JSONValue) throws -> ExitCode {
        if isJSON { try output.json(account) } else { try output.line(account.accountLine) }
        return .success
    }

    fileprivate func done(_ principal: Name, _ sentence: String) throws -> ExitCode {
        if isJSON {
            try output.json(.object(["principal": .name(principal), "done": .bool(true)]))
        } else {
            try output.line(sentence)
        }
        return .success
    }
}

extension AccountRefusal {
    fileprivate init(nobody sentence: String) { self.init(status: 404, problem: .object(["detail": .string(sentence)])) }
}

extension JSONValue {
    fileprivate func list(_ name: String) -> [JSONValue] { if case .array(let values)? = self[name] { values } else { [] } }
    fileprivate func number(_ name: String) -> Int64 { if case .integer(let number)? = self[name] { number } else { 0 } }
    fileprivate func text(_ name: String) -> String? { if case .string(let text)? = self[name] { text } else { nil } }

    /// An account in text form: principal, email, name, identities.
    fileprivate var accountLine: String {
        let ways = list("identities").compactMap { $0.text("provider") }.joined(separator: ",")
        return [text("principal"), text("email") ?? "no email", text("displayName"), ways, "since " + (text("createdAt") ?? "")]
            .compactMap { $0 }.joined(separator: "  ")
    }
}

extension Name {
    /// The path of a principal's account in the HTTP API.
    fileprivate var accountTarget: String { "/v1/accounts/" + FormText.escaped(text) }
}

import Credentials
import Events
import Identity
import Muniment
import NetworkClient
import Permissions
import Wire

extension Command {
    private static let options: [Option] = [.data, .json]
    private static let accountLine =
        "user:k3v9q2m7x1c8p4d6r5t0w2y7za  ann@example.com  Ann  password  since 2026-01-31T10:21:00Z"

    static let accountFind = Command(
        "account find", "show the account with an email", sentence: "EMAIL", options: [.utc] + options,
        example: Example("account find ann@example.com --data site", accountLine)
    ) { call in
        let text = try call.word("the email")
        try call.end()
        guard let email = EmailAddress(text) else {
            throw UsageError("`\(text)` is not an email; write one like ann@example.com")
        }
        return try call.withAccounts { access, call in
            guard let account = try access.send(.get, "/v1/accounts?email=" + email.text.percentEncoded).list("accounts").first
            else {
                throw AccountCommandError(nobody: "no account has the email `\(email)`")
            }
            return try call.show(account)
        }
    }

    static let accountShow = Command(
        "account show", "show an account", sentence: "PRINCIPAL", options: [.utc] + options,
        example: Example("account show user:k3v9q2m7x1c8p4d6r5t0w2y7za --data site", accountLine)
    ) { call in
        let principal = try call.accountPrincipal()
        return try call.withAccounts { access, call in try call.show(try access.send(.get, principal.accountTarget)) }
    }

    static let accountList = Command(
        "account list", "list all accounts, in the order of their creation", options: [.format, .utc] + options,
        example: Example("account list --data site", accountLine)
    ) { call in
        try call.withAccounts { access, call in
            var printer = try ListPrinter(call, columns: ["principal", "email", "displayName", "providers", "createdAt"])
            let zone = printer.zone
            try access.forEach("accounts", at: "/v1/accounts") {
                try printer.print($0, lines: [$0.accountLine(in: zone)], rows: [$0.accountRow])
            }
            try printer.end()
            return .success
        }
    }

    static let accountSignOut = Command(
        "account sign-out", "end every session of an account", sentence: "PRINCIPAL", options: options,
        example: Example(
            "account sign-out user:k3v9q2m7x1c8p4d6r5t0w2y7za --data site",
            "ended every session of user:k3v9q2m7x1c8p4d6r5t0w2y7za")
    ) { call in
        let principal = try call.accountPrincipal()
        return try call.withAccounts { access, call in
            _ = try access.send(.post, principal.accountTarget + "/sign-out")
            return try call.done(principal, "ended every session of \(principal)")
        }
    }

    static let accountDelete = Command(
        "account delete", "delete an account, its sessions, and all its access in every store",
        sentence: "PRINCIPAL", options: options,
        example: Example(
            "account delete user:k3v9q2m7x1c8p4d6r5t0w2y7za --data site",
            "deleted the account of user:k3v9q2m7x1c8p4d6r5t0w2y7za and all its access")
    ) { call in
        let principal = try call.accountPrincipal()
        return try call.withAccounts { access, call in
            _ = try access.send(.delete, principal.accountTarget)
            return try call.done(principal, "deleted the account of \(principal) and all its access")
        }
    }

    static let accountVerify = Command(
        "account verify", "check the log of accounts: its hash chain, every record, every key", options: options,
        example: Example(
            "account verify --data site",
            "sound: 2 records, 1 accounts, 0 sessions, head 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f\n"
                + "1234 of 24576 bytes of the log were checked; the others are not in use")
    ) { call in
        try call.withAccounts { access, call in
            let report = try access.send(.get, "/v1/accounts/verify")
            let isSound = report["sound"] == .bool(true)
            let counts = ["records", "accounts", "sessions"].map { "\(report.number($0)) \($0)" }
            let lines =
                isSound
                ? [
                    "sound: \(counts.joined(separator: ", ")), head \(report.text("hash") ?? "none")",
                    "\(report.number("checkedBytes")) of \(report.number("logBytes")) bytes of the log were checked; "
                        + "the others are not in use",
                ]
                : report.list("problems").compactMap { if case .string(let text) = $0 { text } else { nil } }
            return try call.answer(report, lines: lines, isSound ? .success : .failure)
        }
    }
}

extension Invocation {
    /// Takes the last word as a principal with an account.
    fileprivate mutating func accountPrincipal() throws -> Name {
        let name = try name("the principal")
        try end()
        guard name.kind == .caller else {
            throw UsageError(
                "`\(name)` has no account; write a principal like `user:…`, or find it with `muniment account find EMAIL`")
        }
        return name
    }

    fileprivate func withAccounts(_ body: (AccountsAccess, Invocation) throws -> ExitCode) throws -> ExitCode {
        let access = try AccountsAccess(dataDirectory: try dataDirectory, options: storeOptions)
        let code: ExitCode
        do { code = try body(access, self) } catch {
            try? access.close()
            throw error
        }
        try access.close()
        return code
    }

    fileprivate func show(_ account: JSONValue) throws -> ExitCode {
        try answer(account, lines: [try account.accountLine(in: zone)])
    }

    fileprivate func done(_ principal: Name, _ sentence: String) throws -> ExitCode {
        try answer(.object(["principal": .name(principal), "done": .bool(true)]), lines: [sentence])
    }
}

extension AccountCommandError {
    fileprivate init(nobody sentence: String) { self.init(status: 404, problem: .object(["detail": .string(sentence)])) }
}

extension JSONValue {
    /// The text with a name in an object; nil without one.
    func text(_ name: String) -> String? { if case .string(let text)? = self[name] { text } else { nil } }
    func list(_ name: String) -> [JSONValue] { if case .array(let values)? = self[name] { values } else { [] } }
    fileprivate func number(_ name: String) -> Int64 { if case .integer(let number)? = self[name] { number } else { 0 } }

    private var providers: [String] { list("identities").compactMap { $0.text("provider") } }
    private var createdAt: Instant? { text("createdAt").flatMap { try? Instant($0) } }

    fileprivate var accountRow: [Cell] {
        [.text(text("principal")), .text(text("email")), .text(text("displayName")), .list(providers), .time(createdAt)]
    }

    /// Returns an account in text form: principal, email, name, identities.
    fileprivate func accountLine(in zone: Zone) -> String {
        let ways = providers.joined(separator: ",")
        let since = createdAt.map(zone.text) ?? ""
        return [text("principal"), text("email") ?? "no email", text("displayName"), ways, "since " + since]
            .compactMap { $0 }.joined(separator: "  ")
    }
}

extension Name {
    /// The path of a principal's account in the HTTP API.
    fileprivate var accountTarget: String { "/v1/accounts/" + text.percentEncoded }
}

import Credentials
import EventLog
import Events
import Files
import Foundation
import Muniment
import Permissions
import PostgreSQLLog
import Wire

extension Option {
    fileprivate static let stores = Option("store", value: "NAME[,NAME…]", "the stores of the token; `*` for all of them")
    fileprivate static let can = Option("can", value: "ask|act|observe|administer", "the rights of the token")
    fileprivate static let actor = Option("as", value: "PRINCIPAL", "with `--can act`: the caller, a user, a thing or anonymous")
    fileprivate static let end = Option("until", value: "TIME", "when the token expires (default: never)")
    fileprivate static let comment = Option("comment", value: "TEXT", "a description; not a secret")
}

extension Command {
    static let tokenCreate = Command(
        "token create", "create a token for the service, and print it once",
        options: [.data, .stores, .can, .actor, .end, .comment, .json] + Option.sharedLogAccess,
        example: Example(
            "token create --data . --store demo --can act --as user:ann", "muni_rcU6Xn0cXb1dZ3yq0F2p5s7t9vAwByCzDxEwFvGuHt4")
    ) { call in
        let registry = try call.tokenRegistry()
        let (stores, right) = (try call.tokenStores(), try call.tokenRight())
        let made: (secret: String, token: Token)
        do {
            made = try registry.create(
                stores: stores, right: right, until: try call.time(.end), comment: call.options[.comment],
                at: .present)
        } catch let error as TokenError {
            throw UsageError(error.description)
        }
        if case .named(let names) = stores {
            for name in names where !Store.exists(at: try call.dataDirectory + "/" + name) {
                call.note("`\(try call.dataDirectory)` has no store `\(name)` yet")
            }
        }
        return try call.answer(made.token.json(at: .present).with(["secret": .string(made.secret)]), lines: [made.secret])
    }

    static let tokenList = Command(
        "token list", "list current and former tokens, without their secrets", options: [.data, .format, .utc, .json],
        example: Example(
            "token list --data .", "t1  good     act as user:ann  demo  made 2026-01-31T10:21:00Z")
    ) { call in
        let (tokens, now) = (try call.tokenRegistry().list(), Instant.present)
        return try call.answer(
            .object(["tokens": .array(tokens.map { $0.json(at: now) })]), lines: try call.lines(of: tokens, at: now),
            table: Table(Token.columns, tokens.map { $0.cells(at: now) }))
    }

    static let tokenShow = Command(
        "token show", "show a token, without its secret", sentence: "ID", options: [.data, .utc, .json],
        example: Example(
            "token show t1 --data .", "t1  good     act as user:ann  demo  made 2026-01-31T10:21:00Z")
    ) { call in
        let id = try call.tokenID()
        try call.end()
        let (tokens, now) = (try call.tokenRegistry().list(), Instant.present)
        guard let token = tokens.first(where: { $0.id == id }) else { throw TokenCommandError(error: .noSuchToken(id: id)) }
        return try call.answer(token.json(at: now), lines: try call.lines(of: [token], at: now))
    }

    static let tokenRevoke = Command(
        "token revoke", "revoke a token: it becomes invalid at once", sentence: "ID",
        options: [.data, .json] + Option.sharedLogAccess,
        example: Example("token revoke t1 --data .", "revoked t1")
    ) { call in
        let id = try call.tokenID()
        try call.end()
        let token: Token
        do { token = try call.tokenRegistry().revoke(id: id, at: .present) } catch let error as TokenError {
            throw TokenCommandError(error: error)
        }
        return try call.answer(token.json(at: .present), lines: ["revoked \(token.id)"])
    }
}

extension Command {
    static let tokenAdopt = Command(
        "token adopt", "accept the tokens of a shared log that an earlier release wrote, without codes; prints them",
        options: [.data, .utc, .json] + Option.sharedLogAccess,
        example: Example(
            "token adopt --data data --log postgresql://muniment@db/muniment",
            "t1  good     administer  *  made 2026-01-31T10:21:00Z  made at the first start")
    ) { call in
        let registry = try call.tokenRegistry()
        guard registry.isShared else {
            throw UsageError("the shared log is missing; write `\(Option.sharedLogAddress.usage)`")
        }
        let (tokens, now) = (try registry.adoptSharedLines(), Instant.present)
        call.note("anyone with the password of the database could have made these tokens: revoke those that you do not know")
        return try call.answer(
            .object(["tokens": .array(tokens.map { $0.json(at: now) })]), lines: try call.lines(of: tokens, at: now))
    }
}

/// A token that does not exist, or is already revoked.
struct TokenCommandError: Error, CustomStringConvertible {
    let error: TokenError

    var description: String { error.description }
}

extension Invocation {
    /// The folder of the stores of a service.
    var dataDirectory: String {
        get throws {
            guard let path = options[.data], !path.isEmpty else {
                throw UsageError("the data directory is missing; write `--data DIR`")
            }
            return path
        }
    }

    /// Reads the id of a token. A secret as argument would be in the history of the shell.
    fileprivate mutating func tokenID() throws -> String {
        let id = try word("the id of the token in `token list`")
        guard !id.hasPrefix("muni_") else {
            throw UsageError("the argument is a token, which is a secret; write its id from `muniment token list`")
        }
        return id
    }

    /// Returns a line for each token, in columns.
    fileprivate func lines(of tokens: [Token], at now: Instant) throws -> [String] {
        let zone = try zone
        let rows = tokens.map { $0.row(at: now, in: zone) }
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { $0 < widths.count ? $1.padded(to: widths[$0]) : $1 }.joined(separator: "  ")
        }
    }

    fileprivate func tokenRegistry() throws -> TokenRegistry {
        let directory = try dataDirectory
        try requireFolder(directory)
        return TokenRegistry(dataDirectory: directory, shared: try sharedLogs()?.log(of: SharedLogNames.tokens)) {
            writeError("note: \($0)")
        }
    }

    fileprivate func tokenStores() throws -> StoreScope {
        let scope = try options.value(of: .stores) { text -> StoreScope in
            let names = Values.list(text)
            guard names != ["*"] else { return .all }
            // The option takes a store name; a path is probably meant for `--store`.
            if let path = names.first(where: { $0.contains("/") }) {
                throw UsageError("`\(path)` is a path; write the name of the store in the data directory")
            }
            return .named(names)
        }
        guard let scope else {
            throw UsageError("the store is missing; write `--store NAME`, or `--store '*'` for all of them")
        }
        return scope
    }

    fileprivate func tokenRight() throws -> Right {
        switch (options[.can], try name(.actor)) {
        case ("ask"?, nil): return .ask
        case ("observe"?, nil): return .observe
        case ("administer"?, nil): return .administer
        case ("act"?, let name?): return .act(as: name)
        case ("act"?, nil): throw UsageError("the caller is missing; write `--as PRINCIPAL`")
        case ("ask"?, _?), ("observe"?, _?), ("administer"?, _?): throw UsageError("`--as` requires `--can act`; omit it")
        case (let word?, _): throw UsageError("--can: `\(word)` is not a right of a token; write ask, act, observe or administer")
        case (nil, _): throw UsageError("the rights of the token are missing; write `--can ask|act|observe|administer`")
        }
    }
}

extension Token {
    fileprivate static let columns = ["id", "state", "can", "as", "stores", "made", "until", "revoked", "comment"]

    fileprivate func cells(at now: Instant) -> [Cell] {
        let actor: String? = if case .act(let name) = right { name.text } else { nil }
        return [
            .text(id), .text(state(at: now).rawValue), .text(right.word), .text(actor), .list(stores.names), .time(createdAt),
            .time(until),
            .time(revokedAt), .text(comment),
        ]
    }

    fileprivate func row(at now: Instant, in zone: Zone) -> [String] {
        let what = if case .act(let name) = right { "act as \(name)" } else { right.word }
        var row = [
            id, state(at: now).rawValue.padded(to: "revoked".count), what, stores.names.joined(separator: ","),
            "made " + zone.text(createdAt),
        ]
        if let revokedAt {
            row.append("revoked " + zone.text(revokedAt))
        } else if let until {
            row.append("until " + zone.text(until))
        }
        if let comment { row.append(comment) }
        return row
    }

    fileprivate func json(at now: Instant) -> JSONValue {
        Table.object(Token.columns, cells(at: now))
    }
}

extension Instant {
    /// The current time of the machine's clock.
    fileprivate static var present: Instant {
        Instant(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded(.down)))
    }
}

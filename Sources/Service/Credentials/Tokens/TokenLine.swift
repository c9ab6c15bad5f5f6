package import Events
internal import Hashing
internal import Permissions
internal import Secrets

/// A line of the token file after the first, without its checksum.
///
///     {"created":"t1","time":"…","hash":"64 hexadecimal digits","can":"act","as":"user:ann","stores":["default"]}
///     {"revoked":"t1","time":"…"}
///     {"accepted":"5","time":"…"}
///     {"adopted":"3","log":"22 random characters"}
///
/// - `accepted`: how many changes the file had before it was replaced by an older copy.
/// - `adopted`: the number of lines before it. They have no codes, and the nodes of a shared log accept them.
/// - `stores`: `"*"` for all stores.
/// - `as`: only for `act`.
/// - `until`, `comment`: optional.
enum TokenLine {
    case created(Token, Digest)
    case revoked(id: String, Instant)
    /// The file was an older copy, or missing, and the operator accepted that.
    case accepted(changesBefore: String, Instant)
    /// The nodes of a shared log accept the lines before. The name makes the sums of each log different.
    case adopted(lines: String, log: String)

    static let limitBytes = 16_384

    init(_ bytes: [UInt8]) throws(TokenFileError.LineError) {
        let value: JSONValue
        do { value = try JSONText.decode(bytes, limit: TokenLine.limitBytes) } catch { throw .malformed(error.description) }
        var members = try ObjectReader<TokenFileError.LineError>(value)
        if let lines = try members.optionalText("adopted") {
            self = .adopted(lines: lines, log: try members.text("log"))
            try members.finish()
            return
        }
        let time = try members.required("time", try members.optionalInstant("time"))
        if let id = try members.optionalText("revoked") {
            self = .revoked(id: id, time)
        } else if let changes = try members.optionalText("accepted") {
            self = .accepted(changesBefore: changes, time)
        } else {
            let id = try members.text("created")
            guard let digest = Digest(hexadecimal: try members.text("hash")) else {
                throw members.wrong("hash", "is not a SHA-256", "restore it")
            }
            let token = Token(
                id: id, stores: try members.stores(), right: try members.right(), until: try members.optionalInstant("until"),
                createdAt: time, comment: try members.optionalText("comment"))
            self = .created(token, digest)
        }
        // A member that this version does not know could restrict the token.
        try members.finish()
    }

    /// Reads the bytes of a record: a line without its last brace, with or without a code.
    init(record: [UInt8]) throws(TokenFileError.LineError) {
        self = try TokenLine(CodedTokenLine(record)?.object ?? record + [UInt8(ascii: "}")])
    }

    static func randomLogName() -> String { Base64URL.encode(Secrets.randomBytes(16)) }

    /// The line without its line break.
    var bytes: [UInt8] {
        var members: [(String, JSONValue)]
        switch self {
        case .revoked(let id, let time): members = [("revoked", .string(id)), ("time", .string(time.description))]
        case .accepted(let changes, let time):
            members = [("accepted", .string(changes)), ("time", .string(time.description))]
        case .adopted(let lines, let log): members = [("adopted", .string(lines)), ("log", .string(log))]
        case .created(let token, let digest):
            members = [
                ("created", .string(token.id)), ("time", .string(token.createdAt.description)),
                ("hash", .string(digest.description)), ("can", .string(token.right.word)),
            ]
            if case .act(let name) = token.right { members.append(("as", .string(name.text))) }
            members.append(("stores", token.stores.json))
            if let until = token.until { members.append(("until", .string(until.description))) }
            if let comment = token.comment { members.append(("comment", .string(comment))) }
        }
        var writer = JSONWriter()
        writer.writeMembers(members) { $0.write($1) }
        return Array(writer.text.utf8)
    }
}

extension Right {
    /// The name of the right in commands and files.
    public var word: String {
        switch self {
        case .act: "act"
        case .ask: "ask"
        case .observe: "observe"
        case .administer: "administer"
        }
    }
}

extension StoreScope {
    /// `"*"`, or the list of names.
    var json: JSONValue {
        switch self {
        case .all: .string("*")
        case .named(let names): .array(names.map(JSONValue.string))
        }
    }
}

extension TokenFileError.LineError: MemberFailure {
    package init(_ problem: MemberProblem) { self = .malformed(problem.description) }
}

extension ObjectReader<TokenFileError.LineError> {
    fileprivate mutating func stores() throws(TokenFileError.LineError) -> StoreScope {
        if value("stores") == .string("*") { return .all }
        let names = try texts("stores")
        guard !names.isEmpty, names.allSatisfy(StoreScope.isStoreName) else {
            throw wrong("stores", "contains a value that is not a store name", "restore it")
        }
        return .named(names)
    }

    fileprivate mutating func right() throws(TokenFileError.LineError) -> Right {
        let name = try optionalText("as").map { Name($0) }
        switch (try text("can"), name) {
        case ("ask", nil): return .ask
        case ("observe", nil): return .observe
        case ("administer", nil): return .administer
        case ("act", let name?) where name.canAct: return .act(as: name)
        default: throw wrong("can", "contradicts `as`", "restore it")
        }
    }
}

extension Name {
    /// Whether the name can be the actor of changes: a user, a thing or `anonymous`.
    var canAct: Bool { isWellFormed && (kind == .caller || kind == .anonymous) }
}

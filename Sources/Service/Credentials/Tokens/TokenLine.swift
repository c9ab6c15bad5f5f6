internal import Events
internal import Hashing
internal import Permissions

/// A line of the token file after the first, without its checksum.
///
///     {"created":"t1","time":"…","hash":"64 hexadecimal digits","can":"act","as":"user:ann","stores":["default"]}
///     {"revoked":"t1","time":"…"}
///     {"accepted":"5","time":"…"}
///
/// - `accepted`: how many changes the file had before it was replaced by an older copy.
/// - `stores`: `"*"` for all stores.
/// - `as`: only for `act`.
/// - `until`, `comment`: optional.
enum TokenLine {
    case created(Token, Digest)
    case revoked(id: String, Instant)
    /// The file was an older copy, or missing, and the operator accepted that.
    case accepted(changesBefore: String, Instant)

    static let limitBytes = 16_384

    init(_ bytes: [UInt8]) throws(TokenFileError.Reason) {
        let value: JSONValue
        do { value = try JSONText.decode(bytes, limit: TokenLine.limitBytes) } catch { throw .malformed(error.description) }
        guard case .object(var members) = value else { throw .malformed("it is not an object") }
        let time = try members.takeTime("time")
        if let id = try members.takeText("revoked") {
            self = .revoked(id: id, try time.orMissing("time"))
        } else if let changes = try members.takeText("accepted") {
            self = .accepted(changesBefore: changes, try time.orMissing("time"))
        } else {
            let id = try members.takeText("created").orMissing("created")
            let digest = try Digest(hexadecimal: members.takeText("hash").orMissing("hash")).orMissing("hash")
            let token = Token(
                id: id, stores: try members.takeStores(), right: try members.takeRight(), until: try members.takeTime("until"),
                createdAt: try time.orMissing("time"), comment: try members.takeText("comment"))
            self = .created(token, digest)
        }
        // A member that this version does not know could restrict the token.
        if let unknown = members.keys.first { throw .malformed("it has a member `\(unknown)`, which this version does not know") }
    }

    /// The line without its line break.
    var bytes: [UInt8] {
        var members: [(String, JSONValue)]
        switch self {
        case .revoked(let id, let time): members = [("revoked", .string(id)), ("time", .string(time.description))]
        case .accepted(let changes, let time):
            members = [("accepted", .string(changes)), ("time", .string(time.description))]
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

extension JSONObject {
    fileprivate mutating func takeText(_ name: String) throws(TokenFileError.Reason) -> String? {
        guard let value = self[name] else { return nil }
        guard case .string(let text) = value else { throw .malformed("`\(name)` is not a string") }
        self[name] = nil
        return text
    }

    fileprivate mutating func takeTime(_ name: String) throws(TokenFileError.Reason) -> Instant? {
        guard let text = try takeText(name) else { return nil }
        do { return try Instant(text) } catch { throw .malformed(error.description) }
    }

    fileprivate mutating func takeStores() throws(TokenFileError.Reason) -> StoreScope {
        let value = self["stores"]
        self["stores"] = nil
        if case .string("*")? = value { return .all }
        guard case .array(let items)? = value, !items.isEmpty else {
            throw .malformed("`stores` is neither `*` nor a list of names")
        }
        var names: [String] = []
        for item in items {
            guard case .string(let name) = item, StoreScope.isStoreName(name) else {
                throw .malformed("`stores` contains a value that is not a store name")
            }
            names.append(name)
        }
        return .named(names)
    }

    fileprivate mutating func takeRight() throws(TokenFileError.Reason) -> Right {
        let name = try takeText("as").map { Name($0) }
        switch (try takeText("can"), name) {
        case ("ask"?, nil): return .ask
        case ("administer"?, nil): return .administer
        case ("act"?, let name?) where name.canAct: return .act(as: name)
        default: throw .malformed("`can` and `as` contradict each other")
        }
    }
}

extension Name {
    /// Whether the name can be the actor of changes: a user, a thing or `anonymous`.
    var canAct: Bool { isWellFormed && (kind == .caller || kind == .anonymous) }
}

extension Optional {
    fileprivate func orMissing(_ name: String) throws(TokenFileError.Reason) -> Wrapped {
        guard let self else { throw .malformed("`\(name)` is missing or has the wrong form") }
        return self
    }
}

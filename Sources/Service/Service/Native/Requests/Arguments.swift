internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// The arguments of a request: the members of its body, or the parameters of its address, read one by one.
typealias Arguments = ObjectReader<Problem>

extension Problem: MemberFailure {
    init(_ problem: MemberProblem) {
        let path = problem.path.map { Name($0).excerpt }
        self.init(
            .malformed, "\(path.map { "`\($0)`" } ?? "the body") \(problem.problem): \(problem.remedy)",
            members: JSONObject(path.map { [("argument", .string($0))] } ?? []))
    }
}

extension Arguments {
    init(body: JSONValue) throws(Problem) { try self.init(body) }

    init(address: QueryParameters) {
        var members: JSONObject = [:]
        for (name, value) in address.items {
            switch members[name] {
            case nil: members[name] = .string(value)
            case .array(let values)?: members[name] = .array(values + [.string(value)])
            case let first?: members[name] = .array([first, .string(value)])
            }
        }
        self.init(members, isAddress: true)
    }
}

/// Reads values in the types that routes need.
extension Arguments {
    mutating func optionalName(_ name: String) throws(Problem) -> Name? {
        guard let found = try optionalText(name).map({ Name($0) }) else { return nil }
        if let problem = found.problem { throw Problem(.malformed, problem.message, members: ["argument": .string(name)]) }
        return found
    }

    /// Returns the names of privileges. Throws if the list is empty or contains an empty name.
    fileprivate func checked(_ privileges: [String], _ name: String) throws(Problem) -> [String] {
        guard !privileges.isEmpty, privileges.allSatisfy({ !$0.isEmpty }) else {
            throw wrong(name, "contains no privilege", "write one, such as read")
        }
        return privileges
    }

    fileprivate mutating func optionalRevision(_ name: String) throws(Problem) -> Revision? {
        switch value(name) {
        case nil: return nil
        case .integer(let number)? where number >= 0: return Revision(UInt64(number))
        case .string(let text)? where isAddress:
            if let revision = Revision(text: text) { return revision }
            fallthrough
        case _?: throw wrong(name, "is not a revision", "write a whole number")
        }
    }

    mutating func optionalMoment(_ name: String) throws(Problem) -> Moment? {
        switch value(name) {
        case nil: return nil
        case .integer(let number)? where number >= 0: return .revision(Revision(UInt64(number)))
        case .string(let text)?:
            if let moment = Moment(text: text) { return moment }
            fallthrough
        case _?:
            throw wrong(
                name, "is not a point in time", "write a revision number, a time like 2026-01-31T10:00:00Z or a day like 2026-01-31"
            )
        }
    }
}

// MARK: Arguments of several routes

extension Argument {
    static func name(_ name: String, _ text: String = "") -> Argument where Value == Name {
        Argument(name, text, Schema.name, isRequired: true) { try $0.required(name, try $0.optionalName(name)) }
    }

    static func optionalName(_ name: String, _ text: String = "") -> Argument where Value == Name? {
        Argument(name, text, Schema.name) { try $0.optionalName(name) }
    }

    static func text(_ name: String) -> Argument where Value == String {
        Argument(name, isRequired: true) { try $0.text(name) }
    }

    static func optionalText(_ name: String, _ text: String = "") -> Argument where Value == String? {
        Argument(name, text) { try $0.optionalText(name) }
    }

    static func texts(_ name: String, _ schema: JSONValue = Schema.list(Schema.text)) -> Argument where Value == [String] {
        Argument(name, "", schema) { try $0.optionalTexts(name) ?? [] }
    }

    static func flag(_ name: String, _ text: String = "", default standard: Bool) -> Argument where Value == Bool {
        Argument(name, text, Schema.flag) { try $0.flag(name, default: standard) }
    }

    static func count(_ name: String, _ text: String, upTo limit: Int, default standard: Int) -> Argument where Value == Int {
        Argument(name, text, Schema.count(upTo: limit, default: standard)) {
            try $0.optionalNumber(name, 1...Int64(limit)).map(Int.init) ?? standard
        }
    }

    static func optionalRevision(_ name: String, _ text: String) -> Argument where Value == Revision? {
        Argument(name, text, Schema.revision) { try $0.optionalRevision(name) }
    }

    static func optionalMoment(_ name: String, _ text: String) -> Argument where Value == Moment? {
        Argument(name, text, Schema.moment) { try $0.optionalMoment(name) }
    }

    /// One of several words; the standard value if it is absent.
    static func choice(
        _ name: String, text: String = "", _ choices: [(word: String, value: Value)], default standard: Value
    ) -> Argument {
        Argument(name, text, Schema.words(choices.map(\.word))) { try $0.choice(name, choices) ?? standard }
    }
}

extension Argument<Name> {
    /// The principal that changes the store.
    static var actor: Argument { caller { named, call in try call.principal(named: named) } }
    /// The principal that reads.
    static var reader: Argument { caller { named, call in try call.reader(named: named) } }

    private static func caller(_ principal: @escaping @Sendable (Name?, RequestContext) throws -> Name) -> Argument {
        let named = Argument<Name?>.optionalName("as", "the caller; required with a token that does not act as a principal")
        return Argument(parameters: named.parameters) { try principal(try named.read(&$0, $1), $1) }
    }
}

extension Argument<[String]> {
    /// `privilege`, one, or `privileges`, several that must all be present.
    static var privileges: Argument {
        let parameters: [ParameterDescription] = [
            .query("privilege", "", Schema.named("Privilege")),
            .query("privileges", "", Schema.list(Schema.named("Privilege"), minimum: 1)),
        ]
        return Argument(parameters: parameters, rule: Schema.exactlyOne("privilege", "privileges")) { arguments, _ in
            switch (try arguments.optionalText("privilege"), try arguments.optionalTexts("privileges")) {
            case (let one?, nil): return try arguments.checked([one], "privilege")
            case (nil, let several?): return try arguments.checked(several, "privileges")
            case (nil, nil): throw arguments.wrong("privilege", "is missing", "add it, or `privileges` with several")
            case (_?, _?): throw arguments.wrong("privileges", "cannot be used with `privilege`", "give one of them")
            }
        }
    }

    /// Only `privileges`, as in addresses.
    static var listedPrivileges: Argument {
        Argument("privileges", "the privileges, separated by commas", Schema.nonEmptyText, isRequired: true) { arguments in
            guard let privileges = try arguments.optionalTexts("privileges") else {
                throw arguments.wrong("privileges", "is missing", "add one, or several like read,update")
            }
            return try arguments.checked(privileges, "privileges")
        }
    }
}

extension Argument<Revision?> {
    static var atLeast: Argument { optionalRevision("atLeast", "a revision that the store must have reached") }
}

extension Argument<Moment?> {
    static func at(_ text: String = "the revision or time to query (default: now)") -> Argument { optionalMoment("at", text) }
    static var from: Argument { optionalMoment("from", "the start of the span") }
    static var to: Argument { optionalMoment("to", "the end of the span") }
}

extension Argument<ReadConsistency> {
    /// `at` and `atLeast`, the arguments of every query.
    static var point: Argument { Argument(.at(), .atLeast) { ReadConsistency(moment: $0 ?? .now, atLeast: $1) } }
}

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

    mutating func name(_ name: String) throws(Problem) -> Name { try required(name, try optionalName(name)) }

    /// Reads `privilege`, one, or `privileges`, several that must all be present.
    mutating func privileges() throws(Problem) -> [String] {
        let one = try optionalText("privilege")
        let several = try optionalTexts("privileges")
        switch (one, several) {
        case (let one?, nil): return try named([one], "privilege")
        case (nil, let several?): return try named(several, "privileges")
        case (nil, nil): throw wrong("privilege", "is missing", "add it, or `privileges` with several")
        case (_?, _?): throw wrong("privileges", "cannot be used with `privilege`", "give one of them")
        }
    }

    /// Reads only `privileges`, as in addresses.
    mutating func listedPrivileges() throws(Problem) -> [String] {
        guard let privileges = try optionalTexts("privileges") else {
            throw wrong("privileges", "is missing", "add one, or several like read,update")
        }
        return try named(privileges, "privileges")
    }

    /// Returns the privileges. Throws if the list is empty or contains an empty name.
    private func named(_ privileges: [String], _ name: String) throws(Problem) -> [String] {
        guard !privileges.isEmpty, privileges.allSatisfy({ !$0.isEmpty }) else {
            throw wrong(name, "contains no privilege", "write one, such as read")
        }
        return privileges
    }

    mutating func optionalCount(_ name: String, upTo limit: Int) throws(Problem) -> Int? {
        try optionalNumber(name, 1...Int64(limit)).map { Int($0) }
    }

    mutating func count(_ name: String, upTo limit: Int, default standard: Int) throws(Problem) -> Int {
        try optionalCount(name, upTo: limit) ?? standard
    }

    mutating func optionalRevision(_ name: String) throws(Problem) -> Revision? {
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

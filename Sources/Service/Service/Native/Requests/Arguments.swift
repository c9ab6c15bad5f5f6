internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// The arguments of a request: the members of its body, or the parameters of its address, read one by one.
///
/// A route reads the arguments it knows. ``finish()`` throws for arguments that were not read, so a mistyped name is never ignored.
struct Arguments {
    private let members: JSONObject
    /// Whether all values are texts, as in an address.
    private let isAddress: Bool
    private var asked: [String] = []
    private var taken = 0

    init(body: JSONValue) throws(Problem) {
        guard case .object(let members) = body else { throw Problem(.malformed, "the body is not a JSON object: send one") }
        self.members = members
        isAddress = false
    }

    init(address: QueryParameters) {
        var members: JSONObject = [:]
        for (name, value) in address.items {
            switch members[name] {
            case nil: members[name] = .string(value)
            case .array(let values)?: members[name] = .array(values + [.string(value)])
            case let first?: members[name] = .array([first, .string(value)])
            }
        }
        self.members = members
        isAddress = true
    }

    /// Reads the value of a name; nil if it is missing.
    mutating func value(_ name: String) -> JSONValue? {
        if !asked.contains(name) {
            asked.append(name)
            if members[name] != nil { taken += 1 }
        }
        return members[name]
    }

    mutating func has(_ name: String) -> Bool { value(name) != nil }

    /// Throws if the request contains an argument that was not read.
    func finish() throws(Problem) {
        guard taken != members.count, let unknown = members.keys.first(where: { !asked.contains($0) }) else { return }
        let known = asked.isEmpty ? "use no arguments" : "use one of " + asked.map { "`\($0)`" }.joined(separator: ", ")
        throw Problem(.malformed, "`\(Name(unknown).excerpt)` is unknown here: \(known), or omit it")
    }

    /// Returns the problem of an invalid value.
    func wrong(_ name: String, _ problem: String, _ remedy: String) -> Problem {
        Problem(.malformed, "`\(name)` \(problem): \(remedy)", members: ["argument": .string(name)])
    }
}

/// Reads values in the types that routes need.
extension Arguments {
    mutating func optionalText(_ name: String) throws(Problem) -> String? {
        switch value(name) {
        case nil: return nil
        case .string(let text)?: return text
        case .array? where isAddress: throw wrong(name, "appears twice", "give it once")
        case _?: throw wrong(name, "is not a string", "write one")
        }
    }

    mutating func text(_ name: String) throws(Problem) -> String {
        guard let text = try optionalText(name) else { throw wrong(name, "is missing", "add it") }
        return text
    }

    mutating func optionalName(_ name: String) throws(Problem) -> Name? {
        guard let text = try optionalText(name) else { return nil }
        let found = Name(text)
        if let problem = found.problem { throw Problem(.malformed, problem.message, members: ["argument": .string(name)]) }
        return found
    }

    mutating func name(_ name: String) throws(Problem) -> Name {
        guard let found = try optionalName(name) else { throw wrong(name, "is missing", "add it") }
        return found
    }

    /// Reads some texts: in an address separated by commas, or repeated.
    mutating func optionalTexts(_ name: String) throws(Problem) -> [String]? {
        switch value(name) {
        case nil: return nil
        case .string(let text)? where isAddress: return text.split(separator: ",").map(String.init)
        case .array(let values)?:
            var texts: [String] = []
            for value in values {
                guard case .string(let text) = value else { throw wrong(name, "is not a list of strings", "write one") }
                texts.append(text)
            }
            return texts
        case _?: throw wrong(name, "is not a list of strings", "write one")
        }
    }

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

    mutating func flag(_ name: String, default standard: Bool) throws(Problem) -> Bool {
        switch value(name) {
        case nil: return standard
        case .bool(let flag)?: return flag
        case .string("true")? where isAddress: return true
        case .string("false")? where isAddress: return false
        case _?: throw wrong(name, "is neither true nor false", "write one of them")
        }
    }

    mutating func optionalCount(_ name: String, upTo limit: Int) throws(Problem) -> Int? {
        var number: Int64?
        switch value(name) {
        case nil: return nil
        case .integer(let value)?: number = value
        case .string(let text)? where isAddress: number = Int64(text)
        case _?: break
        }
        guard let number, (1...Int64(limit)).contains(number) else {
            throw wrong(name, "is not a number from 1 to \(limit)", "write one")
        }
        return Int(number)
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

    /// Reads one of a few words; nil if it is missing.
    mutating func choice<Value>(_ name: String, _ choices: [(word: String, value: Value)]) throws(Problem) -> Value? {
        guard let word = try optionalText(name) else { return nil }
        guard let choice = choices.first(where: { $0.word == word }) else {
            throw wrong(name, "has an unknown value", "write " + choices.map { "`\($0.word)`" }.joined(separator: " or "))
        }
        return choice.value
    }
}

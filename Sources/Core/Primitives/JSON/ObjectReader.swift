/// Reads the members of one JSON object by name.
///
/// A parser takes the members that it knows, and ``finish()`` throws for any other. The set of accepted names is thus defined only
/// by the code that reads them, and a misspelled name is never ignored.
package struct ObjectReader<Failure: MemberFailure> {
    private let members: JSONObject
    /// Whether every value is a text, as in the parameters of an address. A name that is repeated there has a list of texts.
    package let isAddress: Bool
    private var asked: [ExactText] = []
    private var taken = 0

    package init(_ members: JSONObject, isAddress: Bool = false) {
        (self.members, self.isAddress) = (members, isAddress)
        asked.reserveCapacity(8)
    }

    package init(_ value: JSONValue) throws(Failure) {
        let members: JSONObject
        do { members = try value.readMembers() } catch { throw Failure(error) }
        self.init(members)
    }

    /// Whether the object has this member. Does not take it.
    package func has(_ name: String) -> Bool { members[name] != nil }

    /// Takes the value of a member; nil if the object does not have it.
    package mutating func value(_ name: String) -> JSONValue? {
        let value = members[name]
        if !asked.contains(ExactText(name)) {
            asked.append(ExactText(name))
            if value != nil { taken += 1 }
        }
        return value
    }

    /// Takes a member and parses its value with `read`; nil if the object does not have it. A null is passed to `read`, which
    /// usually rejects it.
    package mutating func optional<Value>(
        _ name: String, _ read: (JSONValue) throws(MemberProblem) -> Value
    ) throws(Failure) -> Value? {
        guard let value = value(name) else { return nil }
        do { return try read(value) } catch { throw Failure(error.inside(name)) }
    }

    /// Returns the value of a member. Throws if it is nil.
    package func required<Value>(_ name: String, _ value: Value?) throws(Failure) -> Value {
        guard let value else { throw wrong(name, "is missing", "add it") }
        return value
    }

    /// The members that were not taken.
    package var rest: JSONObject { JSONObject(members.filter { !asked.contains(ExactText($0.key)) }.map { ($0.key, $0.value) }) }

    /// Throws if the object has a member that was not taken.
    package func finish() throws(Failure) {
        guard taken != members.count, let unknown = members.keys.first(where: { !asked.contains(ExactText($0)) }) else { return }
        let known = asked.map(\.text)
        let remedy =
            if let similar = unknown.nearest(among: known) { "did you mean `\(similar)`?" } else if known.isEmpty { "omit it" } else
            {
                "use one of \(known.map { "`\($0)`" }.joined(separator: ", ")), or omit it"
            }
        throw wrong(Name(unknown).excerpt, "is unknown here", remedy)
    }

    /// Returns the error for a member: its problem and the remedy.
    package func wrong(_ name: String?, _ problem: String, _ remedy: String) -> Failure {
        Failure(MemberProblem(path: name, problem: problem, remedy: remedy))
    }
}

extension ObjectReader {
    package mutating func optionalText(_ name: String) throws(Failure) -> String? {
        if isAddress, case .array? = members[name] { throw wrong(name, "appears twice", "give it once") }
        return try optional(name) { value throws(MemberProblem) in try value.readText() }
    }

    package mutating func text(_ name: String) throws(Failure) -> String { try required(name, try optionalText(name)) }

    /// Takes a list of texts. In an address they are separated by commas, or the name is repeated.
    package mutating func optionalTexts(_ name: String) throws(Failure) -> [String]? {
        let isAddress = isAddress
        return try optional(name) { value throws(MemberProblem) in
            if isAddress, case .string(let text) = value {
                text.split(separator: ",").map(String.init)
            } else {
                try value.readTexts()
            }
        }
    }

    package mutating func texts(_ name: String) throws(Failure) -> [String] { try required(name, try optionalTexts(name)) }

    package mutating func flag(_ name: String, default standard: Bool = false) throws(Failure) -> Bool {
        let isAddress = isAddress
        return try optional(name) { value throws(MemberProblem) in
            if isAddress, case .string(let text) = value, text == "true" || text == "false" { return text == "true" }
            return try value.readFlag()
        } ?? standard
    }

    /// Takes a JSON object; it is empty if the member is absent.
    package mutating func members(_ name: String) throws(Failure) -> JSONObject {
        try optional(name) { value throws(MemberProblem) in try value.readMembers() } ?? [:]
    }

    package mutating func optionalNumber(_ name: String, _ range: ClosedRange<Int64>) throws(Failure) -> Int64? {
        let isAddress = isAddress
        return try optional(name) { value throws(MemberProblem) in
            switch value {
            case .integer(let number) where range.contains(number): return number
            case .string(let text) where isAddress:
                guard let number = Int64(text), range.contains(number) else { fallthrough }
                return number
            default: throw value.wrongType("a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
        }
    }

    package mutating func optionalInstant(_ name: String) throws(Failure) -> Instant? {
        try optional(name) { value throws(MemberProblem) in try value.readInstant() }
    }

    /// Takes one of several words; nil if the object does not have the member.
    package mutating func choice<Value>(_ name: String, _ choices: [(word: String, value: Value)]) throws(Failure) -> Value? {
        let index = try optional(name) { value throws(MemberProblem) in try value.readWord(choices.map(\.word)) }
        return index.map { choices[$0].value }
    }

    /// Takes a list and parses each element with `read`.
    package mutating func list<Value>(
        _ name: String, _ read: (JSONValue) throws(MemberProblem) -> Value
    ) throws(Failure) -> [Value] {
        try required(name, try optional(name) { value throws(MemberProblem) in try value.readList("a list", read) })
    }
}

/// The problem of a member of a JSON object, and its remedy.
package struct MemberProblem: MemberFailure, Hashable, CustomStringConvertible {
    /// The path of the member from the outermost value, as in `changes[3].until`; nil if the whole value is invalid.
    package var path: String?
    package var problem: String
    package var remedy: String

    package init(path: String? = nil, problem: String, remedy: String) {
        (self.path, self.problem, self.remedy) = (path, problem, remedy)
    }

    package init(_ problem: MemberProblem) { self = problem }

    /// Returns the problem with its path prefixed by a name, or by an index in brackets.
    package func inside(_ place: String) -> MemberProblem {
        let path = path.map { $0.hasPrefix("[") ? place + $0 : place + "." + $0 }
        return MemberProblem(path: path ?? place, problem: problem, remedy: remedy)
    }

    package var description: String { "\(path.map { "`\($0)`" } ?? "the value") \(problem); \(remedy)" }
}

/// An error that can describe a ``MemberProblem``.
package protocol MemberFailure: Error {
    init(_ problem: MemberProblem)
}

/// Converts a value to the type that a parser requires.
extension JSONValue {
    package func readText() throws(MemberProblem) -> String {
        if case .string(let text) = self { text } else { throw wrongType("a string") }
    }

    package func readFlag() throws(MemberProblem) -> Bool {
        if case .bool(let flag) = self { flag } else { throw wrongType("true or false", "is neither true nor false") }
    }

    package func readInstant() throws(MemberProblem) -> Instant {
        let text = try readText()
        guard let instant = try? Instant(text) else {
            throw MemberProblem(
                problem: "is not a time: `\(Name(text).excerpt)`", remedy: "write it like 2026-01-31T10:00:00Z")
        }
        return instant
    }

    /// Reads one of several words.
    package func readWord(_ words: [String]) throws(MemberProblem) -> Int {
        let word = try readText()
        guard let index = words.firstIndex(of: word) else {
            let known = words.map { "`\($0)`" }.joined(separator: " or ")
            throw MemberProblem(problem: "has the unknown value `\(Name(word).excerpt)`", remedy: "write \(known)")
        }
        return index
    }

    package func readMembers() throws(MemberProblem) -> JSONObject {
        if case .object(let members) = self { members } else { throw wrongType("a JSON object") }
    }

    package func readTexts() throws(MemberProblem) -> [String] {
        try readList("a list of strings") { element throws(MemberProblem) in try element.readText() }
    }

    /// Parses each element of a list with `read`.
    ///
    /// - Parameter form: the name of such a list in errors.
    package func readList<Value>(
        _ form: String, _ read: (JSONValue) throws(MemberProblem) -> Value
    ) throws(MemberProblem) -> [Value] {
        guard case .array(let elements) = self else { throw wrongType(form) }
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do { values.append(try read(element)) } catch { throw error.inside("[\(index)]") }
        }
        return values
    }

    /// Returns the error for a value of the wrong type.
    package func wrongType(_ wanted: String, _ problem: String? = nil) -> MemberProblem {
        if case .null = self { return MemberProblem(problem: "is null", remedy: "write \(wanted), or omit it") }
        return MemberProblem(problem: problem ?? "is not \(wanted)", remedy: "write \(wanted)")
    }
}

extension String {
    /// Returns the known word that is most similar to this one; nil if none is similar enough.
    package func nearest(among known: [String]) -> String? {
        guard count <= 64 else { return nil }
        let distances = known.map { (word: $0, distance: editDistance(to: $0)) }
        guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, count / 3) ? best.word : nil
    }

    /// Returns the number of letters to insert, delete or replace to change this word into the other.
    private func editDistance(to other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (i, letter) in enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, wanted) in other.enumerated() {
                let substituted = diagonal + (letter == wanted ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = Swift.min(substituted, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[other.count]
    }
}

import Events
import Permissions

/// The members of one JSON object, which are taken out by key.
///
/// A parser takes the keys that it knows, and ``finish()`` throws for a remaining key. The set of accepted keys is thus defined
/// only by the code that reads them.
struct Fields {
    /// The context of the line.
    let context: LineContext
    private let members: JSONObject
    private var asked: [ExactText] = []
    private var taken = 0

    init(_ value: JSONValue, _ context: LineContext) throws(LineProblem) {
        members = try value.members
        self.context = context
        asked.reserveCapacity(8)
    }

    /// Whether the object has this key. Does not accept the key.
    func has(_ key: String) -> Bool { members[key] != nil }

    /// Takes the value of this key; nil if the object does not have it.
    mutating func value(_ key: String) -> JSONValue? {
        asked.append(ExactText(key))
        guard let value = members[key] else { return nil }
        taken += 1
        return value
    }

    /// Takes and parses the value of this key; nil if the object does not have it. A null is passed to `read`, which usually
    /// rejects it.
    mutating func optional<Value>(
        _ key: String, _ read: (JSONValue) throws(LineProblem) -> Value
    ) throws(LineProblem) -> Value? {
        guard let value = value(key) else { return nil }
        do { return try read(value) } catch { throw error.inside(key) }
    }

    mutating func required<Value>(
        _ key: String, _ read: (JSONValue) throws(LineProblem) -> Value
    ) throws(LineProblem) -> Value {
        guard let value = try optional(key, read) else { throw problem(key, "is missing", "add it") }
        return value
    }

    /// Accepts the key if its value is null, and returns whether it is.
    mutating func takeNull(_ key: String) -> Bool {
        guard case .null? = members[key] else { return false }
        return value(key) != nil
    }

    /// Throws if the object has a key that was not taken.
    func finish() throws(LineProblem) {
        guard taken != members.count, let unknown = members.keys.first(where: { !asked.contains(ExactText($0)) }) else { return }
        let known = asked.map { "`\($0.text)`" }.joined(separator: ", ")
        throw problem(unknown, "is unknown here", "use one of \(known), or omit it")
    }

    /// Returns an error with the key, the problem, and the remedy.
    func problem(_ key: String?, _ problem: String, _ remedy: String) -> LineProblem {
        LineProblem(key: key, problem: problem, remedy: remedy)
    }
}

extension Fields {
    mutating func text(_ key: String) throws(LineProblem) -> String {
        try required(key) { value throws(LineProblem) in try value.text }
    }
    mutating func texts(_ key: String) throws(LineProblem) -> [String] {
        try required(key) { value throws(LineProblem) in try value.texts }
    }
    mutating func optionalText(_ key: String) throws(LineProblem) -> String? {
        try optional(key) { value throws(LineProblem) in try value.text }
    }
    mutating func optionalTexts(_ key: String) throws(LineProblem) -> [String]? {
        try optional(key) { value throws(LineProblem) in try value.texts }
    }
    mutating func optionalFlag(_ key: String) throws(LineProblem) -> Bool? {
        try optional(key) { value throws(LineProblem) in try value.flag }
    }
    mutating func flag(_ key: String) throws(LineProblem) -> Bool { try optionalFlag(key) ?? false }

    mutating func name(_ key: String) throws(LineProblem) -> Name { Name(try text(key)) }
    mutating func optionalName(_ key: String) throws(LineProblem) -> Name? { try optionalText(key).map { Name($0) } }
    /// Takes a role, with or without its `role:` prefix.
    mutating func role(_ key: String) throws(LineProblem) -> Name { .role(try text(key)) }
    mutating func permission(_ key: String) throws(LineProblem) -> Name { .permission(try text(key)) }

    mutating func optionalInstant(_ key: String) throws(LineProblem) -> Instant? {
        guard let text = try optionalText(key) else { return nil }
        guard let instant = try? Instant(text) else {
            throw problem(key, "is not a time: `\(text)`", "write it like 2026-01-01T10:00:00Z")
        }
        return instant
    }

    mutating func instant(_ key: String) throws(LineProblem) -> Instant {
        guard let instant = try optionalInstant(key) else { throw problem(key, "is missing", "add it") }
        return instant
    }

    /// Takes one of several words; nil if the object does not have the key.
    mutating func choice<Value>(_ key: String, _ choices: [(word: String, value: Value)]) throws(LineProblem) -> Value? {
        guard let word = try optionalText(key) else { return nil }
        guard let choice = choices.first(where: { $0.word == word }) else {
            let words = choices.map { "`\($0.word)`" }.joined(separator: " or ")
            throw problem(key, "has the unknown value `\(word)`", "write \(words)")
        }
        return choice.value
    }

    /// Takes a list and parses each element with `read`.
    mutating func list<Value>(
        _ key: String, _ read: (JSONValue) throws(LineProblem) -> Value
    ) throws(LineProblem) -> [Value] {
        try required(key) { value throws(LineProblem) in try value.list(read) }
    }
}

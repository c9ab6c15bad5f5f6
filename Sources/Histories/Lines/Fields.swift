import Events
import Permissions

/// The members of one JSON object, taken out key by key.
///
/// A form asks for the keys that it knows, and ``finish()`` complains about a key that nobody asked for: so what a form accepts
/// is written down once, where it is read.
struct Fields {
    /// How the line is to be read.
    let context: LineContext
    private let members: JSONObject
    private var asked: [ExactText] = []
    private var taken = 0

    init(_ value: JSONValue, _ context: LineContext) throws(LineProblem) {
        members = try value.members
        self.context = context
        asked.reserveCapacity(8)
    }

    /// Whether the object has this key; asking does not accept it.
    func has(_ key: String) -> Bool { members[key] != nil }

    /// The value of this key, or nil where the object does not have it.
    mutating func value(_ key: String) -> JSONValue? {
        asked.append(ExactText(key))
        guard let value = members[key] else { return nil }
        taken += 1
        return value
    }

    /// What `read` makes of the value of this key, or nil where the object does not have it. A null is a value, and rarely a
    /// welcome one.
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

    /// Accepts the key where its value is null, and says whether it is.
    mutating func takeNull(_ key: String) -> Bool {
        guard case .null? = members[key] else { return false }
        return value(key) != nil
    }

    /// Throws where the object has a key that no one asked for.
    func finish() throws(LineProblem) {
        guard taken != members.count, let unknown = members.keys.first(where: { !asked.contains(ExactText($0)) }) else { return }
        let known = asked.map { "`\($0.text)`" }.joined(separator: ", ")
        throw problem(unknown, "is not known here", "use one of \(known), or leave it out")
    }

    /// What is wrong with the value of a key, and what to do about it.
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
    /// A role, with or without its `role:`.
    mutating func role(_ key: String) throws(LineProblem) -> Name { .role(try text(key)) }
    mutating func permission(_ key: String) throws(LineProblem) -> Name { .permission(try text(key)) }

    mutating func optionalInstant(_ key: String) throws(LineProblem) -> Instant? {
        guard let text = try optionalText(key) else { return nil }
        guard let instant = try? Instant(text) else {
            throw problem(key, "is no time: `\(text)`", "write it like 2026-01-01T10:00:00Z")
        }
        return instant
    }

    mutating func instant(_ key: String) throws(LineProblem) -> Instant {
        guard let instant = try optionalInstant(key) else { throw problem(key, "is missing", "add it") }
        return instant
    }

    /// One of a few words; nil where the object does not have the key.
    mutating func choice<Value>(_ key: String, _ choices: [(word: String, value: Value)]) throws(LineProblem) -> Value? {
        guard let word = try optionalText(key) else { return nil }
        guard let choice = choices.first(where: { $0.word == word }) else {
            let words = choices.map { "`\($0.word)`" }.joined(separator: " or ")
            throw problem(key, "does not know `\(word)`", "write \(words)")
        }
        return choice.value
    }

    /// What `read` makes of each element of a list.
    mutating func list<Value>(
        _ key: String, _ read: (JSONValue) throws(LineProblem) -> Value
    ) throws(LineProblem) -> [Value] {
        try required(key) { value throws(LineProblem) in try value.list(read) }
    }
}

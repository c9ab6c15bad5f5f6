import Events
import Foundation
import Permissions

/// Any key of a JSON object, known or not.
struct FieldKey: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
}

/// The members of one JSON object, taken out key by key.
///
/// A form asks for the keys that it knows, and ``finish()`` complains about a key that nobody asked for: so what a form accepts
/// is written down once, where it is read.
struct Fields {
    let decoder: any Decoder
    private let container: KeyedDecodingContainer<FieldKey>
    /// What the object has. Few keys, so that looking along them is faster than asking the container.
    private let keys: [FieldKey]
    private var asked: [FieldKey] = []
    private var taken = 0

    init(_ decoder: any Decoder) throws {
        self.decoder = decoder
        container = try decoder.container(keyedBy: FieldKey.self)
        keys = container.allKeys
        asked.reserveCapacity(8)
    }

    /// Whether the object has this key; asking does not accept it.
    func has(_ key: FieldKey) -> Bool { keys.contains { $0.stringValue == key.stringValue } }

    /// The value of this key, or nil where the object does not have it. A null is a value, and rarely a welcome one.
    mutating func optional<Value: Decodable>(_ key: FieldKey, _: Value.Type = Value.self) throws -> Value? {
        asked.append(key)
        guard has(key) else { return nil }
        taken += 1
        return try container.decode(Value.self, forKey: key)
    }

    mutating func required<Value: Decodable>(_ key: FieldKey, _ type: Value.Type = Value.self) throws -> Value {
        guard let value = try optional(key, type) else { throw problem(key, "is missing", "add it") }
        return value
    }

    /// Accepts the key without looking at its value.
    mutating func skip(_ key: FieldKey) {
        asked.append(key)
        if has(key) { taken += 1 }
    }

    /// Accepts the key where its value is null, and says whether it is.
    mutating func takeNull(_ key: FieldKey) throws -> Bool {
        guard has(key), try container.decodeNil(forKey: key) else { return false }
        skip(key)
        return true
    }

    /// Throws where the object has a key that no one asked for.
    func finish() throws {
        guard taken != keys.count else { return }
        let unknown = keys.map(\.stringValue).filter { name in !asked.contains { $0.stringValue == name } }
        guard let first = unknown.min() else { return }
        let known = asked.map { "`\($0.stringValue)`" }.joined(separator: ", ")
        throw problem(FieldKey(stringValue: first), "is not known here", "use one of \(known), or leave it out")
    }

    /// What is wrong with the value of a key, and what to do about it.
    func problem(_ key: FieldKey?, _ problem: String, _ remedy: String) -> LineProblem {
        LineProblem(path: decoder.codingPath, key, problem: problem, remedy: remedy)
    }
}

extension Fields {
    mutating func text(_ key: FieldKey) throws -> String { try required(key) }
    mutating func texts(_ key: FieldKey) throws -> [String] { try required(key) }
    mutating func flag(_ key: FieldKey) throws -> Bool { try optional(key) ?? false }

    mutating func name(_ key: FieldKey) throws -> Name { Name(try text(key)) }
    /// A role, with or without its `role:`.
    mutating func role(_ key: FieldKey) throws -> Name { .role(try text(key)) }
    mutating func permission(_ key: FieldKey) throws -> Name { .permission(try text(key)) }

    mutating func optionalInstant(_ key: FieldKey) throws -> Instant? {
        guard let text = try optional(key, String.self) else { return nil }
        guard let instant = Instant(text) else {
            throw problem(key, "is no time: `\(text)`", "write it like 2026-01-01T10:00:00Z")
        }
        return instant
    }

    mutating func instant(_ key: FieldKey) throws -> Instant {
        guard let instant = try optionalInstant(key) else { throw problem(key, "is missing", "add it") }
        return instant
    }

    /// One of a few words; nil where the object does not have the key.
    mutating func choice<Value>(_ key: FieldKey, _ choices: [(word: String, value: Value)]) throws -> Value? {
        guard let word = try optional(key, String.self) else { return nil }
        guard let choice = choices.first(where: { $0.word == word }) else {
            let words = choices.map { "`\($0.word)`" }.joined(separator: " or ")
            throw problem(key, "does not know `\(word)`", "write \(words)")
        }
        return choice.value
    }
}

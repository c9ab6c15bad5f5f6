public import Events
internal import Foundation

/// JSON as objects' values are kept: members sorted by name, no spaces.
public enum JSONText {
    public static func encode(_ value: JSONValue) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(value)) } catch {
            throw Refusal(.malformed, "the value cannot be written as JSON: \(error)")
        }
    }

    public static func decode(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }
}

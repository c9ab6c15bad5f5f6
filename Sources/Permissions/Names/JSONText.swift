public import Events
internal import Foundation

/// JSON as objects' values are kept: members sorted by name, no spaces.
public enum JSONText {
    public static func encode(_ value: JSONValue) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(value)) } catch EncodingError.invalidValue(let number, _) {
            throw Refusal(.malformed, "the value has `\(number)` in it, which is no number of JSON: write another one, or null")
        } catch {
            throw Refusal(.malformed, "the value cannot be written as JSON: \(error)")
        }
    }

    /// Reads what ``encode(_:)`` wrote.
    public static func decode(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    /// Reads what somebody wrote, to the letter of JSON.
    ///
    /// - Throws: ``Refusal`` with `malformed`, which says what is wrong and where.
    public static func decodeStrictly(_ bytes: [UInt8]) throws -> JSONValue {
        do throws(JSONFault) { try JSONCheck.run(bytes.span) } catch {
            throw Refusal(.malformed, "this is no JSON: \(error.problem), at byte \(error.offset)")
        }
        return try decode(bytes)
    }
}

import Events
import Foundation
import TestSupport
import Testing

@Suite("The stored JSON text of object values")
struct JSONTextTests {
    private func text(_ value: JSONValue) throws -> String { String(decoding: try JSONText.encode(value), as: UTF8.self) }

    @Test("Members are ordered by the bytes of their names, without whitespace, and with only the required escapes")
    func form() throws {
        let value: JSONValue = .object([
            "b": .array([.bool(true), .null, .integer(-1)]), "B": .object([:]), "\u{1D11E}": .array([]), "\u{FF5E}": .number(0.5),
            "é": .string("/\u{7F}é\u{2028}"), "a10": .integer(1), "a9": .integer(2),
            "": .string("\"\\\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{B}"),
        ])
        #expect(
            try text(value)
                == #"{"":"\"\\\b\t\n\f\r\u0000\u001f\u000b","B":{},"a10":1,"a9":2,"b":[true,null,-1],"é":"/"# + "\u{7F}é\u{2028}"
                + #"","～":0.5,"𝄞":[]}"#)
    }

    @Test("The text equals Foundation's with sorted keys, which older logs contain", arguments: UInt64(0)..<20)
    func asFoundation(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 7_100_000 &+ number
        var source = RandomJSON(seed: seed, of: RandomJSON.ascii)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for _ in 0..<200 {
            let value = source.value()
            #expect(try JSONText.encode(value) == Array(encoder.encode(Bridge(value))), "seed \(seed)")
        }
    }

    @Test("Any value survives writing and reading, and any text survives reading and writing", arguments: UInt64(0)..<20)
    func roundTrip(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 7_200_000 &+ number
        var source = RandomJSON(seed: seed, of: RandomJSON.any)
        for _ in 0..<200 {
            let value = source.value()
            let canonical = try JSONText.encode(value)
            let back = try JSONText.decode(canonical)
            #expect(back == value, "seed \(seed)")
            #expect(back.hashValue == value.hashValue, "seed \(seed)")
            #expect(try JSONText.encode(back) == canonical, "seed \(seed)")
            // Another notation of the value gives an equal value and the same stored text.
            let other = try JSONText.decode(Array(source.text(of: value).utf8))
            #expect(other == value, "seed \(seed)")
            #expect(try JSONText.encode(other) == canonical, "seed \(seed)")
        }
    }
}

/// Encodes a value with Foundation's encoder.
private struct Bridge: Encodable {
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        // Writes integers that fit in 64 bits as integers. Foundation does this only for smaller ones.
        case .number(let value):
            if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value.map(Bridge.init))
        case .object(let value):
            try container.encode(Dictionary(uniqueKeysWithValues: value.map { ($0, Bridge($1)) }))
        }
    }
}

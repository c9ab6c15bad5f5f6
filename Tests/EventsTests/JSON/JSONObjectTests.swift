import Events
import TestSupport
import Testing

@Suite("JSON objects distinguish names by their bytes")
struct JSONObjectTests {
    static let (one, two) = ("\u{E9}", "e\u{301}")

    @Test("Canonically equivalent names are two members, in every way of creating an object")
    func lookalikes() {
        let literal: JSONObject = [Self.one: .integer(1), Self.two: .integer(2)]
        var built = JSONObject()
        built[Self.one] = .integer(1)
        built[Self.two] = .integer(2)
        let listed = JSONObject([(Self.two, .integer(2)), (Self.one, .integer(0)), (Self.one, .integer(1))])
        for object in [literal, built, listed] {
            #expect(object.count == 2)
            #expect(object[Self.one] == .integer(1))
            #expect(object[Self.two] == .integer(2))
            #expect(object == literal)
            #expect(object.hashValue == literal.hashValue)
        }
        built[Self.two] = nil
        #expect(built == [Self.one: .integer(1)])
        #expect(built != [Self.two: .integer(1)])
    }

    @Test("Members are ordered by the bytes of their names")
    func order() {
        let numbers: [String: Int64] = ["é": 1, "z": 2, "Z": 3, "": 4, "a10": 5, "a9": 6, "\u{1D11E}": 7, "\u{FFFD}": 8]
        let object = JSONObject(numbers.mapValues { JSONValue.integer($0) })
        #expect(Array(object.keys) == ["", "Z", "a10", "a9", "z", "é", "\u{FFFD}", "\u{1D11E}"])
        #expect(object.map(\.value) == [4, 3, 5, 6, 2, 1, 8, 7].map { .integer($0) })
        #expect(object.first?.key == "")
        #expect(object.last?.value == .integer(7))
    }

    @Test("Reading, setting and removing members works as in a dictionary keyed by bytes", arguments: UInt64(0)..<10)
    func asDictionary(number: UInt64) {
        let seed = TestSettings.firstSeed &+ 7_400_000 &+ number
        var source = RandomJSON(seed: seed, of: Array("ae\u{301}é".unicodeScalars))
        var object = JSONObject()
        var model: [[UInt8]: JSONValue] = [:]
        for _ in 0..<500 {
            let (name, value) = (source.text(), source.value(depth: 0))
            object[name] = source.random.chance(percent: 40) ? nil : value
            if object[name] == nil { model[Array(name.utf8)] = nil } else { model[Array(name.utf8)] = value }
            #expect(object.count == model.count, "seed \(seed)")
        }
        for (name, value) in model { #expect(object[String(decoding: name, as: UTF8.self)] == value, "seed \(seed)") }
        #expect(object.keys.map { Array($0.utf8) } == model.keys.sorted { $0.lexicographicallyPrecedes($1) }, "seed \(seed)")
        #expect(JSONObject(object.shuffled(using: &source.random).map { ($0, $1) }) == object, "seed \(seed)")
    }

    @Test("A random patch gives the result of RFC 7396, member by member", arguments: UInt64(0)..<10)
    func merging(number: UInt64) {
        let seed = TestSettings.firstSeed &+ 7_500_000 &+ number
        var source = RandomJSON(seed: seed, of: Array("e\u{301}é".unicodeScalars))
        for _ in 0..<200 {
            let (value, patch) = (source.value(), source.value())
            #expect(value.merging(patch) == merged(value, patch), "seed \(seed)")
        }
    }

    /// The algorithm of RFC 7396, section 2.
    private func merged(_ target: JSONValue?, _ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members = JSONObject()
        if case .object(let present)? = target { members = present }
        for (name, change) in changes { members[name] = change == .null ? nil : merged(members[name], change) }
        return .object(members)
    }
}

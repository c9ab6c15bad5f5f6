import Events
import Permissions
import TestSupport
import Testing

@testable import Projections

@Suite("Keys of properties")
struct PropertyKeyTests {
    /// Values in the order of queries.
    static let ascending: [JSONValue] = [
        .null, .bool(false), .bool(true), .number(-.greatestFiniteMagnitude), .integer(.min), .integer(.min + 1),
        .integer(-9_007_199_254_740_993), .number(-9_007_199_254_740_992), .integer(-2), .number(-1.5), .integer(-1),
        .number(-.leastNonzeroMagnitude), .integer(0), .number(.leastNonzeroMagnitude), .number(0.1), .integer(1), .number(1.5),
        .integer(2), .integer(255), .integer(256), .integer(9_007_199_254_740_991), .integer(9_007_199_254_740_992),
        .integer(9_007_199_254_740_993), .number(9_007_199_254_740_994), .integer(.max - 512), .integer(.max - 511),
        .integer(.max - 1), .integer(.max), .number(0x1p63), .number(.greatestFiniteMagnitude), .string(""), .string("\0"),
        .string("\0\0"), .string("\0a"), .string("\u{1}"), .string("\u{1}\u{2}"), .string("A"), .string("a"), .string("a\0"),
        .string("a\0\u{1}"), .string("a\u{1}"), .string("aa"), .string("b"), .string("é"), .string("日本"), .string("😀"), .array([]),
        .object([:]),
    ]

    @Test("F15: keys have the order of values: exact numbers, texts by their bytes, and each kind separately")
    func order() {
        for (left, lower) in Self.ascending.enumerated() {
            for (right, upper) in Self.ascending.enumerated() {
                let isLess = PropertyKey(lower) < PropertyKey(upper)
                #expect(isLess == (left < right), "\(lower) and \(upper)")
            }
        }
    }

    @Test("F15: equal values have equal keys: 1 and 1.0, 0 and -0, a missing value and null")
    func equality() {
        #expect(PropertyKey(.integer(1)) == PropertyKey(.number(1)))
        #expect(PropertyKey(.number(-0.0)) == PropertyKey(.integer(0)))
        #expect(PropertyKey(nil) == PropertyKey(.null))
        #expect(PropertyKey(.integer(.max)) != PropertyKey(.number(0x1p63)))
    }

    @Test("F15: a text longer than the limit is cut and marked; its key fits LMDB's limit")
    func longTexts() {
        let limit = PropertyKey.byteLimit
        let (whole, cut) = (String(repeating: "x", count: limit), String(repeating: "x", count: limit + 1))
        #expect(PropertyKey(.string(whole)).isExact)
        #expect(!PropertyKey(.string(cut)).isExact)
        #expect(PropertyKey(.string(whole)) < PropertyKey(.string(cut)))
        #expect(PropertyKey(.string(cut)) == PropertyKey(.string(cut + "y")))
        let longest = PropertyKey(.string(String(repeating: "\0", count: 1000)))
        #expect(PropertyRow.prefixBytes + longest.bytes.count + PropertyRow.suffixBytes <= 300)
    }

    @Test("F15: conditions on keys and values agree, and matching keys are in the condition's range", arguments: 0..<20)
    func conditions(number: Int) {
        let seed = TestSettings.firstSeed &+ 70_000 &+ UInt64(number)
        var random = SplitMix64(seed: seed)
        for _ in 0..<2000 {
            let condition = randomCondition(&random, depth: 3)
            let value = randomValue(&random)
            let expected = condition.matches(value)
            let keyed = KeyCondition(condition).holds(of: value)
            #expect(keyed ?? expected == expected, "seed \(seed): \(condition) of \(String(describing: value))")
            guard expected else { continue }
            for property in properties {
                let range = condition.range(of: property)
                #expect(range.contains(PropertyKey(value?[property])), "seed \(seed): \(condition), \(property)")
            }
            if let covering = condition.covering() {
                let isCovered = covering.contains { $0.range.contains(PropertyKey(value?[$0.property])) }
                #expect(isCovered, "seed \(seed): \(condition) of \(String(describing: value))")
            }
        }
    }

    @Test("A value that is not a number is neither less nor greater than any value")
    func notANumber() {
        for comparison in Condition.Comparison.allCases where comparison != .equal {
            let condition = Condition.compare("k", comparison, .number(.nan))
            #expect(!condition.matches(.object(["k": .integer(1)])))
            #expect(!condition.matches(.object(["k": .number(1.5)])))
        }
    }

    private let properties = ["a", "b", "c"]
    private let long = String(repeating: "x", count: 199)

    private func randomValue(_ random: inout SplitMix64) -> JSONValue? {
        if random.chance(percent: 5) { return random.one(of: [nil, .integer(1), .array([])]) }
        var members: JSONObject = [:]
        for property in properties where random.chance(percent: 80) { members[property] = scalar(&random) }
        return .object(members)
    }

    private func scalar(_ random: inout SplitMix64) -> JSONValue {
        switch random.number(0...9) {
        case 0...2: .integer(Int64(random.number(-3...3)))
        case 3: .number(Double(random.number(-6...6)) / 2)
        case 4...6: .string(random.one(of: ["", "a", "ab", "abc", "b", "a\0", "ba", "é"]))
        case 7: .string(long + random.one(of: ["", "x", "xy", "xyz", "\0", "y"]))
        default: random.one(of: Self.ascending + [.array([.integer(1)]), .object(["a": .null])])
        }
    }

    private func randomCondition(_ random: inout SplitMix64, depth: Int) -> Condition {
        let parts = { (random: inout SplitMix64) in
            (0..<random.number(0...3)).map { _ in randomCondition(&random, depth: depth - 1) }
        }
        switch depth > 0 ? random.number(0...9) : random.number(0...6) {
        case 0...4:
            return .compare(
                random.one(of: properties), random.one(of: Condition.Comparison.allCases), scalar(&random))
        case 5, 6:
            let prefix = random.one(of: ["", "a", "ab", "b", "\0", "a\0", "é", long, long + "x", long + "xy"])
            return .hasPrefix(random.one(of: properties), prefix)
        case 7, 8: return .all(parts(&random))
        default: return .any(parts(&random))
        }
    }
}

extension PropertyRange {
    fileprivate func contains(_ key: PropertyKey) -> Bool {
        let isBelow = upper.map { key.bytes.lexicographicallyPrecedes($0) } ?? true
        return isBelow && !key.bytes.lexicographicallyPrecedes(lower)
    }
}

extension KeyCondition {
    fileprivate func holds(of value: JSONValue?) -> Bool? {
        var row: [UInt8] = []
        let ranges = properties.map { property in
            let start = row.count
            row += PropertyKey(value?[property]).bytes
            return Optional(start..<row.count)
        }
        return holds(row.span, ranges)
    }
}

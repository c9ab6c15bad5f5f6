import Events
import Testing

@Suite("JSON numbers are read exactly or rejected")
struct JSONNumberTests {
    /// Integers in every notation.
    static let whole: [(text: String, number: Int64)] = [
        ("0", 0), ("-0", 0), ("0.0", 0), ("-0.0", 0), ("0e0", 0), ("-0e-5", 0), ("0.000e999999999999", 0),
        ("0e-99999999999999999999", 0),
        ("1", 1), ("-1", -1), ("1.0", 1), ("-1.000", -1), ("1e2", 100), ("1E+2", 100), ("1.5e1", 15), ("100e-2", 1), ("0.001e3", 1),
        ("1000000000000000000000e-3", 1_000_000_000_000_000_000), ("12.340e2", 1234), ("9007199254740993", 9_007_199_254_740_993),
        ("9007199254740993.0", 9_007_199_254_740_993), ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ("9223372036854775807.0", .max), ("9.223372036854775807e18", .max), ("-9223372036854775.808e3", .min),
        ("92233720368547758070e-1", .max), ("1e18", 1_000_000_000_000_000_000),
        ("9.2233720368547758e18", 9_223_372_036_854_775_800),
    ]

    @Test("An integer that fits in 64 bits is read exactly, in every notation", arguments: whole)
    func exact(text: String, number: Int64) throws {
        guard case .integer(number) = try JSONText.decode(Array(text.utf8)) else {
            return #expect(Bool(false), "\(text) was not read as \(number)")
        }
    }

    static let fractions: [(text: String, number: Double)] = [
        ("0.5", 0.5), ("-2.5", -2.5), ("0.1", 0.1), ("1e-5", 1e-5), ("123456.789", 123456.789), ("1e19", 1e19), ("1e22", 1e22),
        ("-1e300", -1e300), ("1.7976931348623157e308", .greatestFiniteMagnitude),
        ("2.2250738585072014e-308", .leastNormalMagnitude),
        ("4.9406564584124654e-324", .leastNonzeroMagnitude), ("9.223372036854776e18", 0x1p63), ("1.8446744073709552e+19", 0x1p64),
        ("0.1000000000000000055511151231257827", 0.1), ("3.14159265358979323846", .pi), ("1.0000000000000001e+300", 1e300),
    ]

    @Test("Any other number becomes the nearest double", arguments: fractions)
    func nearest(text: String, number: Double) throws {
        guard case .number(let read) = try JSONText.decode(Array(text.utf8)) else {
            return #expect(Bool(false), "\(text) is no fraction")
        }
        #expect(read.bitPattern == number.bitPattern)
    }

    static let refused: [String] = [
        "9223372036854775808", "-9223372036854775809", "9223372036854775809", "18446744073709551615", "18446744073709551616",
        "10000000000000000000", "100000000000000000000000000000000000000000", "-99999999999999999999", "9223372036854775809.0",
        "9.223372036854775809e18", "12345678901234567890e5", "1e309", "-1e309", "1.8e308", "1e999999999999999999999", "1e-400",
        "-1e-400",
        "0.1e-999999999999999999999",
    ]

    @Test("A number that cannot be represented is rejected and quoted, also inside arrays and objects", arguments: refused)
    func refuses(text: String) throws {
        let error = #expect(throws: JSONError.self) { try JSONText.decode(Array(#"{"a":[\#(text)]}"#.utf8)) }
        #expect(error?.kind == .number)
        #expect(error?.offset == 6)
        #expect(error?.problem.contains("`\(text)`") == true)
    }

    @Test("A number of a million digits is rejected, and the error quotes only its first digits")
    func endless() {
        let digits = [UInt8](repeating: UInt8(ascii: "7"), count: 1_000_000)
        for text in [digits, digits + Array("e1".utf8)] {
            let error = #expect(throws: JSONError.self) { try JSONText.decode(text) }
            #expect(error?.kind == .number)
            #expect((error?.problem.utf8.count ?? .max) < 300)
        }
    }

    static let written: [(value: JSONValue, text: String)] = [
        (.integer(.max), "9223372036854775807"), (.integer(.min), "-9223372036854775808"), (.integer(0), "0"), (.number(-0.0), "0"),
        (.number(2), "2"), (.number(0.1), "0.1"), (.number(1e16), "10000000000000000"), (.number(0x1p62), "4611686018427387904"),
        (.number(0x1p63), "9.223372036854776e+18"), (.number(-0x1p63), "-9223372036854775808"), (.number(1e300), "1e+300"),
        (.number(.leastNonzeroMagnitude), "5e-324"), (.number(1e-5), "1e-05"),
        (.number(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
    ]

    @Test("A number is written with the fewest digits that read back the same; an integer has no decimal point", arguments: written)
    func writes(value: JSONValue, text: String) throws {
        #expect(try String(decoding: JSONText.encode(value), as: UTF8.self) == text)
        #expect(try JSONText.decode(Array(text.utf8)) == value)
    }

    @Test("A number that JSON cannot represent is not written", arguments: [Double.nan, .infinity, -.infinity])
    func unwritable(number: Double) {
        let error = #expect(throws: JSONError.self) { try JSONText.encode(.array([.object(["a": .number(number)])])) }
        #expect(error?.kind == .number)
        #expect(error?.offset == nil)
    }
}

import Events
import Foundation
import TestSupport
import Testing

@Suite("The JSON reader accepts RFC 8259 texts and rejects others with a byte offset")
struct JSONReaderTests {
    private func read(_ text: String) throws(JSONError) -> JSONValue { try JSONText.decode(Array(text.utf8)) }

    private func error(_ bytes: [UInt8]) -> JSONError? {
        do {
            let value = try JSONText.decode(bytes)
            Issue.record("was read as \(value)")
            return nil
        } catch {
            return error
        }
    }

    static let accepted: [(text: String, value: JSONValue)] = [
        ("\u{FEFF} null", .null), ("null", .null), ("true", .bool(true)), ("false", .bool(false)), ("0", .integer(0)),
        (#""""#, .string("")),
        ("[]", .array([])), ("{}", .object([:])), (" \t\r\n1 \t\r\n", .integer(1)), ("[ ]", .array([])), ("{ }", .object([:])),
        ("[1 , 2]", .array([.integer(1), .integer(2)])),
        (#"{ "a" : 1 , "b" : [ ] }"#, .object(["a": .integer(1), "b": .array([])])),
        (#"{"":0}"#, .object(["": .integer(0)])), (#"{"b":1,"a":2}"#, .object(["a": .integer(2), "b": .integer(1)])),
        (#"{"a":{"a":{"a":null}}}"#, .object(["a": .object(["a": .object(["a": .null])])])),
        (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")), (#""\u0000\u001F\u007f""#, .string("\u{0}\u{1F}\u{7F}")),
        (#""\u00e9\u00E9""#, .string("éé")), (#""e\u0301""#, .string("e\u{301}")), (#""\ud834\udd1e""#, .string("\u{1D11E}")),
        (#""\uD83D\uDE00x""#, .string("😀x")), (#""\uDBFF\uDFFF""#, .string("\u{10FFFF}")),
        (#""\uFFFF\ufeff""#, .string("\u{FFFF}\u{FEFF}")),
        ("\"\u{7F}\u{80}\u{2028}\u{FEFF}é😀\"", .string("\u{7F}\u{80}\u{2028}\u{FEFF}é😀")), (#""/""#, .string("/")),
        (#"{"\u0061":1}"#, .object(["a": .integer(1)])), (#"["\\u0041"]"#, .array([.string("\\u0041")])),
        ("{\"\u{E9}\":1,\"e\u{301}\":2}", .object(["\u{E9}": .integer(1), "e\u{301}": .integer(2)])),
    ]

    @Test("Texts that RFC 8259 allows are read", arguments: accepted)
    func accepts(text: String, value: JSONValue) throws { #expect(try read(text) == value) }

    /// Texts that a reader refuses even if it skips them, and the offset of the error.
    static let refusedWhenSkipped: [(text: String, offset: Int)] = [
        (#"{"a":1,"a":2}"#, 7), (#"[{"a":{},"\u0061":{}}]"#, 9), (#"{"a":{"b":1},"c":{"b":1,"d":2,"b":3}}"#, 30), ("1e400", 0),
        ("[-1E+309]", 1), (String(repeating: "9", count: 310), 0), (manyNames(40, last: "n7"), manyNames(40, last: "n7").count - 7),
    ]

    /// Returns an object with many members.
    private static func manyNames(_ count: Int, last: String) -> String {
        "{" + (0..<count).map { #""n\#($0)":0,"# }.joined() + #""\#(last)":0}"#
    }

    @Test("A repeated name or a number beyond the range of `Double` is refused in skipped values", arguments: refusedWhenSkipped)
    func skippedFaults(text: String, offset: Int) throws {
        var reader = try JSONReader(Array(text.utf8))
        let error = #expect(throws: JSONError.self) { try reader.skip() }
        #expect(error?.offset == offset, "\(error.map(String.init(describing:)) ?? "skipped")")
    }

    @Test("Equal names in different objects, and numbers that cannot be stored exactly, are skipped")
    func skipped() throws {
        let nested = #"{"a":{"a":1,"b":{"a":2}},"b":[{"a":1},{"a":2}]}"#
        for text in [nested, manyNames(40), "123456789012345678901234567890", "1e308", "-0.0e5", "0.1e-5"] {
            var reader = try JSONReader(Array(text.utf8))
            try reader.skip()
            try reader.end()
        }
    }

    private func manyNames(_ count: Int) -> String { Self.manyNames(count, last: "last") }

    /// Invalid texts, and the offset of the error.
    static let refused: [(text: String, offset: Int)] = [
        ("", 0), (" ", 1), ("nul", 0), ("nulL", 0), ("True", 0), ("NaN", 0), ("Infinity", 0), ("-Infinity", 1), ("undefined", 0),
        ("1 2", 2), ("1,", 1), ("[]]", 2), ("{}}", 2), ("null//x", 4), ("/* */1", 0), ("'a'", 0),
        ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[1}", 2), ("[1;2]", 2), ("[:1]", 1),
        ("{", 1), (#"{"a""#, 4), (#"{"a":"#, 5), (#"{"a":1"#, 6), (#"{"a":1,"#, 7), (#"{"a":1,}"#, 7), (#"{"a" 1}"#, 5),
        (#"{"a"}"#, 4),
        ("{a:1}", 1), ("{1:1}", 1), (#"{"a":1;"b":2}"#, 6), (#"{"a":1]"#, 6), ("{null:1}", 1), (#"{"a":}"#, 5), (#"{,"a":1}"#, 1),
        ("\"", 0), ("\"a", 0), (#"["a"#, 1), (#""\""#, 0), (#""\x41""#, 1), (#""\'""#, 1), (#""\U0041""#, 1), (#""a\"#, 2),
        (#""\u12""#, 1), (#""\u12G4""#, 1), (#""\u""#, 1), (#""\u-123""#, 1), (#""\u 123""#, 1),
        (#""\ud800""#, 1), (#""x\udc00""#, 2), (#""\ud800\ud800""#, 1), (#""\ud800x""#, 1), (#""\ud800\n""#, 1),
        (#""\udfff\ud800""#, 1),
        (#""\ud83d\u0041""#, 1), (#"{"\ud800":1}"#, 2),
        ("\"a\nb\"", 2), ("\"\t\"", 1), ("\"\u{0}\"", 1), ("\"\u{1F}\"", 1), ("[\"\r\"]", 2),
        ("\u{FEFF}", 3), ("\u{FEFF}\u{FEFF}1", 3), ("1\u{FEFF}", 1), ("\u{A0}1", 0), ("\u{0}", 0), ("1\u{0}", 1), ("\u{B}1", 0),
        ("\u{C}1", 0),
        ("\u{2028}1", 0),
        ("01", 0), ("-01", 0), ("00", 0), ("-", 1), ("+1", 0), (".5", 0), ("1.", 2), ("1.e1", 2), ("1e", 2), ("1e+", 3), ("1e-", 3),
        ("1E", 2),
        ("-.5", 1), ("1.5.5", 3), ("1e1.5", 3), ("1e1e1", 3), ("0x10", 1), ("1_000", 1), ("--1", 1), ("1a", 1), ("１", 0),
    ]

    @Test("Texts that RFC 8259 does not allow are rejected with a byte offset", arguments: refused)
    func refuses(text: String, offset: Int) {
        let error = error(Array(text.utf8))
        #expect(error?.kind == .malformed)
        #expect(error?.offset == offset)
        #expect(error?.description.hasPrefix("at byte \(offset) ") == true)
        #expect(error?.remedy.isEmpty == false)
    }

    static let noUTF8: [(bytes: [UInt8], offset: Int)] = [
        ([0x22, 0xFF, 0x22], 1), ([0x22, 0xC3, 0x22], 1), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
        ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1), ([0x22, 0x80, 0x22], 1), ([0x31, 0xE2, 0x82], 1), ([0xFE, 0xFF, 0x00, 0x31], 0),
    ]

    @Test("A text that is not UTF-8 is rejected with a byte offset", arguments: noUTF8)
    func notUTF8(bytes: [UInt8], offset: Int) {
        let error = error(bytes)
        #expect(error?.kind == .malformed)
        #expect(error?.offset == offset)
        #expect(error?.problem.contains("UTF-8") == true)
    }

    /// Texts with a repeated name, and the offset of its second occurrence.
    static let repeated: [(text: String, name: String, offset: Int)] = [
        (#"{"a":1,"a":1}"#, "a", 7), (#"{"b":0,"a":1,"c":2,"a":3}"#, "a", 19), (#"{"a":1,"\u0061":2}"#, "a", 7),
        (#"[0,{"x":{"é":1, "é":2}}]"#, "é", 17), (#"{"":1,"":2}"#, "", 6), (#"{"a":{"a":[1,2]},"b":"}","a":null}"#, "a", 25),
        (#"{"a":1,"a":2,"a":3}"#, "a", 7),
    ]

    @Test("A repeated name in an object throws an error that quotes it", arguments: repeated)
    func repeatedName(text: String, name: String, offset: Int) {
        let error = error(Array(text.utf8))
        #expect(error?.kind == .repeatedName)
        #expect(error?.offset == offset)
        #expect(error?.problem.contains("`\(name)`") == true)
    }

    @Test("The same name in different objects, and similar names, are not repeated names")
    func sameNameElsewhere() throws {
        let value = try read("[{\"a\":1},{\"a\":{\"a\":2}},{\"\u{E9}\":1,\"e\u{301}\":2,\"E\u{301}\":3}]")
        guard case .array(let elements) = value, case .object(let members) = elements[2] else { return #expect(Bool(false)) }
        #expect(members.keys.map { Array($0.utf8) } == [[0x45, 0xCC, 0x81], [0x65, 0xCC, 0x81], [0xC3, 0xA9]])
        #expect(members.values.elementsEqual([.integer(3), .integer(2), .integer(1)]))
    }

    @Test("Nesting is read up to the reader's limit, far above the limit for values; deeper nesting throws a separate error")
    func depth() throws {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            let deepest =
                String(repeating: open, count: Limits.jsonDepth) + (open == "[" ? "" : "0")
                + String(repeating: close, count: Limits.jsonDepth)
            #expect(try read(deepest).depth == Limits.jsonDepth)
            let error = error(Array((open + deepest + close).utf8))
            #expect(error?.kind == .tooDeep)
            #expect(error?.offset == Limits.jsonDepth * open.utf8.count)
        }
        #expect(Limits.jsonDepth > 4 * Limits.valueDepth)
        for count in [100_000, 10_000_000] {
            #expect(error(Array(repeating: UInt8(ascii: "["), count: count))?.kind == .tooDeep)
        }
        let mixed = String(repeating: #"[{"a":"#, count: 50_000)
        #expect(error(Array(mixed.utf8))?.kind == .tooDeep)
    }

    @Test("A text over the length limit is rejected before any of it is read")
    func length() {
        let long = [UInt8](repeating: 0xFF, count: 100 << 20)
        #expect(error(long)?.kind == .tooLong)
        let fits = [UInt8](repeating: 0x20, count: 100) + [0x31]
        #expect(throws: JSONError.self) { try JSONText.decode(fits, limit: 100) }
        #expect(throws: Never.self) { try JSONText.decode(fits, limit: 101) }
    }

    @Test("Every truncated text is read or rejected with a byte offset")
    func beginnings() throws {
        let text = Array(#"[{"a\u00e9\ud834\udd1e":[-1.5e+3,true,null,""],"b":{"é":0}},"\\",12]"#.utf8)
        #expect(throws: Never.self) { try JSONText.decode(text) }
        for count in text.indices {
            let offset = error(Array(text[..<count]))?.offset
            #expect(offset.map { $0 <= count } == true)
        }
    }

    @Test("After a change of one byte the text is rejected or gives a different value")
    func changedBytes() throws {
        let text = Array(#"{"a":[1,true,"x"],"b":{"c":null}}"#.utf8)
        let value = try JSONText.decode(text)
        for index in text.indices {
            for byte in UInt8.min...UInt8.max where byte != text[index] {
                var changed = text
                changed[index] = byte
                #expect((try? JSONText.decode(changed)) != value)
            }
        }
    }

    @Test("After random changes, every accepted text is also accepted by Foundation", arguments: UInt64(1)...10)
    func agreesWithFoundation(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let text = Array(#"{"a":[1,-2.5e3,true,null,"é\u00e9\n"],"b":{"c":"","d":{}},"e":[[],[0]]}"#.utf8)
        for _ in 0..<500 {
            var changed = text
            for _ in 0...random.number(0...2) {
                let offset = random.number(0...changed.count - 1)
                changed[offset] = random.one(of: Array("{}[],:\"\\0123.eE+-tfn \u{7F}é".utf8))
            }
            guard (try? JSONText.decode(changed)) != nil else { continue }
            #expect(
                throws: Never.self, "seed \(seed): \(String(decoding: changed, as: UTF8.self))"
            ) { try JSONSerialization.jsonObject(with: Data(changed), options: .fragmentsAllowed) }
        }
    }
}

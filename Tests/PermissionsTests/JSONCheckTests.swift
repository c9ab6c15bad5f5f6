import Events
import Foundation
import Permissions
import TestSupport
import Testing

@Suite("JSON is read to the letter")
struct JSONCheckTests {
    private func problem(_ bytes: [UInt8]) -> String? {
        do throws(JSONFault) { try JSONCheck.run(bytes.span) } catch { return error.problem }
        return nil
    }

    private static let sound = [
        "null", "true", "false", "0", "-0", "-1", "10", "0.5", "-0.5e+10", "1E2", "1e-2", #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#,
        #""\u0000\uD83D\uDE00\u00e9""#, "\"é\u{7F}\u{2028}😀\"", "[]", "[1]", " [ 1 , 2 ] ", "\t{ }\r\n", #"{"a":1,"b":{"a":[{}]}}"#,
        #"{"a":1,"A":1,"":1,"a ":1}"#, "\u{FEFF}{}",
        "{" + (0..<100).map { "\"key \($0)\":\($0)" }.joined(separator: ",") + "}",
        String(repeating: "[", count: 512) + String(repeating: "]", count: 512),
    ]

    @Test("What is JSON passes, and Foundation reads it", arguments: sound)
    func passes(text: String) throws {
        #expect(problem(Array(text.utf8)) == nil)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) }
    }

    private static let faulty: [(text: String, problem: String)] = [
        ("", "ends where a value is to be"), ("  ", "ends where a value is to be"), ("[", "ends where a value is to be"),
        ("[1", "a list does not end"), ("[1 2]", "a list does not end"), ("[1,]", "there is no value"),
        ("[,1]", "there is no value"),
        ("{", "a member has no name"), ("{1:2}", "a member has no name"), (#"{"a"}"#, "no colon"),
        (#"{"a":}"#, "there is no value"),
        (#"{"a":1,}"#, "a member has no name"), (#"{"a":1"#, "an object does not end"),
        (#"{"a":1 "b":2}"#, "an object does not end"),
        ("tru", "there is no value"), ("nul", "there is no value"), ("True", "there is no value"), ("NaN", "there is no value"),
        ("'a'", "there is no value"), ("/**/1", "there is no value"), ("1 2", "something follows"), ("{} x", "something follows"),
        ("01", "begins with a zero"), ("-", "lacks a digit"), ("1.", "lacks a digit"), (".5", "there is no value"),
        ("1e", "lacks a digit"), ("1e+", "lacks a digit"), ("+1", "there is no value"), ("0x1", "something follows"),
        (#"""#, "does not end"), (#""a"#, "does not end"), (#""\"#, "no such escape"), (#""\x""#, "no such escape"),
        (#""\u12xy""#, "four hexadecimal digits"), (#""\u12"#, "too short"), (#""\uD800""#, "surrogate"),
        (#""\uDC00""#, "surrogate"),
        (#""\uD800\u0041""#, "surrogate"), (#""\uD800x123456""#, "surrogate"),
        ("\"a\u{0}b\"", "control character, which is written \\u0000"),
        ("\"a\u{1B}b\"", "control character, which is written \\u001b"), ("\"a\tb\"", "control character"),
        ("\"a\nb\"", "control character"),
        (#"{"a":1,"a":2}"#, "member `a` twice"), (#"{"x":{"a":1,"b":2,"a":3}}"#, "member `a` twice"),
        (#"{"a":1,"\u0061":2}"#, "member `a` twice"), ("{\"\u{E9}\":1,\"e\u{301}\":2}", "twice"),
        ("{" + (0..<40).map { "\"key \($0 % 39)\":\($0)" }.joined(separator: ",") + "}", "member `key 0` twice"),
        (String(repeating: "[", count: 513) + String(repeating: "]", count: 513), "512 levels"),
        (String(repeating: #"{"a":"#, count: 100_000), "512 levels"),
    ]

    @Test("What is not is told what is wrong with it", arguments: faulty)
    func fails(text: String, problem: String) {
        let found = self.problem(Array(text.utf8))
        #expect(found?.contains(problem) == true, "\(found ?? "nothing")")
        #expect(found?.utf8.count ?? 0 < 400)
    }

    private static let noUTF8: [[UInt8]] = [
        [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC3, 0x28], [0xE2, 0x82], [0x80],
    ]

    @Test("Bytes that are not UTF-8 are named as such, with their place", arguments: noUTF8)
    func notUTF8(bytes: [UInt8]) {
        let text = Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8)
        let fault = #expect(throws: JSONFault.self) { try JSONCheck.run(text.span) }
        #expect(fault == JSONFault(problem: "there are bytes that are not UTF-8", offset: 6))
    }

    @Test("Of random changes to a text, none passes that Foundation does not read", arguments: UInt64(1)...10)
    func agreesWithFoundation(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let text = Array(#"{"a":[1,-2.5e3,true,null,"é\u00e9\n"],"b":{"c":"","d":{}},"e":[[],[0]]}"#.utf8)
        for _ in 0..<500 {
            var changed = text
            for _ in 0...random.number(0...2) {
                let offset = random.number(0...changed.count - 1)
                changed[offset] = random.one(of: Array("{}[],:\"\\0123.eE+-tfn \u{7F}é".utf8))
            }
            guard problem(changed) == nil else { continue }
            #expect(
                throws: Never.self, "seed \(seed): \(String(decoding: changed, as: UTF8.self))"
            ) { try JSONSerialization.jsonObject(with: Data(changed), options: .fragmentsAllowed) }
        }
    }

    @Test("What is written can be read to the letter")
    func writtenIsSound() throws {
        let value = JSONValue.object(["é": .array([.number(1e300), .integer(.min), .string("\u{0}\"\\/\u{7F}")]), "": .null])
        #expect(try JSONText.decodeStrictly(JSONText.encode(value)) == value)
        var writer = JSONWriter()
        writer.write(value)
        #expect(try JSONText.decodeStrictly(Array(writer.text.utf8)) == value)
        let refusal = #expect(throws: Refusal.self) { try JSONText.decodeStrictly(Array("[1,]".utf8)) }
        #expect(refusal?.code == .malformed)
        #expect(refusal?.message.contains("at byte 3") == true)
    }
}

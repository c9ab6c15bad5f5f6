import Events
import Histories
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("QuestionEvaluator a question file")
struct QuestionFileTests {
    private func answers(_ lines: String...) throws -> [String] {
        try withTemporaryFolder { folder in
            let store = try Store.create(at: folder + "/store", preset: .open, options: StoreOptions { .newYear })
            defer { try? store.close() }
            try store.commit(
                Transaction(
                    "user:root",
                    [
                        .defineClass("doc"), .register("user:ann"), .createObject("doc:1", value: .object(["n": .integer(1)])),
                        .grant("user:ann", on: "doc:1", ["read"]),
                    ]))
            try store.setLevels([
                AccessLevel(name: "see", privileges: ["read"]), AccessLevel(name: "edit", privileges: ["read", "update"]),
            ])
            var answered: [String] = []
            let count = try QuestionFileAnswerer(store).answer(text: lines.joined(separator: "\n"), named: "q.jsonl") {
                answered.append($0)
            }
            #expect(count == answered.count)
            return answered
        }
    }

    @Test("Each question is returned as written; its answer is appended, or replaces the old one")
    func lines() throws {
        let answered = try answers(
            "# questions", "", #"{"ask":"check","subject":"user:ann","object":"doc:1","privilege":"read"}"#,
            #"{"ask": "check", "user": "user:ann", "object": "doc:1", "privilege": "update"}"#,
            #"{"answer":[1,{"a":"}"}],"ask":"privileges","subject":"user:ann","object":"doc:1"}"#,
            #"  { "ask" : "value" , "as" : "user:ann" , "object" : "doc:1" , "answer" : null }  "#)
        #expect(
            answered == [
                #"{"ask":"check","subject":"user:ann","object":"doc:1","privilege":"read","answer":true}"#,
                #"{"ask": "check", "user": "user:ann", "object": "doc:1", "privilege": "update", "answer": false}"#,
                #"{"answer":["read"],"ask":"privileges","subject":"user:ann","object":"doc:1"}"#,
                #"{ "ask" : "value" , "as" : "user:ann" , "object" : "doc:1" , "answer" : {"n":1} }"#,
            ])
    }

    @Test("Levels are those of the store, unless a header defines others")
    func levels() throws {
        let question = #"{"ask":"check","user":"user:ann","object":"doc:1","level":"see"}"#
        #expect(try answers(question) == [question.dropLast() + #","answer":true}"#])
        let header = #"{"format":"permission-history/1","levels":{"see":["read","query"]}}"#
        #expect(try answers(header, question) == [question.dropLast() + #","answer":false}"#])
    }

    @Test("A question about a value or a list may get a refusal as its answer, which reveals nothing hidden")
    func refusals() throws {
        let answered = try answers(
            #"{"ask":"value","as":"user:ben","object":"doc:1"}"#, #"{"ask":"value","as":"anonymous","object":"doc:1"}"#,
            #"{"ask":"value","as":"user:ben","object":"doc:2"}"#, #"{"ask":"list","as":"user:ben","class":"box"}"#,
            #"{"ask":"list","as":"anonymous","class":"doc"}"#)
        let codes = ["noPrivilege", "notAuthenticated", "unknownObject", "unknownClass", "notAuthenticated"]
        #expect(answered.count == codes.count)
        for (line, code) in zip(answered, codes) { #expect(line.hasSuffix(#""answer":{"refused":"\#(code)"}}"#)) }
    }

    @Test("An invalid question throws an error with line and key; the questions before it are answered")
    func errors() throws {
        let good = #"{"ask":"members","role":"r"}"#
        let faults: [(line: String, key: String?)] = [
            (#"{"ask":"check","user":"user:ann","object":"doc:1","level":"own"}"#, "level"),
            (#"{"ask":"members","role":"r","at":99}"#, "at"), (#"{"ask":"members","role":"r","at":"then"}"#, "at"),
            (#"{"as":"user:root","do":[]}"#, nil), (#"{"mark":"a"}"#, nil), (#"{"ask":"entries","object":"x"}"#, nil),
        ]
        for (line, key) in faults {
            let error = #expect(throws: FormatError.self) { try answers(good, line) }
            #expect(error?.line == 2)
            #expect(error?.key == key)
        }
    }
}

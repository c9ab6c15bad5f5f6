import Foundation
import Testing

@Suite("Points in time: every query can be run on the past")
struct MomentTests {
    /// The access of all users to a document over three days, as an import.
    private static let history = """
        {"format":"permission-history/1","levels":{"read":["read"],"write":["read","update"]}}
        {"id":"a","time":"2024-05-01T10:00:00Z","actor":"user:ann","changes":[{"op":"createObject","object":"doc:1"}]}
        {"id":"b","time":"2024-05-02T10:00:00Z","actor":"user:ann","changes":[{"op":"grant","subject":"user:bob","object":"doc:1","level":"write"}]}
        {"id":"c","time":"2024-05-03T10:00:00Z","actor":"user:ann","changes":[{"op":"revoke","subject":"user:bob","object":"doc:1"}]}

        """

    private static func inImportedStore(_ body: (BuiltTool) throws -> Void) throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(history, to: "history.jsonl")
            try tool.make("import history.jsonl")
            try body(tool)
        }
    }

    @Test(
        "E5: a query at a revision, a time or a day gives the answer of that time",
        arguments: [
            ("1", 1), ("2", 0), ("3", 1), ("2024-05-02T09:59:59.999999Z", 1), ("2024-05-02T10:00:00Z", 0),
            ("2024-05-02T12:00:00+02:00", 0), ("2024-05-02", 1), ("2024-05-03", 0), ("2024-05-03T10:00:00Z", 1), ("1999-01-01", 1),
        ] as [(String, Int32)])
    func checkAt(moment: String, code: Int32) throws {
        try MomentTests.inImportedStore { tool in
            let result = try tool.run("check user:bob update doc:1 --at \(moment)")
            #expect(result.code == code)
        }
    }

    static let questions: [(sentence: String, answer: [String])] = [
        ("who read doc:1 --at 2", ["user:bob", "user:root  administrator"]),
        ("who read doc:1", ["user:root  administrator"]),
        ("what user:bob read --at 2024-05-03", ["doc:1"]),
        ("privileges user:bob doc:1 --at 2", ["read", "update"]),
        ("entries doc:1 --at 2", ["user:bob  read, update"]),
        ("diff user:bob --from 1 --to 2", ["doc:1  + read, update"]),
        ("diff user:bob --from 2024-05-03", ["doc:1  - read, update"]),
        ("diff doc:1 --from 2 --to 3", ["user:bob  - read, update"]),
    ]

    @Test("E5: every query accepts a point in the past")
    func everyQuestionAt() throws {
        try MomentTests.inImportedStore { tool in
            for question in MomentTests.questions {
                let answer = try tool.make(question.sentence).lines
                #expect(answer == question.answer, "\(question.sentence)")
            }
        }
    }

    @Test("`diff` of several privileges lists who gained or lost all of them, as `who` does, and with --any each change of one")
    func differenceInAll() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("grant user:bob read,update on doc:plan")
            let sentence = "diff doc:plan --from 5 --privilege read,update"
            #expect(try tool.make("who read,update doc:plan --at 5").lines == ["user:root  administrator"])
            #expect(try tool.make(sentence).lines == ["user:bob  + read, update"])
            #expect(try tool.make("diff doc:plan --from 4 --privilege read,update").lines == ["user:bob  + read, update"])
            #expect(
                try tool.make("diff doc:plan --from 4 --privilege read,update --any").lines
                    == ["user:ann  + read", "user:bob  + read, update"])
            try tool.make("grant user:ann update on doc:plan")
            #expect(try tool.make(sentence).lines == ["user:ann  + update", "user:bob  + read, update"])
            #expect(try tool.run("diff doc:plan --from 4 --any").errors.contains("--any belongs to --privilege"))
        }
    }

    @Test("An exported store can be imported into a store with the same answers")
    func exportImports() throws {
        try MomentTests.inImportedStore { tool in
            try tool.write(try tool.make("export").output, to: "exported.jsonl")
            try tool.make("import exported.jsonl --store copy")
            for sentence in ["log --from 1", "who read doc:1 --at 2", "entries doc:1 --at 2"] {
                #expect(try tool.make(sentence).output == tool.make(sentence + " --store copy").output, "\(sentence)")
            }
        }
    }

    @Test("An import continues after the last imported record")
    func importResumes() throws {
        try MomentTests.inImportedStore { tool in
            let more = #"{"time":"2024-05-04T10:00:00Z","actor":"user:ann","changes":[{"op":"deleteObject","object":"doc:1"}]}"#
            try tool.write(MomentTests.history + more + "\n", to: "history.jsonl")
            let result = try tool.make("import history.jsonl --resume")
            #expect(result.output.hasPrefix("1 transaction, 1 event, revisions 4 to 4, "))
        }
    }
}

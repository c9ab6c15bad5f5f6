import Foundation
import Testing

@Suite("JSON: with --json a call prints one object, or one per line, with fixed keys")
struct JSONTests {
    /// A call and the keys of its JSON object.
    static let shapes: [(sentence: String, keys: Set<String>)] = [
        ("check user:ann read doc:plan", ["subject", "privileges", "object", "allowed", "reason", "revision", "time"]),
        ("check user:bob read doc:plan", ["subject", "privileges", "object", "allowed", "reason", "revision", "time"]),
        ("privileges user:ann doc:plan", ["subject", "object", "privileges", "revision", "time"]),
        ("who read doc:plan", ["privileges", "object", "subjects", "administrators", "revision", "time"]),
        ("what user:ann read", ["subject", "privileges", "objects", "revision", "time"]),
        ("what user:ann read --class doc", ["subject", "privileges", "class", "objects", "revision", "time"]),
        ("entries doc:plan", ["object", "entries", "revision", "time"]),
        ("role members readers", ["role", "members", "revision", "time"]),
        ("admin list", ["administrators", "revision", "time"]),
        ("object value doc:plan", ["object", "value", "revision", "time"]),
        ("object list doc", ["class", "objects", "revision", "time"]),
        ("diff user:ann --from 0", ["name", "from", "to", "differences"]),
        ("grant user:bob read on doc:plan", ["revision", "head", "time", "hash"]),
        ("log --from 5 --to 5", ["revision", "time", "actor", "events", "hash"]),
        ("verify", ["sound", "commits", "events", "refusals", "problems", "notes", "revision", "hash", "refusalHash"]),
        (
            "stats",
            [
                "preset", "openToEveryone", "revision", "time", "hash", "events", "principals", "roles", "classes", "objects",
                "refusals",
                "logBytes", "indexBytes", "tables",
            ]
        ),
        ("rebuild", ["revision", "seconds"]),
        ("init --store other", ["store", "preset", "administrator", "revision"]),
        (
            "import history.jsonl --store third",
            [
                "transactions", "events", "revisions", "revision", "time", "seconds", "eventsPerSecond", "preset", "openToEveryone",
            ]
        ),
        ("scenario scenario.jsonl", ["passed", "failed", "failures"]),
    ]

    @Test("Each object has exactly its keys")
    func keysStayTheSame() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("role create readers")
            try tool.write(
                """
                {"format":"permission-history/1"}
                {"time":"2024-01-01T00:00:00Z","actor":"user:root","changes":[{"op":"createRole","role":"readers"}]}

                """, to: "history.jsonl")
            try tool.write("{\"format\":\"scenario/1\"}\n", to: "scenario.jsonl")
            for shape in JSONTests.shapes {
                #expect(try Set(tool.object(shape.sentence + " --json").keys) == shape.keys, "\(shape.sentence)")
            }
        }
    }

    @Test("The log has one object per line, and its events have kind and names")
    func logLines() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let lines = try tool.make("log --json").lines
            #expect(lines.count == 6)
            let text = try #require(lines.last)
            let last = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            let events = try #require(last["events"] as? [[String: Any]])
            #expect(events.count == 1)
            #expect(events.first?["kind"] as? String == "AccessGranted")
            #expect(events.first?["subject"] as? String == "user:ann")
            #expect(events.first?["object"] as? String == "doc:plan")
            #expect(events.first?["privileges"] as? [String] == ["read"])
            #expect(last["actor"] as? String == "user:root")
        }
    }

    @Test("A change without effect has no revision")
    func nothingChanged() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let answer = try tool.object("grant user:ann read on doc:plan --json")
            #expect(answer["revision"] is NSNull)
            #expect(answer["head"] as? Int == 5)
        }
    }
}

import Events
import Foundation
import Muniment
import Permissions
import Testing

@Suite("Lists: table, JSON, JSON lines and CSV")
struct ListFormatTests {
    /// A call of each command that prints a list on the demo store, and its columns.
    static let lists: [(sentence: String, columns: String)] = [
        ("privileges user:ann doc:plan", "privilege"),
        ("who read doc:plan", "subject,administrator"),
        ("what user:ann read", "object"),
        ("entries doc:plan", "subject,privileges,until,permission,permanent"),
        ("list doc", "name"),
        ("object list doc", "object"),
        ("object list doc --limit 1", "object"),
        ("role members readers", "member"),
        ("admin list", "administrator"),
        ("log", "revision,time,actor,kind,description,request,comment,credential"),
        ("history doc:plan", "revision,time,actor,kind,description,request,comment,credential"),
        ("notices --for user:ann", "revision,time,kind,object,gained,lost"),
        ("diff user:ann --from 0", "name,gained,lost"),
        ("refusals", "number,time,caller,code,message,tried,request,comment,credential"),
        (
            "audit",
            "time,outcome,revision,refusal,actor,kind,objects,subjects,privileges,code,description,request,comment,credential"
        ),
        ("audit access read on doc:plan", "subject,begin,from,end,until,asAdministrator"),
        ("audit subject user:ann", "kind,name,privileges,through"),
        ("audit changes user:ann read on doc:plan", "gained,revision,time,actor,description,request,comment,credential"),
        ("what-if draft.jsonl", "subject,object,gained,lost"),
        ("token list --data .", "id,state,can,as,stores,made,until,revoked,comment"),
        ("lookalikes", "group,name"),
    ]

    private func withLists(_ body: (BuiltTool) throws -> Void) throws {
        try BuiltTool.inFreshFolder { (tool) throws in
            try tool.makeDemo()
            try tool.make("role create readers")
            try tool.make("role add user:bob to readers")
            #expect(try tool.run("admin appoint user:bob --as user:bob").code == 1)
            try tool.write(
                #"{"op":"grant","subject":"user:bob","object":"doc:plan","privileges":["read"]}"# + "\n", to: "draft.jsonl")
            try tool.make("token create --data . --store demo --can ask")
            try tool.make("register user:b0b")
            try body(tool)
        }
    }

    @Test("Each list has its columns in CSV and in tables, and a JSON object per line with --format jsonl")
    func everyList() throws {
        try withLists { (tool) throws in
            for list in Self.lists {
                let csv = try tool.make(list.sentence + " --format csv").output
                let lines = csv.components(separatedBy: "\r\n")
                #expect(lines.first == list.columns, "\(list.sentence)")
                #expect(lines.last == "" && lines.count > 2, "\(list.sentence): \(csv)")
                let table = try tool.make(list.sentence + " --format table").lines
                #expect(table.count == lines.count - 1, "\(list.sentence)")
                let heading = try #require(table.first).split(separator: " ").joined(separator: ",")
                #expect(heading == list.columns.uppercased(), "\(list.sentence)")
                for line in try tool.make(list.sentence + " --format jsonl").lines {
                    #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any], "\(list.sentence)")
                }
                let json = try tool.make(list.sentence + " --format json").output
                _ = try JSONSerialization.jsonObject(with: Data(json.utf8))
            }
        }
    }

    @Test("--format json of a log is an array of the objects that --json prints, and [] for no records")
    func arrays() throws {
        try withLists { (tool) throws in
            let lines = try tool.make("log --json").output
            let array = try tool.make("log --format json").output
            let objects = try JSONSerialization.jsonObject(with: Data(array.utf8)) as? [[String: Any]]
            #expect(objects?.count == lines.split(separator: "\n").count)
            #expect(try tool.make("log --format jsonl").output == lines)
            #expect(try tool.make("notices --for user:never --format json").output == "[]\n")
        }
    }

    @Test("CSV quotes commas and quotes, and disarms formulas; each record stays on its line")
    func fields() throws {
        try BuiltTool.inFreshFolder { (tool) throws in
            try tool.makeDemo()
            let store = try Store.open(at: tool.store, .writing)
            for comment in ["=cmd|' /C calc'!A1", "one, \"two\"\r\nthree", "+1", "a; \"=1;@b", "plain"] {
                let change = Change.writeObject("doc:plan", .value(.string(comment)))
                try store.commit(Transaction("user:root", [change], origin: Origin(comment: comment)))
            }
            try store.close()
            let lines = try tool.make("log --from 6 --format csv").output.components(separatedBy: "\r\n")
            #expect(lines.count == 7)
            #expect(lines[1].hasSuffix(",,'=cmd|' /C calc'!A1,"))
            #expect(lines[2].hasSuffix(#","one, ""two""\u{d}\u{a}three","#))
            #expect(lines[3].hasSuffix(",,'+1,"))
            // Where the semicolon separates fields, the quotes of the whole field mean nothing.
            #expect(lines[4].hasSuffix(#","a; ""'=1;'@b","#))
            #expect(lines[5].hasSuffix(",,plain,"))
        }
    }

    @Test(
        "A wrong format is an error that names it, and so are two formats",
        arguments: [
            ("log --format xml", "xml"), ("who read doc:plan --format csv --json", "--json"),
            ("check user:ann read doc:plan --format csv", "--format"),
        ])
    func mistakes(sentence: String, quoted: String) throws {
        try BuiltTool.inFreshFolder { (tool) throws in
            try tool.makeDemo()
            let result = try tool.run(sentence)
            #expect(result.code == 2 && result.output.isEmpty)
            #expect(result.errors.contains(quoted), "\(result.errors)")
        }
    }
}

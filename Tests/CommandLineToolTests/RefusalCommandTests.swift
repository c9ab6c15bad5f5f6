import Foundation
import Testing

@Suite("Refused commands and the tool")
struct RefusalCommandTests {
    /// A refused call, its code, and the quoted text: one for each tool command that changes the store.
    private static let refused: [(sentence: String, code: String, quoted: String)] = [
        ("class define doc", "alreadyExists", "doc"), ("class define new --creator-privileges fly", "malformed", "fly"),
        ("class change box --acl none", "unknownClass", "box"), ("class change doc --add-privileges read", "malformed", "read"),
        ("object create doc:plan", "alreadyExists", "doc:plan"), ("object create box:1", "unknownClass", "box"),
        ("object create role:new", "unknownClass", "role"), ("object create doc:new --parent doc:new", "unknownObject", "doc:new"),
        ("object create doc:new --owner user:eve", "unknownPrincipal", "user:eve"),
        ("object write doc:none --value 1", "unknownObject", "doc:none"),
        ("object write role:readers --value 1", "malformed", "role:readers"),
        ("object move doc:plan to doc:plan", "cycle", "doc:plan"),
        ("object move doc:plan to doc:none", "unknownObject", "doc:none"),
        ("object write doc:plan --value 1 --unchanged-since 0", "conflict", "doc:plan"),
        ("object delete doc:none", "unknownObject", "doc:none"), ("object delete user:ann", "malformed", "user:ann"),
        ("object owner doc:plan user:eve", "unknownPrincipal", "user:eve"),
        ("grant user:ann read on doc:none", "unknownObject", "doc:none"),
        ("grant user:eve read on doc:plan", "unknownPrincipal", "user:eve"),
        ("grant user:ann fly on doc:plan", "malformed", "fly"),
        ("grant user:ann read on doc:plan --until 2000-01-01", "malformed", "2000-01-01T00:00:00Z"),
        ("grant user:ann read on doc:plan --strict", "alreadyExists", "user:ann"),
        ("grant user:ann delete on doc:plan --unchanged-since 0", "conflict", "doc:plan"),
        ("revoke user:ann on doc:plan --unchanged-since 0", "conflict", "doc:plan"),
        ("revoke user:bob on doc:plan --strict", "notThere", "user:bob"), ("revoke user:ann fly on doc:plan", "malformed", "fly"),
        ("register user:eve --as anonymous", "notAuthenticated", "class:user"),
        ("role create readers", "alreadyExists", "role:readers"),
        ("role delete nobody", "unknownObject", "role:nobody"), ("role add role:readers to readers", "cycle", "role:readers"),
        ("role add user:eve to readers", "unknownPrincipal", "user:eve"),
        ("role remove user:ann from nobody", "unknownObject", "role:nobody"),
        ("admin appoint user:eve", "unknownPrincipal", "user:eve"), ("admin dismiss user:root", "lastAdministrator", "user:root"),
        ("admin appoint user:bob --as user:bob", "notAdministrator", "user:bob"),
        ("permission define p user:eve read", "unknownPrincipal", "user:eve"),
        ("permission define p user:ann fly", "malformed", "fly"),
        ("permission change p user:ann read", "unknownPermission", "permission:p"),
        ("permission attach p doc:plan", "unknownPermission", "permission:p"),
        ("permission detach p doc:plan", "unknownPermission", "permission:p"),
        ("grant user:bob read on doc:plan --as user:bob", "noPrivilege", "doc:plan"),
    ]

    @Test("E9: a refused command gets exit code 1 and one line on standard error, is recorded, and changes nothing")
    func table() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("role create readers")
            let log = try tool.make("log").output
            for (number, row) in RefusalCommandTests.refused.enumerated() {
                let result = try tool.run(row.sentence)
                #expect(result.code == 1, "muniment \(row.sentence): \(result.errors)")
                #expect(result.errors.hasPrefix("refused: \(row.code): "), "muniment \(row.sentence): \(result.errors)")
                #expect(result.errors.contains("`\(row.quoted)`"), "muniment \(row.sentence): \(result.errors)")
                #expect(result.errors.split(separator: "\n").count == 1 && result.output.isEmpty)
                let record = try tool.object("refusals --since \(number + 1) --json")
                #expect(record["number"] as? Int == number + 1)
                #expect(record["code"] as? String == row.code)
                #expect("refused: \(row.code): \(record["message"] as? String ?? "")\n" == result.errors)
            }
            #expect(try tool.make("log").output == log)
            #expect(try tool.make("verify").output.contains("\(RefusalCommandTests.refused.count) refusals, "))
        }
    }

    @Test("E9: text output has caller, time, command and reason; JSON output has every field under fixed keys")
    func listing() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            #expect(try tool.make("refusals").output.isEmpty)
            #expect(try tool.run("object delete doc:plan --as user:bob").code == 1)
            #expect(try tool.run("object delete doc:none").code == 1)
            let lines = try tool.make("refusals").lines
            #expect(lines.count == 6)
            #expect(lines[0].hasPrefix("#1  ") && lines[0].hasSuffix("Z  user:bob  noPrivilege"))
            #expect(lines[1] == #"    {"op":"deleteObject","object":"doc:plan"}"#)
            #expect(lines[2].hasPrefix("    the caller lacks `delete` on `doc:plan`"))
            #expect(try tool.make("refusals --since 2").lines == Array(lines[3...]))
            #expect(try tool.make("refusals --since #2").lines == Array(lines[3...]))
            #expect(try tool.make("refusals --since 3").output.isEmpty)
            let object = try tool.object("refusals --since 2 --json")
            let keys: Set = ["number", "time", "head", "caller", "code", "message", "change", "changes", "tried", "hash"]
            #expect(Set(object.keys) == keys)
            #expect((object["tried"] as? [String: String]) == ["op": "deleteObject", "object": "doc:none"])
            let usage = try tool.run("refusals --since yesterday")
            #expect(usage.code == 2)
            #expect(usage.errors.contains("`yesterday`"))
        }
    }

    @Test("E9: long text is shortened, and control characters do not reach the terminal")
    func longAndOdd() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let value = String(repeating: "x", count: 5000) + "\\u001b"
            #expect(try tool.run(["object", "create", "doc:plan", "--value", "\"\(value)\"", "--store", tool.store]).code == 1)
            let lines = try tool.make("refusals").lines
            #expect(lines.count == 3)
            #expect(lines[1].hasSuffix("x… (5058 bytes)"))
            let object = try tool.object("refusals --json")
            #expect(object["triedBytes"] as? Int == 5058)
            #expect((object["triedBeginning"] as? String)?.utf8.count == 2048)
            #expect((object["triedSHA256"] as? String)?.count == 64)
        }
    }

    /// Bytes that a UTF-8 terminal never sends.
    @Test("An argument that is not UTF-8 is a usage error, and is not recorded")
    func notUTF8() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let result = try tool.shell(#"$muniment register "user:$(printf '\377')""#)
            #expect(result.code == 2)
            #expect(result.errors.contains("UTF-8"))
            for value in ["[1,]", #"{"a":1,"a":2}"#, "01", #""\ud800""#] {
                let result = try tool.run(["object", "write", "doc:plan", "--value", value])
                #expect(result.code == 2, "\(value): \(result.errors)")
                #expect(result.errors.contains("is not JSON"), "\(value): \(result.errors)")
            }
            #expect(try tool.make("refusals").output.isEmpty)
        }
    }
}

import Foundation
import Testing

@Suite("import --from and compare")
struct ImportCommandTests {
    private static let grants = "subject,object,privileges\nann,doc:1,read\n"

    @Test("A dry run prints the changes and makes none; the import makes them, and repeated it changes nothing")
    func dryRun() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(Self.grants, to: "grants.csv")
            let sentence = "import grants.csv --from csv --source hr"
            #expect(
                try tool.make(sentence + " --dry-run").lines == [
                    "grant everyone read on store", "class define doc", "grant everyone read on class:doc", "object create doc:1",
                    "grant user:ann read on doc:1", "5 changes in 1 transaction would be made",
                ])
            #expect(try tool.run("check user:ann read doc:1").code == 3)
            #expect(try tool.make(sentence).lines == ["5 changes in 1 transaction, revision 1"])
            #expect(try tool.make(sentence).lines == ["nothing changed: the store agrees with the source"])
            try tool.make("check user:ann read doc:1")
            #expect(try tool.shell("$muniment import - --from csv --source hr < grants.csv").lines.count == 1)
            try tool.write(Self.grants + "bob,doc:1,read\n", to: "grants.csv")
            let object = try tool.object(sentence + " --json")
            #expect(object["applied"] as? Bool == true)
            #expect(object["revision"] as? Int == 2)
        }
    }

    @Test("Lines that cannot be mapped stop the import, unless they are skipped; both report them")
    func unmapped() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(Self.grants + "ann,user:bob,read\n", to: "grants.csv")
            let refused = try tool.run("import grants.csv --from csv --source hr")
            #expect(refused.code == 1)
            #expect(refused.errors.contains("note: cannot be mapped: grants.csv:3: `user:bob` is not an object"))
            #expect(refused.errors.contains("nothing was imported"))
            #expect(try tool.run("stats").code == 3)
            let dry = try tool.run("import grants.csv --from csv --source hr --dry-run")
            #expect(dry.code == 1)
            #expect(dry.errors.contains("the import would be refused"))
            #expect(try tool.run("import grants.csv --from csv --source hr --dry-run --skip-unmapped").code == 0)
            let skipped = try tool.make("import grants.csv --from csv --source hr --skip-unmapped")
            #expect(skipped.errors.contains("grants.csv:3"))
            let compared = try tool.run("compare grants.csv --from csv")
            #expect(compared.code == 1)
            #expect(compared.errors.contains("not compared, since they cannot be mapped: 1 part of the source"))
            try tool.write("subject,object,privileges\nann,user:bob,read\n", to: "grants.csv")
            for flag in ["", " --dry-run"] {
                let empty = try tool.run("import grants.csv --from csv --source hr --skip-unmapped" + flag)
                #expect(empty.code == 2)
                #expect(empty.errors.contains("none of its access can be mapped"))
            }
            try tool.make("check user:ann read doc:1")
        }
    }

    @Test("compare prints the differences and exits like diff: 0 without, 1 with some, 2 if the call is wrong")
    func comparison() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(Self.grants, to: "grants.csv")
            try tool.make("import grants.csv --from csv --source hr")
            #expect(try tool.make("compare grants.csv --from csv").lines == ["no differences in 8 questions"])
            try tool.make("register user:bob")
            try tool.make("grant user:bob read on doc:1")
            try tool.make("grant everyone update on store")
            try tool.make("grant everyone update on class:doc")
            try tool.make("grant user:ann update on doc:1")
            let different = try tool.run("compare grants.csv --from csv")
            #expect((different.code, different.lines) == (1, ["+ user:bob read doc:1", "+ user:ann update doc:1"]))
            #expect(try tool.make("compare grants.csv --from csv --at 1").code == 0)
            let json = try tool.run("compare grants.csv --from csv --json")
            #expect(
                json.output.contains(
                    #""differences":[{"object":"doc:1","onlyIn":"store","privilege":"read","subject":"user:bob"},"#))
            for call in [
                "compare grants.csv", "compare grants.csv --from xml", "compare --from csv", "compare none.csv --from csv",
            ] {
                #expect(try tool.run(call).code == 2, "\(call)")
            }
        }
    }

    @Test(
        "A call without the name of its source, or with options of the other kind of import, is refused with the remedy",
        arguments: [
            ("import grants.csv --from csv", "write `--source NAME`"),
            ("import grants.csv --from csv --source hr --resume", "--resume` belongs to a history"),
            ("import grants.csv --dry-run", "write `--from FORMAT`"),
        ])
    func options(call: String, remedy: String) throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(Self.grants, to: "grants.csv")
            let result = try tool.run(call)
            #expect(result.code == 2)
            #expect(result.errors.contains(remedy))
        }
    }
}

import Foundation
import Testing

@Suite("Completion: commands, options, and names of the store")
struct CompletionTests {
    private func withNames(_ body: (BuiltTool) throws -> Void) throws {
        try BuiltTool.inFreshFolder { (tool) throws in
            try tool.makeDemo()
            try tool.make("role create editors")
            try tool.make("object create 'doc:a plan'")
            try body(tool)
        }
    }

    @Test(
        "The candidates fit the place in the call",
        arguments: [
            (["chec"], ["check"]), (["rol"], ["role"]), (["role", "a"], ["add"]), (["audit", "c"], ["changes"]),
            (["help", "gra"], ["grant"]), (["check", "user:a"], ["user:ann"]), (["check", "user:ann", "upd"], ["update"]),
            (["check", "user:ann", "read,upd"], ["read,update"]), (["check", "user:ann", "read", "doc:p"], ["doc:plan"]),
            (["check", "user:ann", "read", "on", "doc:"], ["doc:a plan", "doc:plan"]),
            (["check", "--at", "3", "user:ann", "read", "doc:p"], ["doc:plan"]), (["revoke", "user:ann", "doc:p"], ["doc:plan"]),
            (["revoke", "user:ann", "approve", "on", "doc:p"], ["doc:plan"]),
            (["role", "add", "user:ann", "to", "edi"], ["editors"]),
            (["role", "add", "user:ann", "role:e"], ["role:editors"]), (["list", "do"], ["doc"]),
            (["class", "change", "class:d"], ["class:doc"]),
            (["log", "--rev"], ["--reverse"]), (["log", "--format", "j"], ["json", "jsonl"]),
            (["log", "--format=c"], ["--format=csv"]),
            (["log", "--reverse", "--rev"], []), (["notices", "--for", "role:"], ["role:editors"]),
            (["object", "move", "doc:plan", "to", "t"], ["top"]), (["import", "fi"], ["file.jsonl"]),
            (["audit", "--kind", "AccessG"], ["AccessGranted"]), (["completions", "z"], ["zsh"]), (["nonsense", "a"], []),
            (["check", "user:ann", "read", "doc:p", "--store", "none"], []),
        ])
    func candidates(words: [String], expected: [String]) throws {
        try withNames { (tool) throws in
            try tool.write("", to: "file.jsonl")
            let result = try tool.run(["complete", "--"] + words)
            #expect(result.code == 0 && result.errors.isEmpty && result.lines == expected, "\(words): \(result.lines)")
        }
    }

    @Test("Without a store, commands and options are still completed, and no store is created")
    func withoutStore() throws {
        try BuiltTool.inFreshFolder { (tool) throws in
            #expect(try tool.run(["complete", "--", "who", "read", "doc:"]).lines == [])
            #expect(try tool.run(["complete", "--", "who", "--form"]).lines == ["--format"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path) == [])
        }
    }

    @Test("In a large store, classes are completed before names")
    func largeStore() throws {
        try BuiltTool.inFreshFolder { (tool) throws in
            try tool.makeDemo()
            let objects =
                [#"{"op":"defineClass","class":"doc"}"#] + (0..<300).map { #"{"op":"createObject","object":"doc:\#($0)"}"# }
            let transaction =
                #"{"time":"2024-01-01T00:00:00Z","actor":"user:root","changes":["# + objects.joined(separator: ",") + "]}"
            try tool.write(#"{"format":"permission-history/1"}"# + "\n" + transaction + "\n", to: "history.jsonl")
            try tool.make("import history.jsonl --store large")
            let first = try tool.run(["complete", "--", "--store", "large", "who", "read", "d"]).lines
            #expect(first == ["doc:"])
            #expect(try tool.run(["complete", "--", "--store", "large", "who", "read", "doc:29"]).lines.count == 11)
        }
    }

    @Test("The bash script completes a line up to the cursor, and omits what bash has already split off")
    func bash() throws {
        try withNames { tool in
            try tool.write(
                """
                muniment() { "$muniment" "$@"; }
                source <(muniment completions bash)
                for COMP_LINE in 'muniment role a' 'muniment check user:a' 'muniment who read doc:' 'muniment log --format=c'; do
                    COMP_POINT=${#COMP_LINE}
                    _muniment
                    echo "${COMPREPLY[@]}"
                done
                COMP_WORDBREAKS=' ' COMP_LINE='muniment check user:a' COMP_POINT=21
                _muniment
                echo "${COMPREPLY[@]}"

                """, to: "script")
            let result = try tool.shell("/bin/bash script")
            #expect(result.lines == ["add", "ann", #"a\ plan plan"#, "csv", "user:ann"], "\(result.errors)")
        }
    }

    @Test("There are scripts for bash, zsh and fish, and an error for any other shell")
    func shells() throws {
        try BuiltTool.inFreshFolder { (tool) throws in
            #expect(try tool.make("completions zsh").lines.first == "#compdef muniment")
            #expect(try tool.make("completions fish").output.contains("complete -c muniment"))
            #expect(try tool.run("completions csh").code == 2)
        }
    }
}

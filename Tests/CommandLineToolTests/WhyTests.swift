import Foundation
import Testing

@Suite("Why: an explanation as a tree or as JSON, with calls that would grant the access")
struct WhyTests {
    /// Returns the lines of a tree without their times. The times are those of the machine's clock.
    private func lines(_ tool: BuiltTool, _ sentence: String, code: Int32) throws -> [String] {
        let result = try tool.run(sentence)
        #expect(result.code == code, "muniment \(sentence): \(result.errors)")
        return result.lines.map { line in
            line.split(separator: "  ", omittingEmptySubsequences: true).filter { !$0.hasPrefix("20") }
                .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "  ")
        }
    }

    @Test("E11: Each step has a separate line with revision and author, below the level that it affects")
    func tree() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("role create readers")
            try tool.make("role add user:bob to readers")
            try tool.make("grant role:readers read on doc:plan --until 2999-01-01")
            #expect(
                try lines(tool, "why user:bob read on doc:plan", code: 0) == [
                    "yes: user:bob may read doc:plan", "├─ store gives read",
                    "│  └─ everyone has read on store  r0  user:root", "├─ class:doc gives read",
                    "│  └─ everyone has read on class:doc  r1  user:root", "└─ doc:plan gives read: this decides",
                    "└─ role:readers has read on doc:plan until 2999-01-01T00:00:00Z  r8  user:root",
                    "└─ user:bob is a member of role:readers  r7  user:root",
                ])
            #expect(try tool.run("why user:bob read doc:plan --at 6").code == 1)
        }
    }

    @Test("E11: A way that gives only some of the privileges in a question is named a part, in `why` and in `audit paths`")
    func parts() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("role create editors")
            try tool.make("role add user:ann to editors")
            try tool.make("grant role:editors read,update on doc:plan")
            let whole = "role:editors has read, update on doc:plan"
            for sentence in ["why user:ann read,update on doc:plan", "audit paths read,update on doc:plan"] {
                let ways = try lines(tool, sentence, code: 0).filter { $0.contains(" on doc:plan") }
                #expect(ways.contains { $0.contains("user:ann has read on doc:plan: a part, read  r5") }, "\(ways)")
                #expect(ways.contains { $0.contains("\(whole)  r8") }, "\(ways)")
            }
            #expect(try !lines(tool, "why user:ann read on doc:plan", code: 0).contains { $0.contains("a part") })
        }
    }

    @Test("E11: A denial lists the missing privileges of each level, and the proposed calls grant them, with any names")
    func denial() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("role create readers")
            try tool.make("object create 'doc:it”s; a $plan'")
            try tool.make("grant role:readers read,query on 'doc:it”s; a $plan'")
            let denied = try lines(tool, "why user:bob read,setOwner 'doc:it”s; a $plan'", code: 1)
            #expect(denied.first == "no: user:bob may not read, setOwner doc:it”s; a $plan")
            #expect(denied.contains("└─ doc:it”s; a $plan does not give read, setOwner: this decides"))
            let proposed = try tool.run("why user:bob read 'doc:it”s; a $plan'").lines.suffix(3).map { $0 }
            #expect(
                proposed == [
                    "any one of these would allow it:", "  muniment grant user:bob read on 'doc:it”s; a $plan'",
                    "  muniment role add user:bob to role:readers",
                ])
            for call in proposed.dropFirst() {
                let shell = try tool.shell(call.replacingOccurrences(of: "  muniment", with: "\"$muniment\""))
                #expect(shell.code == 0, "\(call): \(shell.errors)")
                try tool.make("why user:bob read 'doc:it”s; a $plan'")
                try tool.make("revoke user:bob on 'doc:it”s; a $plan'")
            }
        }
    }

    @Test("E11: The proposed calls also give the class a custom privilege that it lacks")
    func customPrivilege() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("class change doc --add-privileges sign")
            try tool.make("class change store --add-privileges approve")
            let proposed = try #require(try lines(tool, "why user:bob approve doc:plan", code: 1).last)
            let shell = try tool.shell(proposed.replacingOccurrences(of: "muniment ", with: "\"$muniment\" "))
            #expect(shell.code == 0, "\(proposed): \(shell.errors)")
            try tool.make("why user:bob approve doc:plan")
        }
    }

    @Test("E11: A denial that no grant can change says why; a denial in the past lists what would have allowed it then")
    func obstaclesAndPast() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            #expect(
                try lines(tool, "why user:bob read doc:none", code: 1) == [
                    "no: user:bob may not read doc:none", "└─ doc:none does not exist at revision 5",
                    "no grant would allow it: the object does not exist; create it first",
                ])
            #expect(try tool.run("why user:bob fly doc:plan").errors.contains("the store has no privilege `fly`: it has create"))
            #expect(try tool.run("why user:bob read doc:plan --at 4").lines.suffix(2).first == "this would have allowed it then:")
            #expect(try tool.run("why user:bob").code == 2)
        }
    }

    @Test("E11: JSON output has the outcome of each privilege, each level with its paths and events, and the proposals")
    func json() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let answer = try tool.object("why user:ann read,update doc:plan --json")
            #expect(
                Set(answer.keys) == [
                    "subject", "privileges", "object", "allowed", "complete", "outcomes", "levels", "proposals",
                    "proposalsComplete",
                    "obstacle", "revision", "time",
                ])
            #expect(answer["allowed"] as? Bool == false)
            let outcomes = try #require(answer["outcomes"] as? [[String: Any]])
            #expect(outcomes.map { $0["allowed"] as? Bool } == [true, false])
            #expect(outcomes.map { $0["decidedBy"] as? String } == ["object", "object"])
            let levels = try #require(answer["levels"] as? [[String: Any]])
            #expect(levels.map { $0["level"] as? String } == ["store", "class", "object"])
            #expect(levels.last?["missing"] as? [String] == ["update"])
            let paths = try #require(levels.last?["paths"] as? [[String: Any]])
            let step = try #require((paths.first?["steps"] as? [[String: Any]])?.first)
            #expect(step["fact"] as? String == "entry")
            #expect(step["kind"] as? String == "AccessGranted")
            #expect(step["revision"] as? Int == 5)
            #expect(step["actor"] as? String == "user:root")
            let proposals = try #require(answer["proposals"] as? [[[String: Any]]])
            #expect(proposals.map { $0.map { $0["op"] as? String } } == [["grant"]])
        }
    }
}

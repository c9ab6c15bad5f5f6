import Testing

@Suite("Calls: a command reads like a sentence, and filler words are optional")
struct SentenceTests {
    @Test(
        "The wording of a call does not change its result",
        arguments: [
            "check user:ann read doc:plan", "check user:ann read on doc:plan", "check --json=no user:ann read doc:plan",
            "--at 5 check user:ann read doc:plan", "check user:ann --at=5 read doc:plan", "check --at 5 -- user:ann read doc:plan",
            "check user:ann read doc:plan --store demo",
        ])
    func checkReadsWell(sentence: String) throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let result = try tool.run(sentence)
            #expect(result.code == 0)
            #expect(result.lines.first == "yes")
            #expect(result.lines.count == 2, "the reason is one sentence on one line")
        }
    }

    /// Pairs of calls. The second undoes the first.
    static let pairs: [(done: String, undone: String)] = [
        ("grant user:bob read,update on doc:plan", "revoke user:bob on doc:plan"),
        ("grant user:bob read,update doc:plan", "revoke user:bob read,update doc:plan"),
        ("grant user:bob read on doc:plan", "revoke user:bob read on doc:plan"),
        ("grant user:bob read doc:plan", "revoke user:bob doc:plan"),
        ("role add user:bob to role:readers", "role remove user:bob from role:readers"),
        ("role add user:bob readers", "role remove user:bob readers"),
        ("permission attach looking to doc:plan", "permission detach looking from doc:plan"),
        ("permission attach permission:looking doc:plan", "permission detach looking doc:plan"),
        ("admin appoint user:bob", "admin dismiss user:bob"),
    ]

    @Test("One call grants access and another one revokes it")
    func pairsUndo() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("role create readers")
            try tool.make("grant role:readers read on doc:plan")
            try tool.make("permission define looking for user:bob read")
            for pair in SentenceTests.pairs {
                try tool.make(pair.done)
                #expect(try tool.run("check user:bob read doc:plan").code == 0, "\(pair.done)")
                try tool.make(pair.undone)
                #expect(try tool.run("check user:bob read doc:plan").code == 1, "\(pair.undone)")
            }
        }
    }

    @Test("A change prints its revision; a repeated change says that nothing changed")
    func changesAreCounted() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            #expect(try tool.make("grant user:bob read on doc:plan").output == "revision 6\n")
            #expect(
                try tool.make("grant user:bob read on doc:plan").output
                    == "nothing changed: the store has this state already, or for a longer time\n")
        }
    }

    @Test("The reason of a change in --comment is in the log, the audit and the record of refusals")
    func comments() throws {
        try BuiltTool.inFreshFolder { (tool) throws in
            try tool.makeDemo()
            try tool.make("revoke user:ann read on doc:plan --comment 'left in July'")
            #expect(try tool.make("log --from 6").lines.first?.hasSuffix("  user:root  (left in July)") == true)
            #expect(try tool.object("audit --from 6 --json")["comment"] as? String == "left in July")
            #expect(try tool.make("audit --from 6 --format csv").output.contains(",,left in July,"))
            #expect(try tool.run("admin appoint user:bob --as user:bob --comment please").code == 1)
            #expect(try tool.make("refusals").lines.first?.hasSuffix("  (please)") == true)
            #expect(try tool.make("verify").output.hasPrefix("sound"))
        }
    }

    @Test("E13: temporary access is listed with its end, and is gone at that time")
    func accessEnds() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("grant user:bob read on doc:plan --until 2999-12-31")
            #expect(try tool.make("entries doc:plan").lines.contains("user:bob  read  until 2999-12-31T00:00:00Z"))
            #expect(try tool.run("check user:bob read doc:plan --at 2999-12-30T23:59:59Z").code == 0)
            #expect(try tool.run("check user:bob read doc:plan --at 2999-12-31").code == 1)
        }
    }

    @Test("Each event of the history is printed as a sentence")
    func historyReadsWell() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("revoke user:ann read on doc:plan")
            let sentences = try tool.make("history of doc:plan").lines.filter { $0.hasPrefix("    ") }
            #expect(
                sentences == [
                    "    doc:plan was created, owned by user:root, with the value {\"title\":\"Plan\"}",
                    "    user:ann was granted read on doc:plan", "    user:ann lost read on doc:plan",
                ])
        }
    }

    @Test("Control characters in names and values do not reach the terminal")
    func controlsAreVisible() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("object write doc:plan --value '\"\u{9B}2J\"'")
            let log = try tool.make("history doc:plan")
            #expect(!log.output.unicodeScalars.contains("\u{9B}"))
            let refused = try tool.run(["check", "user:\u{1B}[2J", "read", "doc:plan"])
            #expect(refused.code == 2)
            #expect(!refused.errors.unicodeScalars.contains("\u{1B}"))
        }
    }
}

import Testing

@Suite("Daily use: no result is silently empty or silently reassuring")
struct DailyUseTests {
    @Test("After a revocation the tool prints the subject's remaining privileges and their ways")
    func remainingAccess() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("role create editors")
            try tool.make("role add user:ann to editors")
            try tool.make("grant role:editors read on doc:plan")
            let lines = try tool.make("revoke user:ann read on doc:plan").lines
            #expect(lines.dropFirst().first == "user:ann still has read on doc:plan:")
            #expect(lines.contains { $0.contains("user:ann is a member of role:editors") })
            #expect(try tool.object("revoke user:ann on doc:plan --json")["remaining"] as? [String] == ["read"])
            try tool.make("revoke role:editors read on doc:plan")
            #expect(try tool.object("revoke user:ann on doc:plan --json")["remaining"] as? [String] == [])
        }
    }

    @Test("R8, G8: a class, a creation and an empty list name the privileges that the creator lacks, and the grant that would help")
    func creators() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --open")
            let defined = try tool.make("class define doc")
            #expect(defined.errors.contains("note: a user who creates an object of class `doc` gets no privileges on it."))
            let created = try tool.make("object create doc:1 --as user:ann")
            #expect(created.errors.hasPrefix("note: `user:ann` may not read `doc:1`, which it created:"), "\(created.errors)")
            for list in ["object list doc --as user:ann", "object list doc --as user:ann --limit 5"] {
                #expect(try tool.make(list).errors.hasPrefix("note: `user:ann` may read and query no object of class `doc`."))
            }
            try tool.make("grant user:ann read on doc:1")
            let unqueried = try tool.make("object list doc --as user:ann")
            #expect(unqueried.output.isEmpty && unqueried.errors.hasSuffix("Grant query on the objects\n"), "\(unqueried.errors)")
            let json = try tool.object("object list doc --as user:ann --json")
            #expect((json["note"] as? [String: String])?["reason"] == "noQuery")
            // The command in the note, for later objects.
            let command = try #require(defined.errors.firstMatch(of: /`muniment (.*?)`/)?.1)
            try tool.make(String(command))
            #expect(try tool.make("object create doc:2 --as user:ann").errors.isEmpty)
            let listed = try tool.make("object list doc --as user:ann")
            #expect(listed.lines == ["doc:2"] && listed.errors.isEmpty)
        }
    }

    @Test("After the end of a membership the tool says through which roles the member is still in the role")
    func remainingMembership() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            for sentence in [
                "role create editors", "role create staff", "role add user:ann to editors", "role add user:ann to staff",
                "role add role:editors to staff",
            ] { try tool.make(sentence) }
            #expect(
                try tool.make("role remove user:ann from staff").lines.last
                    == "user:ann is still a member of role:staff through role:editors")
            #expect(try tool.make("role remove user:ann from editors").lines.count == 1)
        }
    }

    @Test("Custom privileges of a class are added and removed by name: none is lost unasked, and a loss is told")
    func customPrivileges() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let missing = try tool.run("grant user:ann approve on store")
            #expect(missing.errors.contains("there is no privilege `approve`: a class can define it"), "\(missing.errors)")
            try tool.make("class change doc --add-privileges approve,sign")
            let lacking = try tool.run("grant user:ann approve on store")
            #expect(lacking.errors.contains("the class `store` does not have the privilege `approve`"), "\(lacking.errors)")
            #expect(lacking.errors.contains("muniment class change store --add-privileges approve"))
            try tool.make("class change store --add-privileges approve,sign")
            try tool.make("grant user:ann approve,sign on store")
            try tool.make("grant user:ann approve,sign on class:doc")
            try tool.make("grant user:ann approve,sign on doc:plan")
            #expect(try tool.run("class change store --privileges count").code == 2)
            try tool.make("class change store --add-privileges count")
            #expect(try tool.run("check user:ann approve,sign on doc:plan").code == 0)
            let wrong = try tool.run("class change doc --remove-privileges count")
            #expect(wrong.code == 2)
            #expect(wrong.errors.contains("the class `doc` does not have `count`; it has approve, sign"), "\(wrong.errors)")
            let loss = try tool.run("class change doc --remove-privileges sign --add-privileges count")
            #expect(loss.errors.contains("`doc` loses sign: grants of it have no effect until the class has it again"))
            #expect(try tool.run("check user:ann sign on doc:plan").code == 1)
            #expect(try tool.run("check user:ann approve on doc:plan").code == 0)
            #expect(try tool.make("show class:doc").lines.contains { $0.contains("approve, count") })
        }
    }

    @Test("The levels of a history can be named wherever privileges can")
    func levels() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(
                """
                {"format":"permission-history/1","levels":{"view":["read"],"edit":["read","update"]}}
                {"time":"2024-01-01T00:00:00Z","actor":"user:root","changes":[{"op":"createObject","object":"doc:1"}]}
                {"time":"2024-01-02T00:00:00Z","actor":"user:root","changes":[{"op":"grant","subject":"user:ann","object":"doc:1","level":"edit"}]}
                {"time":"2024-01-03T00:00:00Z","actor":"user:root","changes":[{"op":"grant","subject":"user:bob","object":"doc:1","level":"view"}]}

                """, to: "history.jsonl")
            try tool.make("import history.jsonl")
            #expect(try tool.make("who edit doc:1").lines == ["user:ann", "user:root  administrator"])
            #expect(try tool.make("what user:bob view").lines == ["doc:1"])
            #expect(try tool.run("check user:bob edit doc:1").code == 1)
            #expect(try tool.run("check user:ann edit doc:1").code == 0)
            #expect(try tool.run("why user:ann edit doc:1").code == 0)
            #expect(try tool.make("audit access edit on doc:1").lines.first?.hasPrefix("user:ann  ") == true)
            try tool.make("grant user:bob edit on doc:1")
            #expect(try tool.make("privileges user:bob on doc:1").lines == ["read", "update"])
            try tool.make("revoke user:bob edit on doc:1")
            #expect(try tool.run("check user:bob read on doc:1").code == 1)
            try tool.make("class define plan --inherits view --creator-privileges edit --aliases write=edit+note --privileges note")
            let lines = try tool.make("show class:plan").lines
            #expect(lines.contains { $0.hasSuffix("creators get read, update") }, "\(lines)")
            #expect(lines.contains { $0.hasSuffix("objects inherit read") }, "\(lines)")
            #expect(lines.contains { $0.hasSuffix("write=note+read+update") }, "\(lines)")
            for taken in ["class change plan --add-privileges edit", "class define book --aliases view=read"] {
                let refused = try tool.run(taken)
                #expect(refused.code == 1 && refused.errors.contains("is the name of a level"), "\(refused)")
            }
            #expect(try tool.make("who edit doc:1").lines.first == "user:ann")
            let unknown = try tool.run("class change plan --inherits viewer")
            #expect(unknown.code == 1 && unknown.errors.contains("viewer"), "\(unknown)")
        }
    }

    @Test("An answer about an unknown name, or a time without records, says so")
    func reasonsOfEmptyAnswers() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("object create doc:old")
            let deleted = try #require(try tool.make("object delete doc:old").lines.first)
            try tool.write("", to: "empty.jsonl")
            let unknown = "the store has no record of"
            for (sentence, code, reason) in [
                ("diff doc:plam --from 0", 0, "\(unknown) `doc:plam`: check the name"),
                ("diff doc:plan --from 5 --to 5", 0, "both moments have the same access"),
                ("what user:ghost read", 0, "the store does not know `user:ghost`"),
                ("privileges user:ghost on doc:plan", 0, "the store does not know `user:ghost`"),
                ("notices --for user:ghost", 0, "the store does not know `user:ghost`"),
                ("notices --for user:root --to 1", 0, "no notice in this span"),
                ("who read on doc:plam", 0, "\(unknown) `doc:plam`"),
                ("who read on doc:old", 0, "it was deleted at \(deleted)"),
                ("who read on doc:old --at 1", 0, "it was created later, at revision"),
                ("audit changes user:ghost read on doc:plan", 1, "\(unknown) `user:ghost`"),
                ("audit changes user:ann read on doc:plan --to 1", 0, "no access began or ended"),
                ("audit former read on doc:plam", 1, "\(unknown) `doc:plam`"),
                ("audit turnover read on doc:plam", 1, "\(unknown) `doc:plam`"),
                ("list doc --prefix doc:x", 0, "nothing has such a name"),
                ("what-if empty.jsonl", 0, "contains no change"),
                ("audit unused --at 2017-01-01", 0, "`2017-01-01` is before the first commit of the store"),
                ("audit turnover read on doc:plan --from 2017-01-01", 0, "is before the first commit of the store"),
                ("who read on doc:plan --at 2990-01-01", 0, "is in the future"),
                ("who read on doc:plan --at 2022", 2, "`2022` is a revision: for the beginning of the year, write 2022-01-01"),
                ("audit access read on doc:plan --from now.", 2, "is not a point in time"),
                ("audit access read on doc:plan --from 2990-01-01", 2, "choose another end (default: now)"),
                ("why user:ann reed on doc:plan", 2, "the store has no privilege `reed`: did you mean `read`?"),
                ("audit ends on doc:old", 0, "no entry has an end"),
            ] {
                let result = try tool.run(sentence)
                #expect(result.code == Int32(code) && result.errors.contains(reason), "\(sentence): \(result)")
            }
            #expect(try tool.run("who read on doc:plan").errors == "")
        }
    }

    @Test(
        "`audit turnover` without a privilege lists each one, `audit ends` what will end, and a draft can come from standard input")
    func turnoverOfEachPrivilege() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("register user:cy")
            try tool.make("grant user:cy read,update on doc:plan --until 2998-01-01")
            let revoked = try #require(try tool.make("revoke user:cy update on doc:plan").lines.first).dropFirst("revision ".count)
            let lines = try tool.make("audit turnover on doc:plan").lines.filter { $0.hasPrefix("user:cy") }
            #expect(lines.count == 2 && lines.first?.hasPrefix("user:cy  read, update  in   r") == true, "\(lines)")
            #expect(lines.last?.hasPrefix("user:cy  update  out  r\(revoked)  ") == true, "\(lines)")
            #expect(try tool.make("audit ends").lines.contains("2998-01-01T00:00:00Z  user:cy on doc:plan"))
            #expect(
                try tool.make("audit ends on doc:plan --limit 1 --format csv").output.contains("user:cy,doc:plan"))
            try tool.write(#"{"op":"revoke","subject":"user:cy","object":"doc:plan"}"#, to: "draft.jsonl")
            let result = try tool.shell("$muniment what-if - < draft.jsonl")
            #expect(result.lines == ["user:cy  doc:plan  - read"])
            #expect(result.errors.contains("nobody would gain access, 1 would lose access; nothing was changed"))
        }
    }

    @Test("A grant that a higher level blocks succeeds with a note that says so")
    func blockedGrant() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let result = try tool.run("grant anonymous read on doc:plan")
            #expect(result.code == 0 && result.output.hasPrefix("revision "))
            #expect(result.errors.contains("`anonymous` gets nothing by the grant on `doc:plan`"), "\(result.errors)")
        }
    }

    @Test("`list` and `show` tell what exists at a moment")
    func listAndShow() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("role create editors")
            try tool.make("role add user:bob to editors")
            try tool.make("grant role:editors read on doc:plan")
            try tool.make("object create doc:part --parent doc:plan")
            #expect(try tool.make("show doc:part").lines.contains("  parent        doc:plan"))
            #expect(try tool.make("list doc").lines == ["doc:part", "doc:plan"])
            #expect(try tool.make("list doc --prefix doc:pl").lines == ["doc:plan"])
            #expect(try tool.make("list doc --at 1").lines == [])
            #expect(try tool.make("list role").lines == ["role:editors"])
            let role = try tool.object("show role:editors --json")
            #expect(role["members"] as? [String] == ["user:bob"])
            let plan = try tool.make("show doc:plan").lines
            #expect(plan.first == "doc:plan")
            #expect(plan.contains { $0.hasSuffix("role:editors  read") })
            #expect(try tool.make("show user:bob").lines.contains("  roles         role:editors"))
        }
    }

    @Test(
        "`store list` names the stores of a data directory, and those that cannot be read with the reason; `token show` one token")
    func storesAndTokens() throws {
        try BuiltTool.inFreshFolder { tool in
            #expect(try tool.run("store list --data data").code == 2)
            for option in ["--open --store data/loose", "--store data/tight"] { try tool.make("init \(option)") }
            try tool.make("register user:ann --store data/loose")
            let rows = try tool.make("store list --data data").lines.map { $0.split(separator: " ").prefix(3) }
            #expect(rows == [["loose", "open", "r1"], ["tight", "locked", "r0"]])
            try tool.write(String(repeating: "x", count: 20_000), to: "data/tight/log/data.mdb")
            let broken = try tool.run("store list --data data")
            #expect(broken.code == 1 && broken.lines.last == "tight  unreadable", "\(broken.output)")
            #expect(broken.errors.contains("the store `tight` cannot be read: "), "\(broken.errors)")
            try tool.make("token create --data data --store loose --can ask --comment nightly")
            let shown = try tool.object("token show t1 --data data --json")
            #expect(shown["comment"] as? String == "nightly" && shown["secret"] == nil)
            let unknown = try tool.run("token show t2 --data data")
            #expect(unknown.code == 1 && unknown.errors.contains("the token `t2` does not exist"), "\(unknown.errors)")
        }
    }
}

import Events
import Importers
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Importing again")
struct ImportPlanTests {
    private static let header = "subject,object,privileges,parent,role,member,valid_to\n"

    @Test("A repeated import brings only what changed, in one commit, and the same facts change nothing")
    func repetition() throws {
        try SourceFiles.inFreshFolder { files in
            let first = try files.facts(
                Self.header + "ann,doc:1,read update,,,,\nbob,doc:2,read,,,,\nrole:old,doc:1,read,,old,ann,\n,doc:3,,doc:1,,,\n",
                .csv)
            try files.load(first)
            let head = try files.withStore { try $0.head }
            #expect(try files.load(first).steps == [])
            #expect(try files.withStore { try $0.head } == head)
            let second = try files.facts(
                Self.header + "ann,doc:1,read,,,,2027-01-01\nann,doc:4,read,,,,\n,doc:3,,doc:4,,,\n", .csv)
            let plan = try files.load(second)
            #expect(
                plan.steps.map(\.changes) == [
                    [
                        .removeMember("user:ann", from: "role:old"), .revoke("role:old", on: "doc:1", ["read"]),
                        .revoke("user:ann", on: "doc:1", ["read", "update"]), .revoke("user:bob", on: "doc:2", ["read"]),
                        .deleteObject("doc:2"), .deleteRole("role:old"), .createObject("doc:4"),
                        .moveObject("doc:3", parent: "doc:4"),
                        .grant("user:ann", on: "doc:1", ["read"], until: try Instant("2027-01-01T00:00:00Z")),
                        .grant("user:ann", on: "doc:4", ["read"]),
                    ]
                ])
            #expect(try files.withStore { try $0.head.revision } == head.revision.next)
            #expect(try files.differences(second).isEmpty)
            #expect(try files.load(second).steps == [])
        }
    }

    @Test("Only what an earlier import of the same source brought is removed")
    func others() throws {
        try SourceFiles.inFreshFolder { files in
            try files.load(
                files.facts(Self.header + "ann,doc:1,read,,,,\nann,doc:2,read,,,,\nann,doc:3,read,,staff,ann,\n", .csv))
            _ = try files.withStore { store in
                try store.commit(
                    Transaction(
                        "user:root",
                        [
                            .register("user:bob"), .grant("user:bob", on: "doc:2", ["read"]),
                            .grant("user:ann", on: "doc:2", ["update"]),
                            .revoke("user:ann", on: "doc:3"), .register("user:dan"), .addMember("user:dan", to: "role:staff"),
                        ]))
                try store.commit(Transaction("user:root", [.grant("user:ann", on: "doc:3", ["read"])]))
            }
            try files.load(files.facts(Self.header + "cleo,doc:9,read,,,,\n", .csv), source: "other")
            let plan = try files.load(files.facts(Self.header + "ann,doc:5,read,,,,\n", .csv))
            #expect(
                plan.notes == [
                    "kept: doc:2 is not in the source, but has access or objects that it did not bring",
                    "kept: doc:3 is not in the source, but has access or objects that it did not bring",
                    "kept: role:staff is not in the source, but has members or access that it did not bring",
                ])
            #expect(try files.withStore { try $0.read { try !$0.exists("doc:1") } })
            #expect(try !files.may("user:ann", "read", "doc:2"))
            let entries = try files.withStore { try $0.read { try $0.entries(on: "doc:2") } }
            #expect(entries.map { "\($0.subject) \($0.privileges)" } == [#"user:ann ["update"]"#, #"user:bob ["read"]"#])
            #expect(try files.may("user:bob", "read", "doc:2"))
            #expect(try files.may("user:ann", "read", "doc:3"))
            #expect(try files.may("user:cleo", "read", "doc:9"))
            #expect(try files.withStore { try $0.read { try $0.members(of: "role:staff") } } == ["user:dan"])
        }
    }

    @Test("A request id that a caller sets does not make a commit an import")
    func forgedRequestID() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(Self.header + "ann,doc:1,read,,,,\n", .csv)
            try files.load(facts)
            _ = try files.withStore { store in
                let changes: [Change] = [.register("user:bob"), .grant("user:bob", on: "doc:1", ["read"])]
                try store.commit(Transaction("user:root", changes, origin: Origin(requestID: "import:source")))
            }
            #expect(try files.load(facts).steps == [])
            #expect(try files.may("user:bob", "read", "doc:1"))
        }
    }

    @Test("A dry run plans the changes of the import and makes none")
    func dryRun() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(Self.header + "ann,doc:1,read,,,,2025-01-01\nann,doc:1,update,,,,\n", .csv)
            let planned = try files.importer().plan(facts)
            #expect(planned.revision == nil)
            #expect(!Store.exists(at: files.storePath))
            #expect(try files.load(facts).steps == planned.plan.steps)
            let next = try files.facts(Self.header + "bob,doc:1,update,,,,\n", .csv)
            let head = try files.withStore { try $0.head }
            let plan = try files.importer().plan(next).plan
            #expect(plan.changeCount == 2)
            #expect(try files.withStore { try $0.head } == head)
            #expect(try files.load(next).steps == plan.steps)
        }
    }

    @Test("In the locked store of others, an import does not open the store level, and says what is missing")
    func lockedStore() throws {
        try SourceFiles.inFreshFolder { files in
            let store = try Store.create(at: files.storePath, options: StoreOptions(clock: { [clock = files.clock] in clock.now }))
            try store.commit(Transaction("user:root", [.defineClass("doc"), .createRole("role:own")]))
            try store.close()
            let facts = try files.facts(Self.header + "ann,doc:1,read,,,,\nann,sheet:1,read,,,,\n", .csv)
            let notes = try files.load(facts).notes
            #expect(notes.contains { $0.contains("`muniment grant everyone read on store`") })
            #expect(notes.contains { $0.contains("`muniment grant everyone read on class:doc`") })
            #expect(!notes.contains { $0.contains("class:sheet") })
            #expect(try files.withStore { try $0.read { try $0.entries(on: .store) } } == [])
            #expect(try files.differences(facts) == ["- user:ann read doc:1", "- user:ann read sheet:1"])
            _ = try files.withStore { store in
                try store.commit(
                    Transaction(
                        "user:root", [.grant(.everyone, on: .store, ["read"]), .grant(.everyone, on: "class:doc", ["read"])]))
            }
            #expect(try files.differences(facts).isEmpty)
        }
    }

    @Test("Only an administrator imports into a store")
    func administrator() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(Self.header + "ann,doc:1,read,,,,\n", .csv)
            try files.load(facts)
            #expect { try SourceImporter(into: files.storePath, source: "x", as: "user:ann").run(facts) } throws: {
                ($0 as? Refusal)?.code == .notAdministrator
            }
        }
    }

    @Test("A comparison shows the access that only one side gives, at any moment, also on objects that only the store has")
    func comparison() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(Self.header + "ann,doc:1,read,,staff,ann,\nrole:staff,doc:1,update,,,,\n", .csv)
            try files.load(facts)
            #expect(try files.differences(facts).isEmpty)
            _ = try files.withStore { store in
                try store.commit(
                    Transaction(
                        "user:root",
                        [
                            .register("user:bob"), .addMember("user:bob", to: "role:staff"), .revoke("user:ann", on: "doc:1"),
                            .createObject("doc:2"), .grant(.everyone, on: "doc:2", ["read"]),
                        ]))
            }
            #expect(
                try files.differences(facts) == [
                    "- user:ann read doc:1", "+ user:bob update doc:1", "+ everyone read doc:2", "+ user:bob in role:staff",
                ])
        }
    }

    @Test("A grant of create does not let everyone create objects, and a note says so")
    func create() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(Self.header + "ann,doc:1,create read,,,,\n", .csv)
            #expect(try files.load(facts).notes.contains { $0.hasPrefix("no effect: create") })
            #expect(try files.may("user:ann", "read", "doc:1"))
            for object: Name in ["class:doc", .store] {
                let entries = try files.withStore { try $0.read { try $0.entries(on: object) } }
                #expect(entries.map { "\($0.subject) \($0.privileges)" } == [#"everyone ["read"]"#])
            }
        }
    }

    @Test("What the source no longer has is removed at the time of the import, and not at the begin of new access")
    func removalTime() throws {
        try SourceFiles.inFreshFolder { files in
            let header = "subject,object,privileges,parent,role,member,valid_from,valid_to\n"
            func row(_ user: String, _ from: String, _ to: String = "") -> String {
                "\(user),doc:p,read,,,,\(from),\(to)\n,,,,staff,\(user),\(from),\(to)\n"
            }
            try files.load(
                files.facts(header + row("ann", "2024-01-01") + row("bob", "2024-01-01") + ",doc:q,,doc:r,,,,\n", .csv))
            let imported = try files.withStore { try $0.head.time }
            files.clock.now = try Instant("2030-01-01T00:00:00Z")
            let moved = ",doc:q,,doc:p,,,,\neve,doc:q,read,,,,2029-02-01,\n"
            let text = header + row("ann", "2024-01-01") + row("eve", "2029-02-01") + moved
            for bob in ["", row("bob", "2029-01-15", "2029-03-01")] {
                let plan = try files.importer().plan(files.facts(text + bob, .csv)).plan
                for step in plan.steps where step.time != nil {
                    #expect(step.changes.allSatisfy { ["grant", "addMember"].contains($0.operation) }, "\(step)")
                }
            }
            try files.load(files.facts(text, .csv))
            #expect(imported < files.clock.now)
            #expect(try files.may("user:bob", "read", "doc:p", at: "2029-12-31T00:00:00Z"))
            #expect(try !files.may("user:bob", "read", "doc:p"))
            #expect(try files.may("user:eve", "read", "doc:p", at: "2029-02-01T00:00:00Z"))
            #expect(try files.may("user:ann", "read", "doc:q"))
        }
    }

    @Test("A user with the name of an administrator is reported, unless the mapping names it")
    func administrators() throws {
        try SourceFiles.inFreshFolder { files in
            let text = Self.header + "root,doc:1,read,,,,\nann,doc:1,read,,,,\n,,,,staff,root,\n"
            let facts = try files.facts(text, .csv)
            let mappable = try files.importer().mappable(facts)
            #expect(
                files.reasons(mappable) == [
                    "`user:root`: it is an administrator of the store: give the source's user another name in `names` of the mapping, or "
                        + "the same name if both are one person"
                ])
            try files.load(facts)
            #expect(try files.withStore { try $0.read { try $0.entries(on: "doc:1").map(\.subject) } } == ["user:ann"])
            _ = try files.withStore { try $0.commit(Transaction("user:root", [.appointAdministrator("user:ann")])) }
            #expect(try files.importer().mappable(facts).unmapped.count == 2)
            let renamed = try files.facts(
                text, .csv, mapping: #"{"names":{"user:root":"user:wiki-root","user:ann":"user:ann"}}"#)
            #expect(try files.importer().mappable(renamed).unmapped.isEmpty)
            try files.load(renamed)
            #expect(try files.may("user:wiki-root", "read", "doc:1"))
            #expect(try files.withStore { try $0.read { try $0.members(of: "role:staff") } } == ["user:wiki-root"])
        }
    }

    @Test("An import of which nothing can be mapped is an error: it would remove what earlier ones brought")
    func nothingMapped() throws {
        try SourceFiles.inFreshFolder { files in
            try files.load(files.facts(Self.header + "ann,doc:1,read,,,,\n", .csv))
            let unmapped = try files.facts(Self.header + "ann,user:bob,read,,,,\n", .csv)
            let administrator = try files.facts(Self.header + "root,doc:1,read,,,,\n", .csv)
            for facts in [unmapped, administrator] {
                #expect { try files.load(facts) } throws: { "\($0)".contains("none of its access can be mapped") }
                #expect { try files.importer().plan(facts) } throws: { $0 is SourceFileError }
            }
            #expect(try files.may("user:ann", "read", "doc:1"))
        }
    }

    @Test("Removals come before additions of roles that have a time: two roles can change places")
    func swappedRoles() throws {
        try SourceFiles.inFreshFolder { files in
            try files.load(files.facts("role,member\na,role:b\nc,ann\n", .csv))
            let begin = files.clock.now
            files.clock.now = try Instant("2030-01-02T00:00:00Z")
            let facts = try files.facts("role,member,valid_from\nb,role:a,2030-01-01\n", .csv)
            #expect(begin < files.clock.now)
            try files.load(facts)
            #expect(try files.differences(facts).isEmpty)
            #expect(try files.load(facts).steps == [])
        }
    }

    @Test("What an administrator takes from everyone on the store or a class is not given again, and a note says so")
    func closedAgain() throws {
        try SourceFiles.inFreshFolder { files in
            let facts = try files.facts(Self.header + "ann,doc:1,read,,,,\n", .csv)
            try files.load(facts)
            _ = try files.withStore { store in
                try store.commit(
                    Transaction(
                        "user:root", [.revoke(.everyone, on: .store, ["read"]), .revoke(.everyone, on: "class:doc", ["read"])]))
            }
            let plan = try files.load(facts)
            #expect(plan.steps == [])
            #expect(plan.notes.count == 2 && plan.notes.allSatisfy { $0.hasPrefix("no effect yet: everyone lacks read on the ") })
        }
    }

    @Test("A repeated import does not open the store level further once others made commits")
    func storeOfSeveral() throws {
        try SourceFiles.inFreshFolder { files in
            try files.load(files.facts(Self.header + "ann,doc:1,read,,,,\n", .csv))
            _ = try files.withStore { try $0.commit(Transaction("user:root", [.register("user:bob")])) }
            let plan = try files.load(files.facts(Self.header + "ann,doc:1,read update,,,,\n", .csv))
            #expect(plan.notes.contains { $0.contains("`muniment grant everyone update on store`") })
            #expect(try !files.may(.everyone, "update", .store))
        }
    }
}

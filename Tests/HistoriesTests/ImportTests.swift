import Events
import Histories
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Importing a history")
struct ImportTests {
    private static let header =
        #"{"format":"permission-history/1","levels":{"write":["read","triage","update"],"read":["read"]}}"#

    private static func line(_ day: Int, _ changes: String, id: String? = nil, actor: String = "user:ann") -> String {
        let id = id.map { #""id":"\#($0)","# } ?? ""
        return #"{\#(id)"time":"2020-01-\#(day < 10 ? "0" : "")\#(day)T00:00:00Z","actor":"\#(actor)","changes":[\#(changes)]}"#
    }

    private static let lines = [
        header,
        line(1, #"{"op":"createObject","object":"org:o"},{"op":"createRole","role":"team"}"#, id: "first"),
        "# people join",
        line(2, #"{"op":"addMember","role":"team","member":"user:bob"}"#, id: "second", actor: "user:cleo"),
        line(
            3,
            #"{"op":"createObject","object":"repo:r","parent":"org:o"},{"op":"grant","subject":"role:team","object":"org:o","level":"write"}"#
        ),
        line(4, #"{"op":"grant","subject":"role:team","object":"org:o","level":"read"}"#, id: "fourth"),
        line(4, #"{"op":"deleteRole","role":"team"}"#, id: "fifth"),
    ]

    private func imported(_ body: (HistoryFile) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let file = HistoryFile(in: folder)
            try file.write(Self.lines)
            try body(file)
        }
    }

    @Test("The store has the times, actors, ids and line numbers of the history")
    func origins() throws {
        try imported { (file) throws in
            let summary = try file.load()
            #expect((summary.transactions, summary.changes) == (5, 13))
            #expect(summary.revision == Revision(5))
            #expect(try summary.time == Instant("2020-01-04T00:00:00Z"))
            try file.withStore { (store) throws in
                var commits: [Commit] = []
                try store.log(from: Revision(1), to: Revision(5)) { commits.append($0.commit) }
                #expect(commits.map(\.origin.requestID) == ["first", "second", nil, "fourth", "fifth"])
                #expect(commits.map(\.origin.importLine) == [2, 4, 5, 6, 7])
                #expect(commits.map(\.time.description).map { $0.prefix(10) }.last == "2020-01-04")
                #expect(try store.read { try $0.principalID("user:cleo") } == commits[1].actor)
            }
        }
    }

    @Test("With levels, classes are defined on first use with full inheritance, and a grant replaces the level")
    func levels() throws {
        try imported { (file) throws in
            try file.load()
            try file.withStore { (store) throws in
                let held = try (0...5).map { revision in
                    try store.read(at: .revision(Revision(UInt64(revision)))) { try $0.privileges(of: "user:bob", on: "repo:r") }
                }
                #expect(held == [[], [], [], ["read", "triage", "update"], ["read"], []])
                #expect(try store.levels?.map(\.name) == ["read", "write"])
                #expect(try store.read { try $0.privileges(of: "user:ann", on: "org:o") } == [])
                #expect(try store.preset == .locked)
            }
        }
    }

    @Test("With levels, everyone has exactly their privileges on the store and on the classes of the history")
    func lockedByDefault() throws {
        try imported { (file) throws in
            try file.load()
            try file.withStore { (store) throws in
                for object: Name in ["store", "class:org", "class:repo"] {
                    let entries = try store.read { try $0.entries(on: object) }
                    #expect(entries.map(\.subject) == ["everyone"])
                    #expect(entries.map { Set($0.privileges) } == [["read", "triage", "update"]], "\(object)")
                }
                for object: Name in ["class:class", "class:role", "class:user", "class:store"] {
                    #expect(try store.read { try $0.entries(on: object) }.isEmpty, "\(object)")
                }
                #expect(try !store.read { try $0.isOpenToEveryone })
                let attempts: [Change] = [
                    .createObject("org:mine"), .createRole("role:mine"), .defineClass("mine"),
                    .grant("user:eve", on: "org:o", ["read"]), .appointAdministrator("user:eve"),
                ]
                for attempt in attempts {
                    #expect(throws: Refusal.self, "\(attempt)") { try store.commit(Transaction("user:eve", [attempt])) }
                }
            }
        }
    }

    @Test("With levels and `store` open in its header, the history creates an open store")
    func openByHeader() throws {
        try imported { (file) throws in
            var lines = Self.lines
            lines[0] =
                #"{"format":"permission-history/1","store":"open","levels":{"write":["read","triage","update"],"read":["read"]}}"#
            try file.write(lines)
            #expect(try file.load().preset == .open)
            #expect(try file.withStore { try $0.read { try $0.isOpenToEveryone } })
        }
    }

    @Test("Resuming an import starts at the first transaction if the store contains none of it")
    func resumeFromNothing() throws {
        try imported { (file) throws in
            let early = try Instant("2019-01-01T00:00:00Z")
            let store = try Store.create(at: file.storePath, options: StoreOptions { early })
            try store.commit(Transaction("user:root", [.createRole("role:own")]))
            try store.close()
            var lines = Self.lines
            lines[0] = #"{"format":"permission-history/1"}"#
            lines[1] = Self.line(1, #"{"op":"createRole","role":"team"}"#, id: "first")
            try file.write(Array(lines.prefix(4)))
            #expect(try file.load(resume: true).transactions == 2)
        }
    }

    @Test("A user is registered in the first transaction that mentions the user")
    func mentions() throws {
        try imported { (file) throws in
            try file.load()
            try file.withStore { (store) throws in
                #expect(try !store.read(at: .revision(Revision(1))) { try $0.exists("user:bob") })
                #expect(try store.read(at: .revision(Revision(2))) { try $0.exists("user:bob") })
                #expect(try store.head.revision == Revision(5))
            }
        }
    }

    @Test("An import that stopped at any line can be resumed, and gives the log of an uninterrupted import", arguments: 2...7)
    func resume(lineCount: Int) throws {
        try imported { (whole) throws in
            try whole.load()
            let expected = try whole.withStore { try $0.head }
            try withTemporaryFolder { (folder) throws in
                let file = HistoryFile(in: folder)
                try file.write(Array(Self.lines.prefix(lineCount)))
                try file.load()
                try file.write(Self.lines)
                try file.load(resume: true)
                #expect(try file.withStore { try $0.head } == expected)
                // Another resume has nothing to import.
                #expect(try file.load(resume: true).transactions == 0)
                #expect(try file.withStore { try $0.head } == expected)
            }
        }
    }

    @Test("Resuming with a file that does not continue the store's history is refused, and changes nothing")
    func resumeWithAnother() throws {
        try imported { (file) throws in
            try file.load()
            let head = try file.withStore { try $0.head }
            var other = Self.lines
            other[6] = Self.line(4, #"{"op":"deleteRole","role":"team"}"#, id: "another")
            try file.write(other)
            #expect(complaint { try file.load(resume: true) }.contains("cannot continue this import"))
            try file.write(Array(Self.lines.prefix(4)))
            #expect(complaint { try file.load(resume: true) }.contains("cannot continue this import"))
            #expect(try file.withStore { try $0.head } == head)
        }
    }

    @Test("Importing a history twice without resume is refused before any change")
    func importedTwice() throws {
        try imported { (file) throws in
            try file.load()
            let head = try file.withStore { try $0.head }
            let error = #expect(throws: FormatError.self) { try file.load() }
            #expect((error?.line, error?.key) == (2, "time"))
            #expect(try file.withStore { try $0.head } == head)
        }
    }

    @Test("A refused transaction names file, line, id and change; the transactions before it stay, and resume continues")
    func refusedTransaction() throws {
        try imported { (file) throws in
            var lines = Self.lines
            lines[3] = Self.line(
                2, #"{"op":"createRole","role":"other"},{"op":"addMember","role":"none","member":"user:bob"}"#, id: "wrong")
            try file.write(lines)
            do {
                try file.load()
                Issue.record("a member of an unknown role was accepted")
            } catch ImportError.refused(let path, let line, let id, let refusal) {
                #expect((path, line, id) == (file.path, 4, "wrong"))
                #expect((refusal.code, refusal.change) == (.unknownObject, 1))
            }
            #expect(try file.withStore { try $0.head.revision } == Revision(1))
            try file.write(Self.lines)
            try file.load(resume: true)
            #expect(try file.withStore { try $0.head.revision } == Revision(5))
        }
    }

    @Test("A second history can follow in the same store only with the same levels")
    func twoHistories() throws {
        try imported { (file) throws in
            try file.load()
            try file.write([Self.header, Self.line(9, #"{"op":"createObject","object":"repo:s"}"#)])
            #expect(try file.load().revision == Revision(6))
            try file.write([#"{"format":"permission-history/1","levels":{"read":["read"]}}"#, Self.line(10, "")])
            #expect(complaint { try file.load() }.contains("the levels in the header are not those of the store"))
        }
    }

    @Test("A history with levels does not open a locked store that already has commits")
    func lockedStore() throws {
        try imported { (file) throws in
            let early = try Instant("2019-01-01T00:00:00Z")
            let store = try Store.create(at: file.storePath, options: StoreOptions { early })
            try store.commit(Transaction("user:root", [.createRole("role:own")]))
            try store.close()
            #expect(throws: ImportError.storeIsLocked(directory: file.storePath)) { try file.load() }
        }
    }

    @Test("A history without levels adds no grants, and follows the rules of the preset that it names")
    func withoutLevels() throws {
        try imported { (file) throws in
            try file.write([
                #"{"format":"permission-history/1","store":"locked","administrator":"user:ann"}"#,
                Self.line(1, #"{"op":"defineClass","class":"doc"},{"op":"createObject","object":"doc:1"}"#),
                Self.line(2, #"{"op":"grant","subject":"user:bob","object":"doc:1","privileges":["read"]}"#, actor: "user:zoe"),
            ])
            try file.load()
            try file.withStore { (store) throws in
                #expect(try store.preset == .locked)
                #expect(try store.administrators == ["user:ann"])
                #expect(try store.read { try $0.entries(on: "doc:1") }.map(\.subject) == ["user:bob"])
                #expect(try !store.read { try $0.may("user:bob", "read", "doc:1") })
            }
        }
    }

    @Test("E13: an expiry during the history takes effect at its time")
    func endsWithin() throws {
        try imported { (file) throws in
            try file.write([
                #"{"format":"permission-history/1","store":"open"}"#,
                Self.line(
                    1,
                    #"{"op":"defineClass","class":"doc"},{"op":"createObject","object":"doc:1"},{"op":"grant","subject":"user:bob","object":"doc:1","privileges":["read"],"until":"2020-01-03T00:00:00Z"}"#
                ),
                Self.line(5, #"{"op":"createRole","role":"r"}"#),
            ])
            try file.load()
            try file.withStore { (store) throws in
                #expect(try store.time(of: Revision(2)) == Instant("2020-01-03T00:00:00Z"))
                #expect(try store.head.revision == Revision(3))
                let moments: [(String, Bool)] = [
                    ("2020-01-01T00:00:00Z", true), ("2020-01-02T23:59:59.999999Z", true), ("2020-01-03T00:00:00Z", false),
                ]
                for (text, expected) in moments {
                    let moment = try Instant(text)
                    #expect(try store.read(at: .time(moment)) { try $0.may("user:bob", "read", "doc:1") } == expected)
                }
            }
        }
    }
}

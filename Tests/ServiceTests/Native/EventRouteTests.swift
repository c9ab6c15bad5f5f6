import Events
import HTTPServer
import ServiceSupport
import Testing

@Suite("Events: consistent pages, and streamed lines")
struct EventRouteTests {
    /// Follows the pages of a list, and makes a change between them.
    private func pages(_ firm: NativeFixture, _ path: String, _ key: String) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        var path = path
        for step in 0..<20 {
            let page = try await firm.json("GET", path)
            found += page.list(key)
            guard let cursor = page.text("next") else { return found }
            path = path.split(separator: "&cursor=")[0] + "&cursor=\(cursor)"
            let until = "2030-01-0\(step % 9 + 1)T00:00:00Z"
            try await firm.commit(
                #"{"op":"grant","subject":"user:ann","object":"doc:note","privileges":["setOwner"],"until":"\#(until)"}"#)
        }
        Issue.record("the pages of \(path) have no end")
        return found
    }

    private func prepare(_ firm: NativeFixture) async throws {
        for privilege in ["read", "update", "delete", "query", "create"] {
            try await firm.commit(#"{"op":"grant","subject":"user:ann","object":"doc:note","privileges":["\#(privilege)"]}"#)
        }
    }

    @Test("History pages keep the revision of the first page, and JSON Lines contain the same commits", arguments: [false, true])
    func history(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            try await prepare(firm)
            let lines = try await firm.send("GET", "/history?name=doc:note", headers: [HTTPHeader("Accept", "application/jsonl")])
            #expect(lines.header("Content-Type") == "application/jsonl")
            #expect(lines.header("Muniment-Revision") == "6")
            let whole = try lines.lines
            #expect(whole.map { $0.number("revision") } == [1, 2, 3, 4, 5, 6])
            #expect(try await pages(firm, "/history?name=doc:note&limit=2", "commits") == whole)
            #expect(try await firm.json("GET", "/history?name=doc:note&at=3").list("commits").count == 3)
            try await firm.json("GET", "/history?name=doc:never", status: 404)
            for wrong in [
                "cursor=x", "cursor=9-3", "cursor=1-99", "cursor=1-3&at=2", "limit=0", "limit=x", "limit=1001", "since=1",
            ] {
                try await firm.json("GET", "/history?name=doc:note&\(wrong)", status: 400)
            }
        }
    }

    @Test("Notice pages contain whole revisions, and JSON Lines contain the same notices", arguments: [false, true])
    func notices(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            try await prepare(firm)
            let whole = try await firm.send(
                "GET", "/notices?subject=user:ann", headers: [HTTPHeader("Accept", "application/x-ndjson")])
            #expect(whole.header("Content-Type") == "application/x-ndjson")
            let lines = try whole.lines
            #expect(lines.first?.text("kind") == "shared")
            #expect(lines.count == 6)
            #expect(try await pages(firm, "/notices?subject=user:ann&limit=1", "notices") == lines)
            let ann = try firm.act(as: "user:ann")
            #expect(try await firm.json("GET", "/notices?after=5&at=6", token: ann).list("notices").count == 1)
            try await firm.json("GET", "/notices?subject=user:bob", token: ann, status: 403)
            try await firm.json("GET", "/notices", status: 400)
        }
    }

    @Test("The audit is available in pages or lines, with filters, and includes refused commands", arguments: [false, true])
    func audit(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            try await prepare(firm)
            try await firm.json(
                "POST", "/transactions", json: #"{"as":"user:bob","do":[{"op":"deleteObject","object":"doc:plan"}]}"#, status: 403)
            let lines = try await firm.send("GET", "/audit", headers: [HTTPHeader("Accept", "application/jsonl")]).lines
            let ofBeginning = 3 + 11
            #expect(lines.count == ofBeginning + 5 + 1)
            #expect(try await pages(firm, "/audit?limit=7&to=6", "records") == lines)
            let refused = try await firm.json("GET", "/audit?actor=user:bob&outcome=refused").list("records")
            #expect(refused.count == 1)
            let newest = try await firm.json("GET", "/audit?order=newest&limit=1&kind=AccessGranted&to=6").list("records")
            #expect(newest.count == 1)
            for wrong in ["outcome=maybe", "order=sideways", "kind=", "kind=Flying", "cursor=x", "from=soon"] {
                try await firm.json("GET", "/audit?\(wrong)", status: 400)
            }
            let access = try await firm.json("GET", "/audit/access?privileges=read&object=doc:plan").list("access")
            #expect(access.compactMap { $0.text("subject") } == ["user:ann", "user:bob", "user:root"])
            let entry = try await firm.json("GET", "/audit/changes?subject=user:ann&privileges=read&object=doc:note")
            #expect(entry.list("transitions").map { $0.number("revision") } == [2])
            #expect(try await firm.json("GET", "/audit/subject?subject=user:ann&at=1").list("objects").count == 1)
        }
    }

    /// The hash of each revision.
    private static func hashes(_ commits: [JSONValue]) -> [Int64: String?] {
        Dictionary(commits.map { ($0.number("revision") ?? -1, $0.text("hash")) }) { first, _ in first }
    }

    @Test("History and audit have the hash of each commit, for callers who may see every commit")
    func hashes() async throws {
        try await withFirm(isLive: false) { firm in
            try await prepare(firm)
            let head = try await firm.json("GET", "").text("hash")
            let commits = try await firm.json("GET", "/history?name=doc:note").list("commits")
            #expect(commits.last?.text("hash") == head)
            let records = try await firm.json("GET", "/audit?outcome=done").list("records")
            #expect(Self.hashes(records).filter { Self.hashes(commits)[$0.key] != nil } == Self.hashes(commits))
            let ann = try firm.act(as: "user:ann")
            let shown = try await firm.json("GET", "/history?name=doc:plan", token: ann).list("commits")
            #expect(!shown.isEmpty && Self.hashes(shown).values.allSatisfy { $0 == nil })
            let asked = "/audit/changes?subject=user:ann&object=doc:plan&privileges=read"
            let (told, whole) = (try await firm.send("GET", asked, token: ann).text, try await firm.send("GET", asked).text)
            #expect(told.contains("AccessGranted") && !told.contains("hash") && whole.contains(#""hash":""#))
        }
    }

    @Test("An export is the log as a history, with one header at any length", arguments: [false, true])
    func export(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let changes = (0..<600).map { #"{"op":"register","principal":"user:u\#($0)"}"# }.joined(separator: ",")
            try await firm.json("POST", "/transactions", json: #"{"as":"user:root","mode":"each","do":[\#(changes)]}"#)
            let answer = try await firm.send("GET", "/export")
            #expect(answer.header("Content-Type") == "application/jsonl")
            let lines = try answer.lines
            #expect(lines.first?.text("format") == "permission-history/1")
            #expect(lines.count == 602)
            #expect(lines.dropFirst().allSatisfy { $0["format"] == nil })
            #expect(lines.last?.list("changes").first?.text("principal") == "user:u599")
            #expect(try await firm.send("GET", "/export?from=300&to=310").lines.count == 12)
            let file = try await firm.send("GET", "/export", headers: [HTTPHeader("Accept", "application/octet-stream")])
            #expect(file.header("Content-Type") == "application/octet-stream")
            #expect(try file.lines == lines)
            try await firm.json("GET", "/export?from=9&to=8", status: 400)
            try await firm.json("GET", "/export?to=999", status: 400)
        }
    }

    @Test("Lists are available as lines, with their metadata as one object", arguments: [false, true])
    func lists(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let lists: [(method: String, path: String, body: String?, key: String, lineKey: String)] = [
                ("POST", "/who", #"{"privilege":"read","object":"doc:plan"}"#, "subjects", "subject"),
                ("POST", "/what", #"{"privilege":"read","subject":"user:ann"}"#, "objects", "object"),
                ("POST", "/query", #"{"class":"doc","as":"user:root"}"#, "objects", "object"),
                ("GET", "/roles/editors/members", nil, "members", "member"),
            ]
            for list in lists {
                let whole = try await firm.json(list.method, list.path, json: list.body).texts(list.key)
                let lines = try await firm.send(
                    list.method, list.path, json: list.body, headers: [HTTPHeader("Accept", "text/html, application/jsonl;q=0.5")])
                #expect(try lines.lines.compactMap { $0.text(list.lineKey) } == whole)
                #expect(!whole.isEmpty)
            }
            // Every page continues the previous one.
            let paged = #"{"class":"doc","as":"user:root","limit":1}"#
            let all = try await firm.send("POST", "/query", json: paged, headers: [HTTPHeader("Accept", "application/jsonl")])
            #expect(try all.lines.count == 2)
        }
    }

    @Test("Verification reports a sound log, and in JSON Lines the report comes last", arguments: [false, true])
    func verify(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let report = try await firm.json("GET", "/verify")
            #expect(report.flag("sound") == true)
            #expect(report.number("commits") == 1)
            let lines = try await firm.send("GET", "/verify", headers: [HTTPHeader("Accept", "application/jsonl")]).lines
            #expect(lines.last?.flag("sound") == true)
        }
    }

    @Test("A difference lists gained and lost access, with the moments", arguments: [false, true])
    func diff(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let last = try await firm.commit(#"{"op":"grant","subject":"user:bob","object":"doc:note","privileges":["read"]}"#)
            let diff = try await firm.json("GET", "/diff?name=user:bob&from=1")
            #expect(diff.list("differences").map { $0.texts("gained") } == [["read"]])
            #expect(diff["to"]?.number("revision") == last)
            try await firm.json("GET", "/diff?name=user:bob&from=2&to=1", status: 400)
        }
    }
}

import Events
import HTTPServer
import Muniment
import Permissions
import RandomHistories
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Pages of lists: who, what, diff, entries, members, audit/subject, audit/access and audit/changes")
struct ListPageTests {
    /// A query, and the names of the lists in its response.
    private struct Question {
        let method: String
        let path: String
        var body: JSONObject?
        let lists: [String]

        static func who(_ object: Name) -> Question {
            Question(
                method: "POST", path: "/who", body: ["object": .name(object), "privilege": .string("read")], lists: ["subjects"])
        }

        static func what(_ subject: Name) -> Question {
            Question(
                method: "POST", path: "/what", body: ["subject": .name(subject), "privilege": .string("read")], lists: ["objects"])
        }

        static func diff(_ name: Name, from: String = "1") -> Question {
            Question(method: "GET", path: "/diff?name=\(name)&from=\(from)", lists: ["differences"])
        }

        static func report(_ subject: Name) -> Question {
            Question(method: "GET", path: "/audit/subject?subject=\(subject)", lists: ["roles", "classes", "objects"])
        }

        static func entries(_ object: Name) -> Question {
            Question(method: "GET", path: "/objects/\(object)/entries?", lists: ["entries"])
        }

        static func members(_ role: String) -> Question {
            Question(method: "GET", path: "/roles/\(role)/members?", lists: ["members"])
        }

        static func access(_ object: Name) -> Question {
            Question(method: "GET", path: "/audit/access?privileges=read&object=\(object)", lists: ["access"])
        }

        static func changes(_ subject: Name, _ object: Name) -> Question {
            Question(
                method: "GET", path: "/audit/changes?privileges=read&subject=\(subject)&object=\(object)", lists: ["transitions"])
        }

        /// Sends the query, with `limit` and `cursor` if they are given.
        func ask(_ firm: NativeFixture, limit: Int? = nil, cursor: String? = nil, status: Int = 200) async throws -> JSONValue {
            guard var body else {
                let target = path + (limit.map { "&limit=\($0)" } ?? "") + (cursor.map { "&cursor=\($0)" } ?? "")
                return try await firm.json(method, target, status: status)
            }
            if let limit { body["limit"] = .count(limit) }
            if let cursor { body["cursor"] = .string(cursor) }
            let text = String(decoding: try JSONText.encode(.object(body)), as: UTF8.self)
            return try await firm.json(method, path, json: text, status: status)
        }

        func entries(of answer: JSONValue) -> [JSONValue] { lists.flatMap { answer.list($0) } }

        /// Follows the pages to the last, and performs an action between them.
        func pages(
            _ firm: NativeFixture, limit: Int, between change: () async throws -> Void = {}
        ) async throws -> [JSONValue] {
            var answers = [try await ask(firm, limit: limit)]
            while let cursor = answers.last?.text("next") {
                #expect(entries(of: answers[answers.count - 1]).count == limit)
                guard answers.count < 5_000 else { break }
                try await change()
                answers.append(try await ask(firm, limit: limit, cursor: cursor))
            }
            return answers
        }
    }

    @Test("The joined pages of a random history equal the response without pages, at every limit")
    func randomHistory() async throws {
        var (seed, compared) = (TestSettings.firstSeed, 0)
        while compared < 2 {
            seed += 1
            try await withService { service in
                var history = RandomHistory(seed: seed, preset: .locked)
                service.clock.now = max(service.clock.now, history.start)
                let store = try #require(try service.service.data.store(.default)).store
                var callers: Set<Name> = []
                for _ in 0..<150 {
                    let step = history.next()
                    service.clock.now = max(service.clock.now, step.time)
                    callers.insert(step.caller)
                    do { _ = try await store.commit(Transaction(step.caller, step.changes)) } catch is Refusal {
                        history.takeBack()
                    }
                }
                let firm = NativeFixture(service: service, door: service.direct, administrator: try service.administrator())
                let objects = try store.read { try $0.objects(for: "user:root", with: ["read"]) }
                // In some histories root loses its access: their lists are too short to have pages.
                guard objects.count > 7 else { return }
                compared += 1
                var questions: [Question] = objects.prefix(6).flatMap {
                    [
                        .who(Name($0)), .diff(Name($0), from: "0"), .entries(Name($0)), .access(Name($0)),
                        .changes(.everyone, Name($0)),
                    ]
                }
                for subject: Name in [Name("user:root"), .everyone] + callers.sorted(by: { $0.text < $1.text }).prefix(4) {
                    questions += [.what(subject), .diff(subject, from: "0"), .report(subject)]
                }
                for question in questions {
                    let whole = try await question.ask(firm)
                    #expect(whole["next"] == nil)
                    for limit in [1, 2, 7] {
                        let pages = try await question.pages(firm, limit: limit)
                        for list in question.lists {
                            #expect(pages.flatMap { $0.list(list) } == whole.list(list), "seed \(seed): \(question.path), \(limit)")
                        }
                    }
                }
            }
        }
    }

    /// Prepares a firm: Ann has three roles and may read eleven objects.
    private func prepare(_ firm: NativeFixture) async throws {
        var changes: [String] = []
        for number in 0..<9 {
            changes.append(#"{"op":"createObject","object":"doc:n\#(number)","value":{}}"#)
            changes.append(#"{"op":"grant","subject":"user:ann","object":"doc:n\#(number)","privileges":["read"]}"#)
        }
        for role in ["a", "b", "c"] {
            changes.append(#"{"op":"createRole","role":"\#(role)"},{"op":"addMember","member":"user:ann","role":"\#(role)"}"#)
        }
        try await firm.commit(changes.joined(separator: ","))
    }

    @Test("Changes between two pages do not appear, and each page names the revision of the first", arguments: [false, true])
    func changesBetween(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            try await prepare(firm)
            var number = 0
            for question: Question in [
                .who("doc:plan"), .what("user:ann"), .diff("user:ann"), .report("user:ann"), .entries("doc:plan"),
                .access("doc:plan"), .members("editors"),
            ] {
                let whole = try await question.ask(firm)
                let pages = try await question.pages(firm, limit: 1) {
                    // The change adds names that sort before the following pages, and removes others.
                    number += 1
                    try await firm.commit(
                        #"{"op":"createObject","object":"doc:a\#(number)","value":{}},"#
                            + #"{"op":"grant","subject":"user:ann","object":"doc:a\#(number)","privileges":["read"]},"#
                            + #"{"op":"revoke","subject":"role:editors","object":"doc:plan"}"#)
                }
                #expect(pages.flatMap { question.entries(of: $0) } == question.entries(of: whole), "\(question.path)")
                #expect(pages.count == question.entries(of: whole).count)
                for page in pages {
                    #expect(page["revision"] == whole["revision"] && page["to"] == whole["to"] && page["time"] == whole["time"])
                }
            }
        }
    }

    @Test("Access that expires between two pages still appears")
    func endBetween() async throws {
        try await withFirm(isLive: false) { firm in
            try await prepare(firm)
            let end = firm.service.clock.now.advanced(bySeconds: 60)
            try await firm.commit(
                #"{"op":"revoke","subject":"user:ann","object":"doc:n8"},"#
                    + #"{"op":"grant","subject":"user:ann","object":"doc:n8","privileges":["read"],"until":"\#(end)"}"#)
            let start = firm.service.clock.now
            for question: Question in [.what("user:ann"), .diff("user:ann"), .report("user:ann")] {
                firm.service.clock.now = start
                let whole = try await question.ask(firm)
                let pages = try await question.pages(firm, limit: 3) { firm.service.clock.now = end.advanced(bySeconds: 1) }
                #expect(pages.flatMap { question.entries(of: $0) } == question.entries(of: whole), "\(question.path)")
                #expect(question.entries(of: try await question.ask(firm)) != question.entries(of: whole))
            }
        }
    }

    @Test("A cursor of another query, a damaged cursor, and a cursor with another moment are refused", arguments: [false, true])
    func refused(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            try await prepare(firm)
            let questions: [Question] = [
                .what("user:ann"), .what("user:root"), .who("doc:plan"), .diff("user:ann"), .diff("user:ann", from: "0"),
                .report("user:ann"), .entries("doc:plan"), .access("doc:plan"),
            ]
            var cursors: [String] = []
            for question in questions {
                guard let cursor = try await question.ask(firm, limit: 1).text("next") else {
                    cursors.append("")
                    continue
                }
                cursors.append(cursor)
            }
            #expect(cursors.count { !$0.isEmpty } >= 5)
            for (place, question) in questions.enumerated() {
                for (other, cursor) in cursors.enumerated() where !cursor.isEmpty {
                    _ = try await question.ask(firm, limit: 2, cursor: cursor, status: place == other ? 200 : 400)
                }
                guard !cursors[place].isEmpty else { continue }
                var damaged = Array(cursors[place])
                for index in damaged.indices {
                    let letter = damaged[index]
                    damaged[index] = letter == "A" ? "B" : "A"
                    _ = try await question.ask(firm, cursor: String(damaged), status: 400)
                    damaged[index] = letter
                }
                for wrong in ["x", String(damaged.dropLast()), String(damaged) + "A"] {
                    _ = try await question.ask(firm, cursor: wrong, status: 400)
                }
                for limit in [0, 10_001] { _ = try await question.ask(firm, limit: limit, status: 400) }
            }
            let moments = [
                "/audit/subject?subject=user:ann&at=1&cursor=\(cursors[5])", "/diff?name=user:ann&from=1&to=1&cursor=\(cursors[3])",
            ]
            for target in moments { try await firm.json("GET", target, status: 400) }
        }
    }

    @Test("A response without a limit has at most 1,000 names, and JSON Lines have all of them")
    func standardLimit() async throws {
        try await withFirm(isLive: false) { firm in
            for hundred in 0..<11 {
                let changes = (0..<100).map { #"{"op":"createObject","object":"doc:m\#(hundred * 100 + $0)","value":{}}"# }
                try await firm.commit(changes.joined(separator: ","))
            }
            let question = #"{"subject":"user:root","privilege":"read"}"#
            let first = try await firm.json("POST", "/what", json: question)
            #expect(first.texts("objects").count == 1_000)
            #expect(first.text("next") != nil)
            let lines = try await firm.send("POST", "/what", json: question, headers: [HTTPHeader("Accept", "application/jsonl")])
            #expect(try lines.lines.count == 1_102)
        }
    }
}

import Events
import HTTPServer
import ServiceSupport
import Testing

@Suite("Queries: each response applies to one revision and names it")
struct QuestionRouteTests {
    @Test("Every query returns the store's own answer, for the present and for an earlier revision", arguments: [false, true])
    func answers(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            try await firm.commit(#"{"op":"revoke","subject":"role:editors","object":"doc:plan"}"#)
            func check(_ extra: String) async throws -> Bool? {
                let question = #"{"subject":"user:bob","privilege":"read","object":"doc:plan"\#(extra)}"#
                return try await firm.json("POST", "/check", json: question).flag("allowed")
            }
            #expect(try await check("") == false)
            #expect(try await check(#","at":1"#) == true)
            #expect(try await check(#","at":"r1""#) == true)
            let privileges = try await firm.json("POST", "/privileges", json: #"{"subject":"user:ann","object":"doc:plan"}"#)
            #expect(privileges.texts("privileges") == ["delete", "read", "setPermissions", "update"])
            let who = #"{"privileges":["read"],"object":"doc:plan","at":1}"#
            #expect(try await firm.json("POST", "/who", json: who).texts("subjects") == ["user:ann", "user:bob"])
            let what = #"{"subject":"user:ann","privilege":"read","class":"doc"}"#
            #expect(try await firm.json("POST", "/what", json: what).texts("objects") == ["doc:plan"])
            #expect(try await firm.json("GET", "/roles/editors/members").texts("members") == ["user:bob"])
            #expect(try await firm.json("GET", "/roles/role%3Aeditors/members").texts("members") == ["user:bob"])
            #expect(try await firm.json("GET", "/administrators").texts("administrators") == ["user:root"])
            #expect(
                try await firm.json("GET", "/objects/doc%3Aplan/entries").list("entries").compactMap { $0.text("subject") } == [
                    "user:ann"
                ])
            #expect(try await firm.json("GET", "/objects/doc%3Aplan/entries?at=1").list("entries").count == 2)
        }
    }

    @Test(
        "An explanation has the event of each step, and a denial lists changes that would allow the request",
        arguments: [false, true]
    )
    func explanations(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let yes = try await firm.json(
                "POST", "/explain", json: #"{"subject":"user:bob","privilege":"read","object":"doc:plan"}"#)
            #expect(yes.flag("allowed") == true)
            #expect(yes["proposals"] == nil)
            let denied = #"{"subject":"user:bob","privilege":"update","object":"doc:plan""#
            let no = try await firm.json("POST", "/explain", json: denied + "}")
            #expect(no.flag("allowed") == false)
            #expect(!no.list("proposals").isEmpty)
            let silent = try await firm.json("POST", "/explain", json: denied + #","proposals":false}"#)
            #expect(silent["proposals"] == nil)
        }
    }

    @Test("Several explanations have the moment of the request, and each is the answer to its question", arguments: [false, true])
    func severalExplanations(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let questions = [
                #""subject":"user:bob","privilege":"read","object":"doc:plan""#,
                #""subject":"user:bob","privilege":"update","object":"doc:plan""#,
                #""subject":"user:bob","privileges":["update"],"object":"doc:plan","proposals":false"#,
            ]
            try await firm.commit(#"{"op":"grant","subject":"user:bob","object":"doc:plan","privileges":["update"]}"#)
            func all(_ rest: String) -> String { "{\"questions\":[\(questions.map { "{\($0)}" }.joined(separator: ","))]\(rest)}" }
            for rest in ["", #","at":1"#] {
                let answer = try await firm.json("POST", "/explanations", json: all(rest))
                #expect(answer.number("revision") == (rest.isEmpty ? 2 : 1))
                var single: [JSONValue] = []
                for question in questions {
                    single.append(try await firm.json("POST", "/explain", json: "{\(question)\(rest)}"))
                }
                #expect(answer.list("explanations") == single, "\(rest)")
            }
        }
    }

    @Test("A request for explanations has 1 to 100 questions")
    func explanationLimit() async throws {
        try await withFirm(isLive: false) { firm in
            let question = #"{"subject":"user:ann","privilege":"read","object":"doc:plan"}"#
            for count in [0, 101] {
                let body = "{\"questions\":[\(Array(repeating: question, count: count).joined(separator: ","))]}"
                let answer = try await firm.send("POST", "/explanations", json: body)
                #expect(answer.status == 400 && answer.text.contains("send 1 to 100"), "\(answer.text)")
            }
        }
    }

    @Test(
        "A query has conditions, an order and pages, and its cursor continues at the revision of the first page",
        arguments: [false, true])
    func queries(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let query = #"{"class":"doc","order":["-pages"],"limit":1,"as":"user:root""#
            let first = try await firm.json("POST", "/query", json: query + "}")
            #expect(first.texts("objects") == ["doc:plan"])
            let cursor = try #require(first.text("next"))
            try await firm.commit(#"{"op":"deleteObject","object":"doc:note"}"#)
            let second = try await firm.json("POST", "/query", json: query + #","cursor":"\#(cursor)"}"#)
            #expect(second.texts("objects") == ["doc:note"])
            #expect(second.number("revision") == first.number("revision"))
            #expect(second["next"] == nil)
            let few = try await firm.json(
                "POST", "/query", json: #"{"class":"doc","as":"user:root","where":{"pages":{"<":2}},"at":1}"#)
            #expect(few.texts("objects") == ["doc:note"])
            for wrong in [#","cursor":"x"}"#, #","cursor":"\#(cursor)","at":1}"#] {
                try await firm.json("POST", "/query", json: query + wrong, status: 400)
            }
            let unnamed = #"{"class":"doc","as":"user:root","where":{"colour":"red"}}"#
            try await firm.json("POST", "/query", json: unnamed, status: 400)
        }
    }

    @Test("Every response also has its revision in a header", arguments: [false, true])
    func revisionInHead(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let last = try await firm.commit(#"{"op":"register","principal":"user:cat"}"#)
            let question = #"{"subject":"user:bob","privilege":"read","object":"doc:plan""#
            for (extra, revision) in [("}", last), (#","at":1}"#, 1)] {
                let answer = try await firm.send("POST", "/check", json: question + extra)
                #expect(answer.header("Muniment-Revision") == "\(revision)")
                #expect(try answer.json.number("revision") == revision)
            }
            for path in ["/administrators", "/audit", "/history?name=user:cat", "", "/verify", "/diff?name=user:cat&from=0"] {
                #expect(try await firm.send("GET", path).header("Muniment-Revision") == "\(last)", "\(path)")
            }
        }
    }

    @Test(
        "`atLeast` succeeds if the store has reached the revision, and otherwise returns a problem with the head",
        arguments: [false, true])
    func atLeast(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let question = #"{"subject":"user:bob","privilege":"read","object":"doc:plan","atLeast":"#
            try await firm.json("POST", "/check", json: question + "1}")
            let problem = try await firm.json("POST", "/check", json: question + "2}", status: 409)
            #expect(problem.text("type") == "/problems/revision-not-reached")
            #expect(problem.number("head") == 1)
            for path in [
                "/administrators", "/objects/doc%3Aplan/entries", "/roles/editors/members", "/audit", "/history?name=doc:plan",
                "/export",
                "/diff?name=user:bob&from=0", "", "/verify", "/audit/subject?subject=user:bob", "/notices?subject=user:bob",
                "/audit/access?privileges=read&object=doc:plan", "/audit/changes?privileges=read&object=doc:plan&subject=user:bob",
            ] {
                let separator = path.contains("?") ? "&" : "?"
                try await firm.json("GET", path + separator + "atLeast=2", status: 409)
                #expect(try await firm.send("GET", path + separator + "atLeast=1").status == 200, "\(path)")
            }
        }
    }

    @Test("A query about a future revision is malformed", arguments: [false, true])
    func future(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let question = #"{"subject":"user:bob","privilege":"read","object":"doc:plan","at":99}"#
            let problem = try await firm.json("POST", "/check", json: question, status: 400)
            #expect(problem.text("detail")?.contains("99") == true)
        }
    }

    static let nonsense: [(String, String)] = [
        ("/check", "[]"), ("/check", "{"), ("/check", "{}"), ("/check", #"{"subject":1,"privilege":"read","object":"doc:1"}"#),
        ("/check", #"{"subject":"user:a","privilege":"read","object":"doc:1","attt":1}"#),
        ("/check", #"{"subject":"user:a","privilege":"read","privileges":["read"],"object":"doc:1"}"#),
        ("/check", #"{"subject":"user:a","privileges":[],"object":"doc:1"}"#),
        ("/check", #"{"subject":"user:a","privilege":"","object":"doc:1"}"#),
        ("/check", #"{"subject":"user:a","privileges":[1],"object":"doc:1"}"#),
        ("/check", #"{"subject":"user:a","privilege":"read","object":"nothing"}"#),
        ("/check", #"{"subject":"user:a","privilege":"read","object":"doc:1","at":-1}"#),
        ("/check", #"{"subject":"user:a","privilege":"read","object":"doc:1","at":"soon"}"#),
        ("/check", #"{"subject":"user:a","privilege":"read","object":"doc:1","atLeast":"1"}"#),
        ("/explain", #"{"subject":"user:a","privilege":"read","object":"doc:1","proposals":"no"}"#),
        ("/check", #"{"subject":"user:a","privilege":"fly","object":"doc:1"}"#),
        ("/who", #"{"privilege":"fly","object":"doc:1"}"#), ("/what", #"{"privileges":["read","fly"],"subject":"user:a"}"#),
        ("/query", #"{"class":"doc","as":"user:root","limit":0}"#), ("/query", #"{"class":"doc","as":"user:root","limit":1.5}"#),
        ("/query", #"{"class":"doc","as":"user:root","where":{"$or":[]}}"#), ("/query", #"{"class":"doc"}"#),
        ("/what-if", #"{"transactions":[]}"#), ("/what-if", #"{"transactions":[{"as":"user:a","do":[],"then":1}]}"#),
    ]

    @Test("A malformed request returns a problem with the reason, and changes nothing", arguments: nonsense)
    func malformed(path: String, body: String) async throws {
        try await withFirm(isLive: false) { firm in
            let problem = try await firm.json("POST", path, json: body, status: 400)
            #expect(problem.text("type") == "/problems/malformed")
            #expect(problem.number("status") == 400)
            #expect(problem.text("detail")?.isEmpty == false)
        }
    }

    @Test("A body without a JSON content type is not read", arguments: [false, true])
    func contentType(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let headers = [HTTPHeader("Authorization", "Bearer \(firm.administrator)"), HTTPHeader("Content-Type", "text/plain")]
            let answer = try await firm.door.send("POST", "/v1/stores/default/check", headers: headers, body: Array("{}".utf8))
            #expect(answer.status == 415)
            #expect(answer.header("Content-Type") == "application/problem+json")
        }
    }
}

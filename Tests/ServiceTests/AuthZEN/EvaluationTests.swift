import Events
import Muniment
import Permissions
import Service
import StoreSupport
import TestSupport
import Testing

@Suite("AuthZEN: one evaluation")
struct EvaluationTests {
    @Test("A decision equals the store's check of the principal, the object and the privilege or its alias")
    func decisions() throws {
        try Household.with { house in
            let allowed = [
                ("user:ann", "read", "chore:dishes"), ("user:ann", "may_see", "chore:dishes"),
                ("user:ann", "may_tick", "chore:dishes"),
                ("user:max", "may_redo", "chore:stairs"), ("role:house", "may_see", "chore:list"),
                ("user:lia", "may_visit", "user:ann"), ("user:root", "may_redo", "chore:list"),
                ("user:passer-by", "may_see", "chore:notice"), ("everyone:everyone", "read", "chore:notice"),
                ("anonymous:anonymous", "read", "chore:bell"), ("user:lia", "read", "class:chore"),
                ("user:lia", "read", "store:store"),
            ]
            let denied = [
                ("user:ann", "may_tick", "chore:stairs"), ("user:ann", "may_redo", "chore:dishes"),
                ("user:lia", "may_tick", "chore:dishes"),
                ("user:passer-by", "may_see", "chore:list"), ("anonymous:anonymous", "read", "chore:notice"),
                ("role:strangers", "read", "chore:notice"), ("user:ann", "may_visit", "chore:list"),
                ("user:ann", "may_see", "user:ben"), ("user:ann", "read", "chore:nothing"), ("user:ann", "read", "nothing:list"),
                ("user:ann", "fly", "chore:list"), ("spaceship:ann", "read", "chore:list"),
                ("everyone:ann", "read", "chore:notice"),
            ]
            for (subject, action, resource) in allowed {
                let decision = try house.decides(subject, action, resource)
                #expect(decision, "\(subject) \(action) \(resource)")
            }
            for (subject, action, resource) in denied {
                let decision = try house.decides(subject, action, resource)
                #expect(!decision, "\(subject) \(action) \(resource)")
            }
        }
    }

    @Test(
        "A named set of the store is an action: it needs all its privileges, and an alias or a privilege of that name comes first")
    func namedSets() throws {
        try Household.with { house in
            #expect(try !house.decides("user:max", "care", "chore:stairs"))
            try house.store.setLevels([
                AccessLevel(name: "care", privileges: ["read", "update", "delete"]),
                AccessLevel(name: "may_see", privileges: ["delete"]), AccessLevel(name: "read", privileges: ["delete"]),
            ])
            #expect(try house.decides("user:max", "care", "chore:stairs"))
            #expect(try house.decides("user:root", "care", "chore:stairs"))
            #expect(try !house.decides("user:ann", "care", "chore:dishes"))
            #expect(try house.decides("user:ann", "may_see", "chore:dishes"))
            #expect(try house.decides("user:ann", "read", "chore:dishes"))
            let max = try AuthZEN(house.store).searchActions(
                Array(#"{"subject":{"type":"user","id":"max"},"resource":{"type":"chore","id":"stairs"}}"#.utf8))
            #expect(String(decoding: max, as: UTF8.self).contains(#"[{"name":"care"},{"name":"delete"},{"name":"may_drop"}"#))
            let who = try AuthZEN(house.store).searchSubjects(
                Array(#"{"subject":{"type":"user"},"action":{"name":"care"},"resource":{"type":"chore","id":"stairs"}}"#.utf8))
            #expect(
                String(decoding: who, as: UTF8.self).contains(
                    #""results":[{"type":"user","id":"max"},{"type":"user","id":"root"}]"#))
            let reason = try house.evaluation(request("user:ann", "care", "chore:dishes", context: "{\"reason\":true}"))
            #expect(reason["context"]?["reason"]?.text?.contains("delete") == true)
        }
    }

    @Test("A response has the decision first, then its revision, and the reason if the context asks for it")
    func shape() throws {
        try Household.with { house in
            let head = try house.head
            let plain = try AuthZEN(house.store).evaluation(Array(request("user:ann", "read", "chore:list").utf8))
            #expect(String(decoding: plain, as: UTF8.self) == "{\"decision\":true,\"context\":{\"revision\":\(head)}}")
            let reasons = [
                (
                    request("user:ann", "may_tick", "chore:dishes", context: "{\"reason\":true}"),
                    "give user:ann update on chore:dishes"
                ),
                (
                    request("user:lia", "may_tick", "chore:dishes", context: "{\"reason\":true}"),
                    "no entry on chore:dishes, direct or inherited, gives"
                ),
                (
                    request("user:lia", "fly", "chore:dishes", context: "{\"reason\":true}"),
                    "fly is neither a privilege nor a named set of the store, nor an alias"
                ),
                (
                    request("cat:tom", "read", "chore:dishes", context: "{\"reason\":true}"),
                    "tom is not a valid id for a subject of type cat"
                ),
            ]
            for (body, words) in reasons {
                let reason = try house.evaluation(body)["context"]?["reason"]?.text
                #expect(reason?.contains(words) == true, "\(reason ?? "nothing")")
            }
            for context in ["{\"reason\":false}", "{\"reason\":\"audit\"}", "{}"] {
                let answer = try house.evaluation(request("user:ann", "read", "chore:list", context: context))
                #expect(answer["context"]?["reason"] == nil)
            }
        }
    }

    @Test("`muniment_at` selects a revision or a time, the response names the revision, and past aliases apply to past revisions")
    func past() throws {
        try Household.with { house in
            let before = try house.head
            house.clock.advance(seconds: 60)
            try house.commit(
                .changeClass("chore", ClassSettings(aliases: [.init("may_see", for: ["sign"]), .init("may_look", for: ["read"])])),
                .revoke("user:ann", on: "chore:dishes"))
            #expect(try house.decides("user:ann", "may_tick", "chore:dishes", context: "{\"muniment_at\":\(before)}"))
            #expect(try !house.decides("user:ann", "update", "chore:dishes"))
            #expect(try house.decides("user:ann", "may_see", "chore:dishes", context: "{\"muniment_at\":\(before)}"))
            #expect(try !house.decides("user:ann", "may_see", "chore:dishes"))
            #expect(try house.decides("user:ann", "may_look", "chore:dishes"))
            #expect(try !house.decides("user:ann", "may_look", "chore:dishes", context: "{\"muniment_at\":\(before)}"))
            let time = try house.store.time(of: before).description
            let then = try house.evaluation(
                request("user:ann", "may_tick", "chore:dishes", context: "{\"muniment_at\":\"\(time)\"}"))
            #expect(then["decision"] == .bool(true))
            #expect(then["context"]?["revision"] == .integer(Int64(before.rawValue)))
        }
    }

    @Test("Unknown members, properties and context values are ignored")
    func ignored() throws {
        try Household.with { house in
            let bodies = [
                request("user:ann", "read", "chore:list", more: "\"new\":{\"a\":[1,2.5e3,null,-0,123456789012345678901234567890]}"),
                request("user:ann", "read", "chore:list", context: "{\"at\":0,\"time\":\"2025-06-27T18:03-07:00\",\"ip\":\"::1\"}"),
                """
                 { "resource" : {"properties":{"status":"x"},"id":"list","type":"chore","owner":true},
                   "action":{"name":"re\\u0061d","properties":{}}, "subject":{"id":"ann","type":"user","properties":{"role":"cook"}} }
                """,
            ]
            for body in bodies {
                let answer = try house.evaluation(body)
                #expect(answer["decision"] == .bool(true), "\(body)")
            }
        }
    }

    @Test("`null` for an optional member is the same as no member")
    func nulls() throws {
        try Household.with { house in
            let body = """
                {"subject":{"type":"user","id":"ann","properties":null},"action":{"name":"read","properties":null},
                "resource":{"type":"chore","id":"list","properties":null},"context":null}
                """
            let plain = try house.evaluation(body)
            #expect(plain["decision"] == .bool(true))
            let context = #"{"muniment_at":null,"reason":null}"#
            #expect(try house.decides("user:ann", "read", "chore:list", context: context))
        }
    }

    @Test("A mapped type of subjects means its type in evaluations and searches, and search results repeat it")
    func subjectTypes() throws {
        try Household.with { house in
            let authZEN = AuthZEN(house.store, subjectTypes: ["identity": "user", "group": "role"])
            let decides = { (subject: String) in
                let body = Array(request(subject, "may_see", "chore:list").utf8)
                return try JSONText.decode(authZEN.evaluation(body))["decision"] == .bool(true)
            }
            #expect(try decides("identity:ann") && decides("user:ann") && decides("group:house"))
            #expect(try !decides("group:ann") && !house.decides("identity:ann", "may_see", "chore:list"))
            let body = request("identity", "may_tick", "chore:dishes")
            let found = try JSONText.decode(authZEN.searchSubjects(Array(body.utf8)))
            #expect(found.results == ["identity:ann", "identity:max", "identity:root"])
            // The resources keep their types.
            let users = try JSONText.decode(authZEN.searchResources(Array(request("identity:lia", "may_visit", "user").utf8)))
            #expect(users.results.first == "user:ann")
            let none = try authZEN.searchResources(Array(request("identity:lia", "may_visit", "identity").utf8))
            #expect(try JSONText.decode(none).results.isEmpty)
        }
    }

    static let badRequests: [(body: String, word: String)] = [
        ("", "JSON"), ("{", "JSON"), ("[]", "object"), ("\"x\"", "object"), ("{}", "`subject`"), ("nonsense", "JSON"),
        (request("user:a", "read", "chore:x") + "x", "JSON"), (request(nil, "read", "chore:x"), "`subject` is missing"),
        (request("user:a", nil, "chore:x"), "`action` is missing"), (request("user:a", "read", nil), "`resource` is missing"),
        (request("user", "read", "chore:x"), "`subject.id`"), (request("user:a", "read", "chore"), "`resource.id`"),
        (request("user:a", "", "chore:x"), "`action.name`"),
        (#"{"subject":{"id":"a"},"action":{"name":"r"},"resource":{"type":"c","id":"x"}}"#, "`subject.type`"),
        (#"{"subject":{"type":"user","id":""},"action":{"name":"r"},"resource":{"type":"c","id":"x"}}"#, "`subject.id`"),
        (#"{"subject":{"type":"user","id":"a"},"action":{},"resource":{"type":"c","id":"x"}}"#, "`action.name`"),
        (#"{"subject":{"type":"user","id":"a"},"action":{"name":"r"},"resource":{"id":"x"}}"#, "`resource.type`"),
        (#"{"subject":"a","action":{"name":"r"},"resource":{"type":"c","id":"x"}}"#, "`subject` must be an object"),
        (#"{"subject":{"type":"user","id":"a"},"action":{"name":123},"resource":{"type":"c","id":"x"}}"#, "`action.name` must be"),
        (#"{"subject":{"type":"user","id":7},"action":{"name":"r"},"resource":{"type":"c","id":"x"}}"#, "`subject.id` must be"),
        (#"{"subject":{"type":"user","id":"a"},"action":"r","resource":{"type":"c","id":"x"}}"#, "`action` must be"),
        (#"{"subject":{"type":"user","id":"a"},"action":{"name":"r"},"resource":["c"]}"#, "`resource` must be"),
        (#"{"subject":{"type":"user","id":"a","id":"b"},"action":{"name":"r"},"resource":{"type":"c","id":"x"}}"#, "twice"),
        (
            #"{"subject":{"type":"user","id":"a","properties":1},"action":{"name":"r"},"resource":{"type":"c","id":"x"}}"#,
            "properties"
        ),
        (request("user:a", "read", "chore:x", more: #""subject":{"type":"user","id":"b"}"#), "twice"),
        (request("user:a", "read", "chore:x", context: "7"), "`context`"),
        (request("user:a", "read", "chore:x", more: #""new":{"a":{"b":1,"c":2,"b":3}}"#), "`b` appears twice"),
        (request("user:a", "read", "chore:x", more: #""new":[1,{"\u0061":1,"a":2}]"#), "`a` appears twice"),
        (request("user:a", "read", "chore:x", context: #"{"ip":1,"ip":1}"#), "`ip` appears twice"),
        (request("user:a", "read", "chore:x", more: "\"new\":1e400"), "beyond the range"),
        (request("user:a", "read", "chore:x", context: "{\"score\":-1E+400}"), "beyond the range"),
        (request("user:a", "read", "chore:x", more: "\"new\":1" + String(repeating: "0", count: 400)), "beyond the range"),
        (request("user:a", "read", "chore:x", context: "{\"muniment_at\":-1}"), "`context.muniment_at`"),
        (request("user:a", "read", "chore:x", context: "{\"muniment_at\":\"noon\"}"), "`context.muniment_at`"),
        (request("user:a", "read", "chore:x", context: "{\"muniment_at\":999999}"), "revision"),
        (request("user:a", "read", "chore:x", more: #""new":[01]"#), "JSON"),
        (request("user:a", "read", "chore:x", more: #""new":"\q""#), "JSON"),
    ]

    @Test("An invalid request is answered 400 with the reason and without a decision", arguments: badRequests.indices)
    func faults(_ index: Int) throws {
        let (body, word) = Self.badRequests[index]
        try Household.with { house in
            let problem = #expect(throws: AuthZENError.self) { try house.evaluation(body) }
            #expect(problem?.status == 400)
            #expect(problem?.message.contains(word) == true, "\(body): \(problem?.message ?? "answered")")
        }
    }

    @Test("A type with a colon, a control character or an overlong id is denied and matches no other entity")
    func lookalikes() throws {
        try Household.with { house in
            try house.commit(.createObject("chore:a:b"), .grant("user:ann", on: "chore:a:b", ["read"]))
            #expect(try house.decides("user:ann", "read", "chore:a:b"))
            let bodies = [
                #"{"subject":{"type":"user","id":"ann"},"action":{"name":"read"},"resource":{"type":"chore:a","id":"b"}}"#,
                #"{"subject":{"type":"user:an","id":"n"},"action":{"name":"read"},"resource":{"type":"chore","id":"a:b"}}"#,
                #"{"subject":{"type":"user","id":"\u0000"},"action":{"name":"read"},"resource":{"type":"chore","id":"notice"}}"#,
                request("user:" + String(repeating: "x", count: 600), "read", "chore:notice"),
                request("user:ann", "read", "chore:" + String(repeating: "x", count: 100_000)),
            ]
            for body in bodies { #expect(try house.evaluation(body)["decision"] == .bool(false)) }
        }
    }

    @Test("A caller limited to itself is refused other questions; administrators and tokens with `ask` are not")
    func askers() throws {
        try Household.with { house in
            let body = request("user:ann", "read", "chore:list")
            #expect(try house.evaluation(body, for: .itself("user:ann"))["decision"] == .bool(true))
            #expect(try house.evaluation(body, for: .itself("user:root"))["decision"] == .bool(true))
            let problem = #expect(throws: AuthZENError.self) { try house.evaluation(body, for: .itself("user:ben")) }
            #expect(problem?.status == 403)
            let mixed = """
                {"action":{"name":"read"},"resource":{"type":"chore","id":"list"},"evaluations":[
                {"subject":{"type":"user","id":"ann"}},{"subject":{"type":"user","id":"ben"}}]}
                """
            let answers = try house.evaluations(mixed, for: .itself("user:ben"))
            #expect(answers.decisions == [false, true])
            #expect(answers["evaluations"]?.elements.first?["context"]?["error"]?["status"] == .integer(403))
        }
    }
}

import Events
import Muniment
import Permissions
import Service
import StoreSupport
import Testing

@Suite("AuthZEN: several evaluations")
struct EvaluationsTests {
    private func items(_ items: [String], _ options: String? = nil, defaults: String = "") -> String {
        let options = options.map { "\"options\":\($0)," } ?? ""
        return "{\(defaults)\(options)\"evaluations\":[\(items.joined(separator: ","))]}"
    }

    private let see = request("user:lia", "may_see", "chore:list")
    private let tick = request("user:lia", "may_tick", "chore:list")

    @Test("Decisions are in request order and without a context, and the response names their revision")
    func order() throws {
        try Household.with { house in
            let (json, revision) = try AuthZEN(house.store).evaluations(Array(items([see, tick, see]).utf8))
            #expect(revision == (try house.head))
            #expect(
                String(decoding: json, as: UTF8.self)
                    == #"{"evaluations":[{"decision":true},{"decision":false},{"decision":true}]}"#)
        }
    }

    @Test("A decision has a context if the evaluation or the default asks for the reason or names a moment")
    func contexts() throws {
        try Household.with { house in
            let head = try house.head
            let asking = request("user:lia", "may_see", "chore:list", context: "{\"reason\":true}")
            let dated = request("user:lia", "may_see", "chore:list", context: "{\"muniment_at\":\(head)}")
            let own = try house.evaluations(items([see, asking, dated]))["evaluations"]?.elements ?? []
            #expect(own.map { $0["context"]?["revision"] != nil } == [false, true, true])
            #expect(own.map { $0["context"]?["reason"] != nil } == [false, true, false])
            let plain = request("user:lia", "may_see", "chore:list", context: "{\"ip\":\"::1\",\"at\":0,\"reason\":\"audit\"}")
            let inherited = try house.evaluations(items([see, plain], defaults: "\"context\":{\"reason\":true},"))
            #expect(inherited["evaluations"]?.elements.map { $0["context"]?["reason"] != nil } == [true, false])
            #expect(inherited.decisions == [true, true])
        }
    }

    @Test("`null` for a member is the same as no member")
    func nulls() throws {
        try Household.with { house in
            let defaults = #""subject":{"type":"user","id":"lia"},"action":{"name":"may_see"},"context":null,"#
            let item = #"{"subject":null,"action":null,"context":null,"resource":{"type":"chore","id":"list","properties":null}}"#
            #expect(try house.evaluations(items([item], "null", defaults: defaults)).decisions == [true])
            #expect(try house.evaluations(items([item], #"{"evaluations_semantic":null}"#, defaults: defaults)).decisions == [true])
            let one = try house.evaluations(request("user:lia", "may_see", "chore:list", more: "\"evaluations\":null"))
            #expect(one["decision"] == .bool(true))
        }
    }

    @Test("A member of an evaluation replaces the whole default, and an unused default may be incomplete")
    func defaults() throws {
        try Household.with { house in
            let defaults = #""subject":{"type":"user","id":"ann"},"action":{"name":"may_see"},"resource":{},"#
            let answer = try house.evaluations(
                items(
                    [
                        #"{"resource":{"type":"chore","id":"dishes"}}"#,
                        #"{"resource":{"type":"chore","id":"stairs"},"action":{"name":"may_tick"}}"#,
                        #"{"resource":{"type":"chore","id":"dishes"},"action":{"name":"may_tick"}}"#,
                        #"{"resource":{"type":"chore","id":"list"},"subject":{"type":"user","id":"ben"}}"#,
                        #"{"resource":{"id":"list"}}"#, "{}",
                    ], defaults: defaults))
            #expect(answer.decisions == [true, false, true, true, false, false])
            let messages = answer["evaluations"]?.elements.map { $0["context"]?["error"]?["message"]?.text }
            #expect(messages?[4]?.contains("`resource.type`") == true)
            #expect(messages?[5]?.contains("`resource.type`") == true)
        }
    }

    @Test("An invalid evaluation is denied in its place with a status and a reason, and the others are answered")
    func faults() throws {
        try Household.with { house in
            let bad = [
                "7", "{}", #"{"subject":{"type":"user","id":"ann"}}"#, request("user:ann", "", "chore:list"),
                #"{"subject":"ann","action":{"name":"read"},"resource":{"type":"chore","id":"list"}}"#,
                request("user:lia", "may_see", "chore:list", context: "{\"muniment_at\":true}"),
                request("user:lia", "may_see", "chore:list", context: "{\"muniment_at\":1000000}"),
            ]
            let answer = try house.evaluations(items([see] + bad + [see]))
            #expect(answer.decisions == [true] + bad.map { _ in false } + [true])
            for item in answer["evaluations"]?.elements.dropFirst().dropLast() ?? [] {
                #expect(item["context"]?["error"]?["status"] == .integer(400))
                #expect(item["context"]?["error"]?["message"]?.text?.isEmpty == false)
            }
        }
    }

    @Test("deny_on_first_deny and permit_on_first_permit answer up to and including the evaluation that decides")
    func semantics() throws {
        try Household.with { house in
            let three = [see, tick, see]
            let cases: [(String?, [String], [Bool])] = [
                (nil, three, [true, false, true]), ("execute_all", three, [true, false, true]),
                ("deny_on_first_deny", three, [true, false]), ("deny_on_first_deny", [see, "{}", see], [true, false]),
                ("deny_on_first_deny", [see, see], [true, true]),
                ("permit_on_first_permit", [tick, "7", see, tick], [false, false, true]),
                ("permit_on_first_permit", three, [true]), ("permit_on_first_permit", [tick, tick], [false, false]),
            ]
            for (semantic, list, decisions) in cases {
                let options = semantic.map { "{\"evaluations_semantic\":\"\($0)\",\"other\":1}" } ?? "{}"
                let answer = try house.evaluations(items(list, options))
                #expect(answer.decisions == decisions, "\(semantic ?? "none")")
            }
        }
    }

    @Test("A request without evaluations, or with an empty list, is answered as a single evaluation")
    func single() throws {
        try Household.with { house in
            let one = try house.evaluation(see)
            #expect(try house.evaluations(see) == one)
            #expect(try house.evaluations(request("user:lia", "may_see", "chore:list", more: "\"evaluations\":[]")) == one)
            for body in ["{\"evaluations\":[]}", request("user", "may_see", "chore:list")] {
                #expect(throws: AuthZENError.self) { try house.evaluations(body) }
            }
        }
    }

    @Test("A default or option of the wrong type, an unknown semantic, or too many evaluations are answered 400")
    func wholeFaults() throws {
        try Household.with { house in
            let bodies = [
                items([see], "7"), items([see], #"{"evaluations_semantic":"any"}"#), items([see], #"{"evaluations_semantic":1}"#),
                items([see], defaults: #""subject":"ann","#), items([see], defaults: #""context":1,"#),
                items([see], defaults: #""context":{"muniment_at":[]},"#),
                items([see], defaults: #""context":{"muniment_at":1000000},"#),
                "{\"evaluations\":{}}", "{\"evaluations\":null}", items([see, #"{"action":{"name":"a","name":"a"}}"#]),
                items([see]) + "}",
                items([String](repeating: "{}", count: AuthZEN.evaluationsPerRequest + 1)),
            ]
            for body in bodies {
                let problem = #expect(throws: AuthZENError.self) { try house.evaluations(body) }
                #expect(problem?.status == 400, "\(body.prefix(100))")
            }
            let most = items(
                [String](repeating: "{}", count: AuthZEN.evaluationsPerRequest), defaults: see.dropFirst().dropLast() + ",")
            let answer = try house.evaluations(most)
            #expect(answer.decisions.count == AuthZEN.evaluationsPerRequest)
        }
    }

    @Test("All evaluations use the moment of the request's context, except those with a moment in their own context")
    func moments() throws {
        try Household.with { house in
            let before = try house.head
            try house.commit(.revoke("user:ann", on: "chore:dishes"))
            let head = try house.head
            let defaults =
                #""subject":{"type":"user","id":"ann"},"action":{"name":"may_tick"},"resource":{"type":"chore","id":"dishes"},"#
            let list = [
                "{}", "{\"context\":{}}", "{\"context\":{\"muniment_at\":\(before)}}", "{\"context\":{\"muniment_at\":\(head)}}",
            ]
            let now = try house.evaluations(items(list, defaults: defaults))
            #expect(now.decisions == [false, false, true, false])
            let then = try house.evaluations(items(list, defaults: defaults + "\"context\":{\"muniment_at\":\(before)},"))
            // An evaluation's context replaces the whole default context, including its moment.
            #expect(then.decisions == [true, false, true, false])
            let revisions = then["evaluations"]?.elements.map { $0["context"]?["revision"] }
            #expect(revisions == [before, nil, before, head].map { $0.map { .integer(Int64($0.rawValue)) } })
        }
    }
}

import Events
import Muniment
import Permissions
import Service
import StoreSupport
import TestSupport
import Testing

@Suite("AuthZEN: searches")
struct SearchTests {
    @Test("A subject search finds nested role members, uses aliases, filters by type, and includes administrators")
    func subjects() throws {
        try Household.with { house in
            let cases: [(type: String, action: String, resource: String, found: [String])] = [
                ("user", "may_see", "chore:dishes", ["user:ann", "user:ben", "user:lia", "user:max", "user:root"]),
                ("user", "may_tick", "chore:dishes", ["user:ann", "user:max", "user:root"]),
                ("user", "may_redo", "chore:dishes", ["user:max", "user:root"]), ("user", "sign", "chore:dishes", ["user:root"]),
                ("role", "read", "chore:dishes", ["role:house", "role:housemates"]), ("thing", "read", "chore:dishes", []),
                ("thing", "read", "chore:notice", ["thing:oven"]), ("everyone", "read", "chore:notice", ["everyone:everyone"]),
                ("user", "read", "chore:notice", ["user:ann", "user:ben", "user:lia", "user:max", "user:root"]),
                ("everyone", "read", "chore:dishes", []), ("anonymous", "read", "chore:notice", []),
                ("anonymous", "read", "chore:bell", ["anonymous:anonymous"]),
                ("role", "read", "chore:bell", ["role:house", "role:housemates"]),
                ("spaceship", "read", "chore:dishes", []), ("user", "fly", "chore:dishes", []),
                ("user", "read", "chore:nothing", []),
                ("user", "read", "nothing:dishes", []), ("user", "read", "store:dishes", []),
            ]
            for (type, action, resource, found) in cases {
                let answer = try house.search("subject", request(type, action, resource))
                #expect(answer.results == found, "\(type) \(action) \(resource)")
                #expect(answer.nextToken == "")
            }
            let ignored = try house.search("subject", request("user:lia", "may_tick", "chore:dishes"))
            #expect(ignored.results == ["user:ann", "user:max", "user:root"])
        }
    }

    @Test("A resource search uses roles and parents, includes built-in classes, and ignores an id in the request")
    func resources() throws {
        try Household.with { house in
            let all = ["chore:bell", "chore:dishes", "chore:list", "chore:notice", "chore:stairs"]
            let cases: [(subject: String, action: String, type: String, found: [String])] = [
                ("user:lia", "may_see", "chore", all), ("user:ann", "may_tick", "chore", ["chore:dishes"]),
                ("user:max", "may_redo", "chore:dishes", ["chore:dishes", "chore:list", "chore:stairs"]),
                ("user:passer-by", "read", "chore", ["chore:bell", "chore:notice"]), ("user:root", "sign", "chore", all),
                ("anonymous:anonymous", "read", "chore", ["chore:bell"]),
                ("user:lia", "may_visit", "user", ["user:ann", "user:ben", "user:lia", "user:max", "user:root"]),
                ("user:lia", "read", "store", ["store:store"]), ("role:house", "may_see", "chore", all),
                ("role:none", "may_see", "chore", []),
                ("spaceship:x", "read", "chore", []), ("user:lia", "read", "nothing", []), ("user:lia", "fly", "chore", []),
            ]
            for (subject, action, type, found) in cases {
                let answer = try house.search("resource", request(subject, action, type))
                #expect(answer.results == found, "\(subject) \(action) \(type)")
            }
        }
    }

    @Test("An action search returns the subject's privileges, and each alias if the subject has all its privileges")
    func actions() throws {
        try Household.with { house in
            let cases: [(subject: String, resource: String, found: [String])] = [
                ("user:ann", "chore:dishes", ["may_see", "may_tick", "read", "update"]),
                ("user:lia", "chore:dishes", ["may_see", "read"]),
                ("user:max", "chore:stairs", ["delete", "may_drop", "may_redo", "may_see", "may_tick", "read", "update"]),
                ("user:passer-by", "chore:dishes", []), ("user:ann", "chore:nothing", []), ("spaceship:x", "chore:notice", []),
                ("user:lia", "user:ann", ["may_visit", "read"]),
            ]
            for (subject, resource, found) in cases {
                let answer = try house.search("action", request(subject, nil, resource))
                #expect(answer.results == found, "\(subject) \(resource)")
                #expect(try house.search("action", request(subject, "ignored", resource)).results == found)
            }
        }
    }

    @Test("The page comes before the results, with its count, the total and the revision")
    func shape() throws {
        try Household.with { house in
            let bytes = try AuthZEN(house.store).searchSubjects(Array(request("user", "may_tick", "chore:dishes").utf8))
            let head = try house.head
            #expect(
                String(decoding: bytes, as: UTF8.self)
                    == #"{"page":{"next_token":"","count":3,"total":3},"context":{"revision":\#(head)},"#
                    + #""results":[{"type":"user","id":"ann"},{"type":"user","id":"max"},{"type":"user","id":"root"}]}"#)
        }
    }

    @Test("All pages of a search show the moment of the first page, despite later changes")
    func pages() throws {
        try Household.with { house in
            try house.commit(.register("user:cat"), .grant("user:cat", on: "chore:dishes", ["read"]))
            let all = try house.search("subject", request("user", "may_see", "chore:dishes")).results
            #expect(all.contains("user:cat"))
            for limit in 1...all.count + 1 {
                let first = "\"page\":{\"limit\":\(limit)}"
                var answer = try house.search("subject", request("user", "may_see", "chore:dishes", more: first))
                var found = answer.results
                try house.commit(
                    .register(Name("user:late\(limit)")), .grant(Name("user:late\(limit)"), on: "chore:dishes", ["read"]))
                let revision = answer["context"]?["revision"]
                while let token = answer.nextToken, !token.isEmpty {
                    #expect(answer.results.count == limit)
                    let page =
                        limit % 2 == 0
                        ? "\"page\":{\"token\":\"\(token)\"}" : "\"page\":{\"token\":\"\(token)\",\"limit\":\(limit)}"
                    answer = try house.search("subject", request("user", "may_see", "chore:dishes", more: page))
                    #expect(answer["context"]?["revision"] == revision)
                    found += answer.results
                }
                #expect(found == all, "limit \(limit)")
                try house.commit(.revoke(Name("user:late\(limit)"), on: "chore:dishes"))
            }
        }
    }

    @Test("A grant that expires between two pages still appears on the later page, because all pages use one instant")
    func instants() throws {
        try Household.with { house in
            let ends = { house.clock.now.later(seconds: 60) }
            try house.commit(
                .register("user:yan"), .register("user:zoe"), .grant("user:yan", on: "chore:dishes", ["read"], until: ends()))
            house.clock.advance(seconds: 30)
            try house.commit(.grant("user:zoe", on: "chore:dishes", ["read"], until: ends()))
            // Yan's access has expired and Zoe's has not, but no revision records this yet.
            house.clock.advance(seconds: 40)
            let body = { (page: String) in request("user", "may_see", "chore:dishes", more: "\"page\":{\(page)}") }
            var answer = try house.search("subject", body("\"limit\":2"))
            house.clock.advance(seconds: 120)
            var found = answer.results
            while let token = answer.nextToken, !token.isEmpty {
                answer = try house.search("subject", body("\"token\":\"\(token)\""))
                found += answer.results
            }
            #expect(found == ["ann", "ben", "lia", "max", "root", "zoe"].map { "user:" + $0 })
            #expect(try !house.search("subject", request("user", "may_see", "chore:dishes")).results.contains("user:zoe"))
        }
    }

    @Test("A token with another request, limit or search, or without a page, is answered 400")
    func tokens() throws {
        try Household.with { house in
            let first = try house.search("subject", request("user:ann", "may_see", "chore:dishes", more: "\"page\":{\"limit\":2}"))
            let token = try #require(first.nextToken)
            let page = { (more: String) in "\"page\":{\"token\":\"\(token)\"\(more)}" }
            let wrong: [(String, String)] = [
                ("subject", request("user:ann", "may_tick", "chore:dishes", more: page(""))),
                ("subject", request("user:ann", "may_see", "chore:list", more: page(""))),
                ("subject", request("role", "may_see", "chore:dishes", more: page(""))),
                ("subject", request("user:ann", "may_see", "chore:dishes", context: "{\"muniment_at\":3}", more: page(""))),
                ("subject", request("user:ann", "may_see", "chore:dishes", context: "{\"time\":3}", more: page(""))),
                ("subject", request("user:ann", "may_see", "chore:dishes", more: page(",\"limit\":3"))),
                ("subject", request("user:ann", "may_see", "chore:dishes", more: page(",\"properties\":{\"sort\":1}"))),
                ("resource", request("user:ann", "may_see", "chore:dishes", more: page(""))),
                ("action", request("user:ann", "may_see", "chore:dishes", more: page(""))),
                ("subject", request("user:ann", "may_see", "chore:dishes", more: "\"page\":{\"token\":\"\(token.dropLast())\"}")),
                ("subject", request("user:ann", "may_see", "chore:dishes", more: "\"page\":{\"token\":\"B\(token.dropFirst())\"}")),
                ("subject", request("user:ann", "may_see", "chore:dishes", more: "\"page\":{\"token\":\"hello\"}")),
            ]
            for (kind, body) in wrong {
                let problem = #expect(throws: AuthZENError.self) { try house.search(kind, body) }
                #expect(problem?.status == 400, "\(body)")
            }
            // The order of members does not change the request.
            let turned =
                #"{"page":{"token":"\#(token)"},"resource":{"id":"dishes","type":"chore"},"action":{"name":"may_see"},"subject":{"type":"user","id":"ann"}}"#
            #expect(try house.search("subject", turned).results.count == 2)
            #expect(
                try house.search("subject", request("user:ann", "may_see", "chore:dishes", more: page(",\"limit\":2"))).results
                    .count
                    == 2)
        }
    }

    @Test("The id of the searched entity, the action of an action search and `null` members are ignored, whatever they are")
    func ignored() throws {
        try Household.with { house in
            for id in ["7", "null", "{\"a\":[]}", "\"\"", "\"none\""] {
                let entity = { (type: String) in "{\"type\":\"\(type)\",\"id\":\(id)}" }
                let subjects = request(nil, "may_tick", "chore:dishes", more: "\"page\":null,\"subject\":" + entity("user"))
                let found = try house.search("subject", subjects).results
                #expect(found == ["user:ann", "user:max", "user:root"], "\(id)")
                let page = "\"page\":{\"limit\":null,\"token\":null,\"properties\":null,\"new\":1},\"resource\":"
                let resources = request("user:ann", "may_tick", nil, more: page + entity("chore"))
                #expect(try house.search("resource", resources).results == ["chore:dishes"], "\(id)")
                let actions = request("user:lia", nil, "chore:dishes", more: "\"action\":{\"name\":\(id)}")
                #expect(try house.search("action", actions).results == ["may_see", "read"], "\(id)")
            }
        }
    }

    @Test("A page has at most the service's limit")
    func limits() throws {
        try Household.with { house in
            let many = try house.search(
                "subject", request("user", "may_see", "chore:dishes", more: "\"page\":{\"limit\":99999999999}"))
            #expect(many.results.count == 5)
            try house.commit(.createRole("role:crowd"), .grant("role:crowd", on: "chore:dishes", ["read"]))
            for batch in 0..<3 {
                let names = (0..<400).map { Name("user:c\(batch)-\($0)") }
                try house.store.commit(
                    Transaction("user:root", names.flatMap { [.register($0), .addMember($0, to: "role:crowd")] }))
            }
            let page = try house.search("subject", request("user", "may_see", "chore:dishes"))
            #expect(
                page.results.count == AuthZEN.resultsPerPage && page.nextToken != "" && page["page"]?["total"] == .integer(1205))
        }
    }

    static let badRequests: [(kind: String, body: String)] = [
        ("subject", request("user", nil, "chore:x")), ("subject", request(nil, "read", "chore:x")),
        ("subject", request("user", "read", nil)),
        ("subject", request("user", "read", "chore")), ("subject", request("", "read", "chore:x")),
        ("subject", request("user", "", "chore:x")),
        ("resource", request(nil, "read", "chore")), ("resource", request("user", "read", "chore")),
        ("resource", request("user:a", "read", nil)),
        ("resource", request("user:a", nil, "chore")), ("action", request("user:a", nil, nil)),
        ("action", request("user", nil, "chore:x")),
        ("action", request("user:a", nil, "chore")), ("action", "7"), ("action", ""),
        ("subject", request("user", "read", "chore:x", more: "\"page\":7")),
        ("subject", request("user", "read", "chore:x", more: "\"page\":{\"limit\":0}")),
        ("subject", request("user", "read", "chore:x", more: "\"page\":{\"limit\":2,\"limit\":2}")),
        ("resource", #"{"subject":{"type":"user","id":7},"action":{"name":"read"},"resource":{"type":"chore"}}"#),
        ("subject", request("user", "read", "chore:x", more: "\"page\":{\"limit\":-1}")),
        ("subject", request("user", "read", "chore:x", more: "\"page\":{\"limit\":1.5}")),
        ("subject", request("user", "read", "chore:x", more: "\"page\":{\"limit\":\"1\"}")),
        ("subject", request("user", "read", "chore:x", more: "\"page\":{\"token\":1}")),
        ("subject", request("user", "read", "chore:x", more: "\"page\":{\"properties\":1}")),
        ("subject", request("user", "read", "chore:x", context: "{\"muniment_at\":99999}")),
    ]

    @Test("An invalid search is answered 400", arguments: badRequests.indices)
    func faults(_ index: Int) throws {
        let (kind, body) = Self.badRequests[index]
        try Household.with { house in
            let problem = #expect(throws: AuthZENError.self) { try house.search(kind, body) }
            #expect(problem?.status == 400, "\(kind) \(body)")
        }
    }

    @Test(
        "A caller limited to itself may search its own resources and actions, and subjects of objects where it sets permissions"
    )
    func askers() throws {
        try Household.with { house in
            try house.commit(
                .grant(.everyone, on: "class:chore", ["setPermissions"]), .grant("user:ben", on: "chore:dishes", ["setPermissions"])
            )
            let who = request("user", "may_see", "chore:dishes")
            // Ben may not know who administers the store: `user:root` is left out.
            #expect(try house.search("subject", who, for: .itself("user:ben")).results.count == 4)
            #expect(try house.search("subject", who, for: .itself("user:root")).results.count == 5)
            #expect(try house.search("resource", request("user:ann", "read", "chore"), for: .itself("user:ann")).results.count == 5)
            #expect(
                try house.search("action", request("user:ann", nil, "chore:bell"), for: .itself("user:ann")).results == [
                    "may_see", "read",
                ])
            let refused: [(String, String)] = [
                ("subject", who), ("subject", request("user", "may_see", "chore:nothing")),
                ("resource", request("user:ben", "read", "chore")), ("action", request("user:ben", nil, "chore:bell")),
            ]
            for (kind, body) in refused {
                let problem = #expect(throws: AuthZENError.self) { try house.search(kind, body, for: .itself("user:ann")) }
                #expect(problem?.status == 403)
            }
        }
    }
}

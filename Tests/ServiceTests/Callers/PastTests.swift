import Credentials
import Events
import Foundation
import HTTPServer
import Permissions
import ServiceSupport
import Testing

@Suite("The past over HTTP: current rights decide who may query it")
struct PastTests {
    /// Mal administered the store and could read a secret until revision 3. Vic may read it.
    private func prepare(_ door: any ServiceClient, _ root: String) async throws {
        let steps = [
            #"""
            {"op":"defineClass","class":"doc","properties":["title"]},{"op":"register","principal":"user:mal"},\#
            {"op":"register","principal":"user:vic"},{"op":"createObject","object":"doc:secret","value":{"title":"plan"}},\#
            {"op":"grant","subject":"everyone","object":"store","privileges":["read","query"]},\#
            {"op":"grant","subject":"everyone","object":"class:doc","privileges":["read","query"]},\#
            {"op":"grant","subject":"user:vic","object":"doc:secret","privileges":["read","query"]},\#
            {"op":"grant","subject":"user:mal","object":"doc:secret","privileges":["read","query","setPermissions"]}
            """#,
            #"{"op":"appointAdministrator","principal":"user:mal"}"#,
            #"{"op":"dismissAdministrator","principal":"user:mal"},{"op":"revoke","subject":"user:mal","object":"doc:secret"}"#,
        ]
        for step in steps {
            let answer = try await door.send(
                "POST", "/v1/stores/default/transactions", token: root, json: #"{"as":"user:root","do":[\#(step)]}"#)
            try #require(answer.status == 200, "\(answer.text)")
        }
    }

    @Test("A dismissed administrator learns nothing about others by AuthZEN, for the present or the past")
    func authZEN() async throws {
        try await withService { fixture in
            let door = fixture.direct
            try await prepare(door, try fixture.administrator())
            let mal = try fixture.token(.act(as: "user:mal"))
            let question = #""subject":{"type":"user","id":"vic"},"action":{"name":"read"},"resource":{"type":"doc","id":"secret"}"#
            for path in ["evaluation", "search/subject", "search/resource", "search/action"] {
                for context in ["", #","context":{"muniment_at":2}"#] {
                    let answer = try await door.send("POST", "/access/v1/" + path, token: mal, json: "{\(question)\(context)}")
                    #expect(answer.status == 403, "\(path)\(context): \(answer.text)")
                }
            }
            let batch = try await door.send(
                "POST", "/access/v1/evaluations", token: mal, json: #"{"evaluations":[{\#(question),"context":{"muniment_at":2}}]}"#
            )
            #expect(batch.text.contains(#""decision":false"#) && batch.text.contains(#""status":403"#), "\(batch.text)")
            let own = question.replacing("vic", with: "mal")
            let answer = try await door.send(
                "POST", "/access/v1/evaluation", token: mal, json: #"{\#(own),"context":{"muniment_at":2}}"#)
            #expect(try answer.json["decision"] == .bool(true))
        }
    }

    @Test("A query of the past does not restore revoked access, and callers who still have access see the past value")
    func values() async throws {
        try await withService { fixture in
            let door = fixture.direct
            try await prepare(door, try fixture.administrator())
            let (mal, vic) = (try fixture.token(.act(as: "user:mal")), try fixture.token(.act(as: "user:vic")))
            for (token, status) in [(mal, 403), (vic, 200)] {
                for query in ["", "?at=2"] {
                    let answer = try await door.send("GET", "/v1/stores/default/objects/doc:secret" + query, token: token)
                    #expect(answer.status == status, "\(answer.text)")
                }
                for at in ["", #","at":2"#] {
                    let answer = try await door.send(
                        "POST", "/v1/stores/default/query", token: token, json: #"{"class":"doc"\#(at)}"#)
                    #expect(answer.text.contains("doc:secret") == (status == 200), "\(answer.text)")
                }
            }
        }
    }

    @Test("The right to set permissions on a user's object does not reveal what that user may access")
    func whatOthersHave() async throws {
        try await withService { fixture in
            let (door, root) = (fixture.direct, try fixture.administrator())
            try await prepare(door, root)
            let grant = #"""
                {"as":"user:root","do":[{"op":"changeClass","class":"user","objectACL":"required"},\#
                {"op":"grant","subject":"user:mal","object":"store","privileges":["setPermissions"]},\#
                {"op":"grant","subject":"user:mal","object":"class:user","privileges":["setPermissions"]},\#
                {"op":"grant","subject":"user:mal","object":"user:vic","privileges":["setPermissions"]}]}
                """#
            #expect(try await door.send("POST", "/v1/stores/default/transactions", token: root, json: grant).status == 200)
            let mal = try fixture.token(.act(as: "user:mal"))
            for target in ["diff?name=user:vic&from=0", "diff?name=user:root&from=0", "history?name=user:vic"] {
                #expect(try await door.send("GET", "/v1/stores/default/" + target, token: mal).status == 403, "\(target)")
            }
            #expect(try await door.send("GET", "/v1/stores/default/diff?name=user:mal&from=0", token: mal).status == 200)
        }
    }
}

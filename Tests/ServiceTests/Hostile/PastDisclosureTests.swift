import Credentials
import Events
import Foundation
import HTTPServer
import Permissions
import ServiceSupport
import Testing

@Suite("Hostile: a tenant who queries the past")
struct PastDisclosureTests {
    /// A locked store, called over a socket. Ann, Bob and Mal may use its objects of the class `doc`.
    private struct Site {
        let curl: Curl
        let root: String
        let mal: String

        init(_ fixture: ServiceFixture) async throws {
            curl = try fixture.live()
            root = try fixture.administrator()
            mal = try fixture.token(.act(as: "user:mal"))
            try await commit(
                "user:root", #"{"op":"defineClass","class":"doc","properties":["title"]}"#,
                #"{"op":"register","principal":"user:ann"}"#, #"{"op":"register","principal":"user:bob"}"#,
                #"{"op":"register","principal":"user:mal"}"#,
                #"{"op":"grant","subject":"everyone","object":"store","privileges":["read","query","create","update","delete","setPermissions"]}"#,
                #"{"op":"grant","subject":"everyone","object":"class:doc","privileges":["read","query","create","update","delete","setPermissions"]}"#
            )
        }

        func commit(_ caller: String, _ changes: String...) async throws {
            let json = #"{"as":"\#(caller)","comment":"hush","do":[\#(changes.joined(separator: ","))]}"#
            let answer = try await curl.send("POST", "/v1/stores/default/transactions", token: root, json: json)
            try #require(answer.status == 200, "\(answer.text)")
        }

        /// Returns Mal's response, with the status.
        func told(_ method: String, _ target: String, _ json: String? = nil) async throws -> (status: Int, text: String) {
            let answer = try await curl.send(method, "/v1/stores/default" + target, token: mal, json: json)
            return (answer.status, answer.text)
        }
    }

    @Test("E15 the history of a name shows no event about another object, from any commit")
    func otherObjects() async throws {
        try await withService { fixture in
            let site = try await Site(fixture)
            let grant = #"{"op":"grant","subject":"role:team","object":"doc:mine","privileges":["read"]}"#
            try await site.commit(
                "user:root", #"{"op":"createRole","role":"team"}"#,
                #"{"op":"createObject","object":"doc:mine","owner":"user:mal"}"#,
                #"{"op":"grant","subject":"user:mal","object":"doc:mine","privileges":["read","update","setPermissions"]}"#, grant,
                #"{"op":"createObject","object":"doc:top","value":"mine"}"#,
                #"{"op":"createObject","object":"doc:below","parent":"doc:top","owner":"user:mal"}"#)
            // The deletion of a role and of a parent affects objects that Mal may know, but does not name them.
            try await site.commit(
                "user:root", #"{"op":"deleteRole","role":"team"}"#,
                #"{"op":"createObject","object":"doc:merger","value":{"title":"buyout"}}"#,
                #"{"op":"createObject","object":"doc:echo","value":"doc:mine"}"#)
            try await site.commit(
                "user:root", #"{"op":"deleteObject","object":"doc:top"}"#,
                #"{"op":"createObject","object":"doc:layoffs","value":{"title":"spring"}}"#)
            for name in ["doc:mine", "user:mal"] {
                let (status, text) = try await site.told("GET", "/history?name=" + name)
                #expect(status == 200 && text.contains("doc:mine"), "\(text)")
                for secret in ["buyout", "merger", "spring", "layoffs", "echo", "hush"] {
                    #expect(!text.contains(secret), "\(name): \(text)")
                }
            }
        }
    }

    @Test("E15 a caller with setPermissions but without read sees no value, neither a later nor an earlier one")
    func valuesWithoutRead() async throws {
        try await withService { fixture in
            let site = try await Site(fixture)
            try await site.commit(
                "user:ann", #"{"op":"createObject","object":"doc:plan","value":{"title":"first"}}"#,
                #"{"op":"grant","subject":"user:mal","object":"doc:plan","privileges":["update"]}"#)
            try await site.commit(
                "user:root", #"{"op":"grant","subject":"user:mal","object":"doc:plan","privileges":["setPermissions"]}"#)
            try await site.commit("user:root", #"{"op":"writeObject","object":"doc:plan","value":{"title":"second"}}"#)
            let before = try await site.told("GET", "/history?name=doc:plan")
            #expect(before.status == 200 && before.text.contains("ObjectWritten"), "\(before.text)")
            for secret in ["first", "second"] { #expect(!before.text.contains(secret), "\(before.text)") }
            try await site.commit(
                "user:root", #"{"op":"grant","subject":"user:mal","object":"doc:plan","privileges":["read"]}"#)
            try await site.commit("user:root", #"{"op":"writeObject","object":"doc:plan","value":{"title":"third"}}"#)
            let after = try await site.told("GET", "/history?name=doc:plan")
            for secret in ["first", "second"] { #expect(!after.text.contains(secret), "\(after.text)") }
            #expect(after.text.contains("third"), "\(after.text)")
            try await site.commit(
                "user:root", #"{"op":"revoke","subject":"user:mal","object":"doc:plan","privileges":["read"]}"#)
            #expect(try await !site.told("GET", "/history?name=doc:plan").text.contains("third"))
        }
    }

    @Test("E15 a value that the same commit replaced is shown only to its own caller")
    func replacedValue() async throws {
        try await withService { fixture in
            let site = try await Site(fixture)
            let grant = #"{"op":"grant","subject":"user:mal","object":"doc:plan","privileges":["read","update","setPermissions"]}"#
            try await site.commit(
                "user:ann", #"{"op":"createObject","object":"doc:plan","value":{"title":"first"}}"#,
                #"{"op":"writeObject","object":"doc:plan","value":{"title":"second"}}"#,
                #"{"op":"writeObject","object":"doc:plan","value":{"title":"third"}}"#, grant)
            let (status, text) = try await site.told("GET", "/history?name=doc:plan")
            #expect(status == 200 && text.contains("third"), "\(text)")
            for secret in ["first", "second"] { #expect(!text.contains(secret), "\(text)") }
            let written = ["fourth", "fifth"].map { #"{"op":"writeObject","object":"doc:plan","value":{"title":"\#($0)"}}"# }
            try await site.commit("user:mal", written[0], written[1])
            let own = try await site.told("GET", "/history?name=doc:plan").text
            #expect(own.contains("fourth") && own.contains("fifth"), "\(own)")
        }
    }

    @Test("E15 the past of a name begins at its last creation, on every route", arguments: [false, true])
    func recreatedName(isOneCommit: Bool) async throws {
        try await withService { fixture in
            let site = try await Site(fixture)
            try await site.commit(
                "user:root", #"{"op":"createRole","role":"insiders"}"#,
                #"{"op":"addMember","role":"insiders","member":"user:bob"}"#,
                #"{"op":"createObject","object":"doc:salary","owner":"user:ann","value":{"title":"million"}}"#,
                #"{"op":"grant","subject":"role:insiders","object":"doc:salary","privileges":["read"]}"#,
                #"{"op":"grant","subject":"user:ann","object":"doc:salary","privileges":["read","setPermissions"]}"#)
            let deletion = #"{"op":"deleteObject","object":"doc:salary"}"#
            let creation = #"{"op":"createObject","object":"doc:salary","owner":"user:mal","value":{"title":"mine"}}"#
            let grant =
                #"{"op":"grant","subject":"user:mal","object":"doc:salary","privileges":["read","query","update","setPermissions"]}"#
            if isOneCommit {
                try await site.commit("user:root", deletion, creation, grant)
            } else {
                try await site.commit("user:root", deletion)
                try await site.commit("user:root", creation, grant)
            }
            let head = try #require(try await site.curl.send("GET", "/v1/stores/default", token: site.root).json["revision"])
            let asked = #""object":"doc:salary","privilege":"read""#
            var requests: [(String, String, String?)] = [
                ("GET", "/history?name=doc:salary", nil), ("GET", "/diff?name=doc:salary&from=0", nil),
                ("GET", "/audit/access?object=doc:salary&privileges=read", nil),
                ("GET", "/audit/changes?subject=user:bob&object=doc:salary&privileges=read", nil),
                ("GET", "/audit/changes?subject=user:ann&object=doc:salary&privileges=read", nil),
                ("GET", "/history?name=user:mal", nil),
            ]
            for revision in 0..<12 {
                requests += [
                    ("GET", "/objects/doc:salary?at=\(revision)", nil), ("GET", "/objects/doc:salary/entries?at=\(revision)", nil),
                    ("POST", "/who", "{\(asked),\"at\":\(revision)}"),
                    ("POST", "/query", #"{"class":"doc","where":{"title":"million"},"at":\#(revision)}"#),
                    ("POST", "/explain", "{\"subject\":\"user:bob\",\(asked),\"at\":\(revision)}"),
                    ("POST", "/explain", "{\"subject\":\"user:mal\",\(asked),\"at\":\(revision)}"),
                    ("GET", "/diff?name=doc:salary&from=\(revision)", nil),
                    ("GET", "/audit/access?object=doc:salary&privileges=read&from=\(revision)", nil),
                    ("GET", "/audit/changes?subject=user:bob&object=doc:salary&privileges=read&from=\(revision)", nil),
                ]
            }
            var told = 0
            for (method, target, json) in requests {
                let (status, text) = try await site.told(method, target, json)
                #expect([200, 400, 403, 404].contains(status), "\(target): \(text)")
                if status == 200 { told += 1 }
                for secret in ["million", "user:ann", "insiders"] where !(target + (json ?? "")).contains(secret) {
                    #expect(!text.contains(secret), "\(target) \(json ?? ""): \(text)")
                }
                // Bob's name is in the request, but must not be in any returned fact.
                #expect(!text.contains(#""after":["read"],"before":["#) || !text.contains("user:bob"), "\(target): \(text)")
                if target.hasPrefix("/audit/changes") { #expect(!text.contains(#""gained":"#), "\(target): \(text)") }
                if target == "/query" { #expect(!text.contains("doc:salary"), "\(json ?? ""): \(text)") }
            }
            #expect(told > 30, "\(head)")
            let search =
                #"{"subject":{"type":"user"},"resource":{"type":"doc","id":"salary"},"action":{"name":"read"},"context":{"muniment_at":3}}"#
            let found = try await site.curl.send("POST", "/access/v1/search/subject", token: site.mal, json: search)
            #expect(found.status == 200 && !found.text.contains("bob"), "\(found.text)")
            // An auditor sees all of it.
            let auditor = try fixture.token(.ask)
            let all = try await site.curl.send("GET", "/v1/stores/default/history?name=doc:salary", token: auditor)
            #expect(all.text.contains("million") && all.text.contains("insiders"), "\(all.text)")
        }
    }

    @Test("E15 a denied check of the past reveals nothing about an earlier object, but reports the caller's own access")
    func earlierObjectsInReasons() async throws {
        try await withService { fixture in
            let site = try await Site(fixture)
            let creation = #"{"op":"createObject","object":"doc:rec","owner":"user:ann"}"#
            try await site.commit("user:root", creation)
            let first = try #require(try await site.curl.send("GET", "/v1/stores/default", token: site.root).json["revision"])
            let own = #"{"op":"grant","subject":"user:mal","object":"doc:rec","privileges":["read"]}"#
            try await site.commit("user:root", own)
            try await site.commit("user:root", #"{"op":"deleteObject","object":"doc:rec"}"#)
            func answers(_ object: String, at revision: String) async throws -> [String] {
                let asked = #"{"subject":"user:mal","privilege":"read","object":"\#(object)","at":\#(revision)}"#
                let evaluation = """
                    {"subject":{"type":"user","id":"mal"},"action":{"name":"read"},\
                    "resource":{"type":"doc","id":"\(object.dropFirst(4))"},"context":{"muniment_at":\(revision),"reason":true}}
                    """
                var texts: [String] = []
                for target in ["/check", "/explain"] { texts.append(try await site.told("POST", target, asked).text) }
                texts.append(
                    try await site.curl.send("POST", "/access/v1/evaluation", token: site.mal, json: evaluation).text)
                return texts.map { $0.replacing(object, with: "NAME") }
            }
            let at = try JSONText.encode(first)
            let revision = String(decoding: at, as: UTF8.self)
            for isThereAgain in [false, true] {
                if isThereAgain { try await site.commit("user:mal", #"{"op":"createObject","object":"doc:rec"}"#) }
                #expect(try await answers("doc:rec", at: revision) == answers("doc:never", at: revision))
                // In the next revision Mal had a direct entry.
                let next = String((UInt64(revision) ?? 0) + 1)
                let allowed = try await answers("doc:rec", at: next)
                #expect(allowed.dropLast().allSatisfy { $0.contains(#""allowed":true"#) }, "\(allowed)")
                #expect(allowed.last?.contains(#""decision":true"#) == true, "\(allowed)")
            }
        }
    }

    @Test("E15 an explanation names no nested role, actor or membership time to callers who may not know the role")
    func nestedRoles() async throws {
        try await withService { fixture in
            let site = try await Site(fixture)
            try await site.commit(
                "user:root", #"{"op":"createRole","role":"outer"}"#, #"{"op":"createRole","role":"inner"}"#,
                #"{"op":"addMember","role":"outer","member":"role:inner"}"#,
                #"{"op":"addMember","role":"inner","member":"user:bob"}"#,
                #"{"op":"createObject","object":"doc:mine","owner":"user:mal"}"#,
                #"{"op":"grant","subject":"user:mal","object":"doc:mine","privileges":["read","setPermissions"]}"#,
                #"{"op":"grant","subject":"role:outer","object":"doc:mine","privileges":["read"]}"#)
            let asked = #"{"subject":"user:bob","privilege":"read","object":"doc:mine"}"#
            let told = try await site.told("POST", "/explain", asked)
            #expect(told.status == 200 && told.text.contains(#""allowed":true"#), "\(told.text)")
            #expect(told.text.contains("role:outer") && !told.text.contains("role:inner"), "\(told.text)")
            #expect(!told.text.contains("MemberAdded") && told.text.contains(#""complete":false"#), "\(told.text)")
            let auditor = try await site.curl.send(
                "POST", "/v1/stores/default/explain", token: try fixture.token(.ask), json: asked)
            #expect(auditor.text.contains("role:inner") && auditor.text.contains("MemberAdded"), "\(auditor.text)")
        }
    }

    @Test("E15 proposals name no role with entries on a parent or a class, unless the caller may read the role or the entries")
    func proposedRoles() async throws {
        try await withService { fixture in
            let site = try await Site(fixture)
            try await site.commit(
                "user:root", #"{"op":"defineClass","class":"vlt","inherits":true}"#, #"{"op":"createObject","object":"vlt:board"}"#,
                #"{"op":"createObject","object":"vlt:mine","parent":"vlt:board","owner":"user:mal"}"#,
                #"{"op":"grant","subject":"user:mal","object":"vlt:mine","privileges":["read","setPermissions"]}"#)
            for (role, object) in [("hidden", "vlt:board"), ("listed", "vlt:mine")] {
                try await site.commit(
                    "user:root", #"{"op":"createRole","role":"role:\#(role)"}"#,
                    #"{"op":"grant","subject":"role:\#(role)","object":"\#(object)","privileges":["read"]}"#)
            }
            for object in ["store", "class:vlt"] {
                try await site.commit(
                    "user:root",
                    #"{"op":"grant","subject":"everyone","object":"\#(object)","privileges":["read","setPermissions"]}"#)
            }
            try await site.commit("user:root", #"{"op":"register","principal":"user:dan"}"#)
            let asked = #"{"subject":"user:dan","privilege":"read","object":"vlt:mine"}"#
            func answer(_ token: String) async throws -> String {
                try await site.curl.send("POST", "/v1/stores/default/explain", token: token, json: asked).text
            }
            let (told, all) = (try await answer(site.mal), try await answer(try fixture.token(.ask)))
            #expect(all.contains("role:hidden") && all.contains("role:listed"), "\(all)")
            #expect(!told.contains("role:hidden") && told.contains("role:listed"), "\(told)")
        }
    }

    @Test("E15 no response about an object reveals the other administrators of the store")
    func administrators() async throws {
        try await withService { fixture in
            let site = try await Site(fixture)
            try await site.commit(
                "user:root", #"{"op":"createObject","object":"doc:mine","owner":"user:mal"}"#,
                #"{"op":"grant","subject":"user:mal","object":"doc:mine","privileges":["read","setPermissions"]}"#)
            try await site.commit("user:root", #"{"op":"appointAdministrator","principal":"user:bob"}"#)
            let search = #"{"subject":{"type":"user"},"resource":{"type":"doc","id":"mine"},"action":{"name":"read"}}"#
            let auditor = try fixture.token(.ask)
            func texts(_ token: String) async throws -> [String] {
                var texts: [String] = []
                for name in ["bob", "root"] {
                    let asked = #"{"subject":"user:\#(name)","privilege":"read","object":"doc:mine","proposals":false}"#
                    texts.append(try await site.curl.send("POST", "/v1/stores/default/explain", token: token, json: asked).text)
                    let entry = "/v1/stores/default/audit/changes?object=doc:mine&privileges=read&subject=user:" + name
                    texts.append(try await site.curl.send("GET", entry, token: token).text)
                }
                for target in ["audit/access?object=doc:mine&privileges=read", "diff?name=doc:mine&from=0"] {
                    texts.append(try await site.curl.send("GET", "/v1/stores/default/" + target, token: token).text)
                }
                texts.append(try await site.curl.send("POST", "/access/v1/search/subject", token: token, json: search).text)
                return texts
            }
            let (told, all) = (try await texts(site.mal), try await texts(auditor))
            for text in told.prefix(4) {
                #expect(text.contains(#""allowed":false"#) || text.contains(#""transitions":[]"#), "\(text)")
            }
            for text in told.suffix(3) { #expect(text.contains("mal") && !text.contains("bob"), "\(text)") }
            for text in all.suffix(3) { #expect(text.contains("bob"), "\(text)") }
            // An administrator sees its own status.
            let bob = try fixture.token(.act(as: "user:bob"))
            #expect(try await site.curl.send("POST", "/access/v1/search/subject", token: bob, json: search).text.contains("root"))
        }
    }
}

import Credentials
import Events
import HTTPServer
import ServiceSupport
import Testing

@Suite("Rights: a request beyond a token's right is refused and reveals nothing about existing entities")
struct RightTests {
    /// A request, and its statuses for two callers: Bob's own token, and a token with `ask`.
    static let requests: [(method: String, path: String, body: String?, bob: Int, asker: Int)] = [
        ("POST", "/check", #"{"subject":"user:bob","privilege":"read","object":"doc:plan"}"#, 200, 200),
        ("POST", "/check", #"{"subject":"user:ann","privilege":"read","object":"doc:plan"}"#, 403, 200),
        ("POST", "/privileges", #"{"subject":"user:ann","object":"doc:plan"}"#, 403, 200),
        ("POST", "/who", #"{"object":"doc:plan","privilege":"read"}"#, 403, 200),
        ("POST", "/what", #"{"subject":"user:ann","privilege":"read"}"#, 403, 200),
        ("POST", "/what", #"{"subject":"user:bob","privilege":"read"}"#, 200, 200),
        ("POST", "/explain", #"{"subject":"user:ann","privilege":"read","object":"doc:plan"}"#, 403, 200),
        (
            "POST", "/explanations",
            #"{"questions":[{"subject":"user:bob","privilege":"read","object":"doc:plan"}]}"#, 200, 200
        ),
        (
            "POST", "/explanations",
            #"{"questions":[{"subject":"user:bob","privilege":"read","object":"doc:plan"},"#
                + #"{"subject":"user:ann","privilege":"read","object":"doc:plan"}]}"#, 403, 200
        ),
        ("POST", "/query", #"{"class":"doc","as":"user:ann"}"#, 403, 200),
        ("POST", "/query", #"{"class":"doc"}"#, 200, 400),
        ("POST", "/what-if", #"{"transactions":[{"as":"user:bob","do":[{"op":"register","principal":"user:x"}]}]}"#, 403, 200),
        ("POST", "/transactions", #"{"as":"user:ann","do":[{"op":"register","principal":"user:x"}]}"#, 403, 403),
        (
            "POST", "/transactions", #"{"do":[{"op":"grant","subject":"user:bob","object":"doc:plan","privileges":["read"]}]}"#,
            403, 403
        ),
        ("GET", "/objects/doc%3Aplan/entries", nil, 403, 200), ("GET", "/roles/editors/members", nil, 403, 200),
        ("GET", "/administrators", nil, 403, 200), ("GET", "/history?name=doc:plan", nil, 403, 200),
        ("GET", "/history?name=user:bob", nil, 200, 200), ("GET", "/history?name=user:ann", nil, 403, 200),
        ("GET", "/diff?name=doc:plan&from=0", nil, 403, 200), ("GET", "/diff?name=user:bob&from=0", nil, 200, 200),
        ("GET", "/audit", nil, 403, 200), ("GET", "/audit/access?privileges=read&object=doc:plan", nil, 403, 200),
        ("GET", "/audit/subject?subject=user:ann", nil, 403, 200), ("GET", "/audit/subject?subject=user:bob", nil, 200, 200),
        ("GET", "/audit/changes?subject=user:bob&privileges=read&object=doc:plan", nil, 200, 200),
        ("GET", "/export", nil, 403, 200), ("GET", "/verify", nil, 403, 200), ("GET", "", nil, 403, 200),
    ]

    @Test("Each request is admitted only for callers with the right", arguments: requests)
    func table(method: String, path: String, body: String?, bob: Int, asker: Int) async throws {
        try await withFirm(isLive: false) { firm in
            let own = try firm.act(as: "user:bob")
            let asking = try firm.service.token(.ask)
            #expect(try await firm.send(method, path, token: own, json: body).status == bob, "as Bob")
            #expect(try await firm.send(method, path, token: asking, json: body).status == asker, "asking")
        }
    }

    @Test(
        "A caller with setPermissions on an object may query it, and an acting administrator may query all subjects",
        arguments: [false, true])
    func more(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let (ann, root) = (try firm.act(as: "user:ann"), try firm.act(as: "user:root"))
            for path in ["/objects/doc%3Aplan/entries", "/history?name=doc:plan", "/audit/access?privileges=read&object=doc:plan"] {
                #expect(try await firm.send("GET", path, token: ann).status == 200, "\(path)")
            }
            for path in ["/objects/doc%3Anote/entries", "/history?name=doc:note", "/audit"] {
                #expect(try await firm.send("GET", path, token: ann).status == 403, "\(path)")
            }
            for path in ["/audit", "/export", "/history?name=user:ann", "/objects/doc%3Anote/entries", "/administrators"] {
                #expect(try await firm.send("GET", path, token: root).status == 200, "\(path)")
            }
        }
    }

    @Test("A token of another store is answered 403 for existing and missing stores", arguments: [false, true])
    func otherStores(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            let elsewhere = try firm.service.token(.administer, .named(["elsewhere"]))
            var answers: Set<String> = []
            for store in ["default", "nowhere"] {
                for request in Self.requests {
                    let answer = try await firm.door.send(
                        request.method, "/v1/stores/\(store)\(request.path)", token: elsewhere, json: request.body)
                    #expect(answer.status == 403)
                    answers.insert(answer.text)
                }
                if isLive { break }
            }
            #expect(answers.count == 1)
        }
    }
}

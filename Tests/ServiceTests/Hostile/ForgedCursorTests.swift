import Credentials
import Events
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: page cursors that the service did not make for the caller")
struct ForgedCursorTests {
    private static let store = "/v1/stores/default"

    /// Makes a store in which Ann and Bob may read ten objects, and Ann's tokens.
    private func prepare(_ fixture: ServiceFixture) async throws {
        var changes = [
            #"{"op":"defineClass","class":"doc"}"#, #"{"op":"register","principal":"user:ann"}"#,
            #"{"op":"grant","subject":"everyone","object":"store","privileges":["read","query"]}"#,
            #"{"op":"grant","subject":"everyone","object":"class:doc","privileges":["read","query"]}"#,
        ]
        for number in 0..<10 {
            changes.append(#"{"op":"createObject","object":"doc:\#(number)"}"#)
            changes.append(#"{"op":"grant","subject":"user:ann","object":"doc:\#(number)","privileges":["read","query"]}"#)
        }
        let body = #"{"as":"user:root","do":[\#(changes.joined(separator: ","))]}"#
        let made = try await fixture.direct.send(
            "POST", Self.store + "/transactions", token: try fixture.administrator(), json: body)
        #expect(made.status == 200, "\(made.text)")
    }

    /// The pages of several routes, and a request for a page after a cursor.
    private static let pages: [(method: String, path: String, body: String)] = [
        ("POST", store + "/query", #""class":"doc","as":"user:ann","limit":2"#),
        ("POST", store + "/what", #""subject":"user:ann","privilege":"read","limit":2"#),
        ("POST", "/access/v1/search/resource", ""),
    ]

    private func send(
        _ page: (method: String, path: String, body: String), _ cursor: String?, _ token: String, _ service: InProcessClient
    ) async throws -> ServiceSupport.Answer {
        var body = "{" + page.body + (cursor.map { #","cursor":"\#($0)""# } ?? "") + "}"
        if page.path.hasPrefix("/access") {
            let next = cursor.map { #","token":"\#($0)""# } ?? ""
            body = #"""
                {"subject":{"type":"user","id":"ann"},"action":{"name":"read"},"resource":{"type":"doc"},"page":{"limit":2\#(next)}}
                """#
        }
        return try await service.send(page.method, page.path, token: token, json: body)
    }

    private func next(_ answer: ServiceSupport.Answer) throws -> String {
        let json = try answer.json
        guard case .string(let text)? = json["next"] ?? json["page"]?["next_token"] else {
            Issue.record("no cursor: \(answer.text)")
            return ""
        }
        return text
    }

    @Test("A cursor works for its caller, also with a new token and after a restart, and for no other caller")
    func callers() async throws {
        try await withService { fixture in
            try await prepare(fixture)
            let ann = try fixture.token(.act(as: "user:ann"))
            let others = [try fixture.token(.ask), try fixture.token(.administer)]
            var cursors: [String] = []
            for page in Self.pages {
                let cursor = try next(try await send(page, nil, ann, fixture.direct))
                cursors.append(cursor)
                let again = try fixture.token(.act(as: "user:ann"))
                #expect(try await send(page, cursor, again, fixture.direct).status == 200)
                for other in others {
                    let answer = try await send(page, cursor, other, fixture.direct)
                    #expect(answer.status == 400 && answer.text.contains("as the same caller"), "\(page.path): \(answer.text)")
                    let own = try next(try await send(page, nil, other, fixture.direct))
                    #expect(try await send(page, own, other, fixture.direct).status == 200)
                    #expect(try await send(page, own, ann, fixture.direct).status == 400)
                }
            }
            let tokens = TokenRegistry(dataDirectory: fixture.directory)
            let folder = fixture.directory + "/.muniment"
            let seal = CursorSeal(try CursorKey(in: folder, sharedTokens: nil), ["as user:ann", "query", "default"])
            #expect(seal.position(cursors[0]) != nil, "the key is the one in the data directory, also after a restart")
            // Nodes of a shared log have the same tokens, and another folder.
            let (first, second) = (try ScratchFolder(), try ScratchFolder())
            let nodes = try [first, second].map { CursorSeal(try CursorKey(in: $0.path, sharedTokens: tokens), ["a"]) }
            #expect(nodes[1].position(nodes[0].cursor("7")) == "7")
            let alone = try [first, second].map { CursorSeal(try CursorKey(in: $0.path, sharedTokens: nil), ["a"]) }
            #expect(alone[1].position(alone[0].cursor("7")) == nil)
            #expect(alone[0].position(CursorSeal(try CursorKey(in: first.path, sharedTokens: nil), ["b"]).cursor("7")) == nil)
        }
    }

    @Test("A cursor that a caller computes is refused with 400, although its checksum is right")
    func forged() async throws {
        try await withService { fixture in
            try await prepare(fixture)
            let ann = try fixture.token(.act(as: "user:ann"))
            for page in Self.pages {
                let cursor = try next(try await send(page, nil, ann, fixture.direct))
                let position = String(cursor.dropFirst(22))
                let further = PageToken(position).map {
                    PageToken(revision: $0.revision, instant: $0.instant, limit: $0.limit, offset: 1, digest: $0.digest).text
                }
                let forged = [
                    position, further, further.map { String(cursor.prefix(22)) + $0 }, String(repeating: "A", count: 22) + position,
                ]
                for text in forged.compactMap({ $0 }) {
                    let answer = try await send(page, text, ann, fixture.direct)
                    #expect(answer.status == 400 && answer.text.contains("invalid `"), "\(page.path): \(answer.text)")
                }
            }
            for (path, text) in [("history?name=user:ann", "1-3"), ("notices?subject=user:ann", "1-3"), ("audit", "1")] {
                let answer = try await fixture.direct.send(
                    "GET", "\(Self.store)/\(path)\(path.contains("?") ? "&" : "?")cursor=\(text)", token: try fixture.token(.ask))
                #expect(answer.status == 400, "\(path): \(answer.text)")
            }
        }
    }
}

import Events
import Foundation
import HTTPServer
import Muniment
import Permissions
import ServiceSupport
import Testing

@Suite("The service: direct calls and calls over a socket")
struct CheckRouteTests {
    /// Makes a store with a document that Ann may read.
    private func prepare(_ door: any ServiceClient, _ token: String) async throws {
        let changes = """
            {"as":"user:root","do":[{"op":"defineClass","class":"doc"},{"op":"register","principal":"user:ann"},\
            {"op":"createObject","object":"doc:1"},{"op":"grant","subject":"everyone","object":"store","privileges":["read"]},\
            {"op":"grant","subject":"everyone","object":"class:doc","privileges":["read"]},\
            {"op":"grant","subject":"user:ann","object":"doc:1","privileges":["read"]}]}
            """
        let answer = try await door.send("POST", "/v1/stores/default/transactions", token: token, json: changes)
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("A grant made over HTTP allows the check over HTTP", arguments: [false, true])
    func grantAndCheck(isLive: Bool) async throws {
        try await withService { fixture in
            let door: any ServiceClient = isLive ? try fixture.live() : fixture.direct
            let token = try fixture.administrator()
            try await prepare(door, token)
            for (subject, isAllowed) in [("user:ann", true), ("user:bob", false)] {
                let answer = try await door.send(
                    "POST", "/v1/stores/default/check", token: token,
                    json: #"{"subject":"\#(subject)","privilege":"read","object":"doc:1"}"#)
                #expect(answer.status == 200)
                #expect(try answer.json["allowed"] == .bool(isAllowed))
            }
        }
    }

    @Test("A request without a token is rejected and reveals nothing about existing entities", arguments: [false, true])
    func noToken(isLive: Bool) async throws {
        try await withService { fixture in
            let door: any ServiceClient = isLive ? try fixture.live() : fixture.direct
            var bodies: Set<String> = []
            for store in ["default", "nowhere"] {
                for token in [nil, "muni_wrong", "muni_" + String(repeating: "A", count: 43)] {
                    let answer = try await door.send("POST", "/v1/stores/\(store)/check", token: token, json: "{}")
                    #expect(answer.status == 401)
                    #expect(answer.header("WWW-Authenticate") != nil)
                    bodies.insert(answer.text)
                }
            }
            #expect(bodies.count == 1)
        }
    }
}

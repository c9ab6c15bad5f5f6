import Credentials
import Events
import IssuerSupport
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: an administrator's token that writes in the names of others")
struct CredentialRecordTests {
    private static let transactions = "/v1/stores/default/transactions"

    @Test("history, log and audit distinguish a user's own commit from one in the user's name, for tokens and JWTs")
    func recorded() async throws {
        let issuer = try TestIssuer()
        defer { issuer.stop() }
        try issuer.serve(keys: [(try TestKeys.p256.get(), ["kid": "k1"])])
        let believed = try issuer.settings
        try await withListeners {
            $0.callers.issuer = believed
        } _: { fixture in
            let curl = try fixture.live()
            let (root, own) = (try fixture.administrator(), try fixture.token(.act(as: "user:ann")))
            let ids = try TokenRegistry(dataDirectory: fixture.directory).list().map(\.id)
            func write(_ object: String, token: String, as name: String? = nil) async throws {
                let caller = name.map { #""as":"\#($0)","# } ?? ""
                let body = #"{\#(caller)"do":[{"op":"createObject","object":"\#(object)"}]}"#
                let answer = try await curl.send("POST", Self.transactions, token: token, json: body)
                #expect(answer.status == 200, "\(answer.text)")
            }
            let world = """
                {"as":"user:root","do":[{"op":"defineClass","class":"doc","creatorPrivileges":["read","setPermissions"]},\
                {"op":"grant","subject":"everyone","object":"store","privileges":["create","read","update","setPermissions"]},\
                {"op":"grant","subject":"everyone","object":"class:doc","privileges":["create","read","update","setPermissions"]}]}
                """
            #expect(try await curl.send("POST", Self.transactions, token: root, json: world).status == 200)
            try await write("doc:forged", token: root, as: "user:ann")
            try await write("doc:own", token: own)
            try await write("doc:jwt", token: try TestJWT.make())
            let expected = ["doc:forged": "token \(ids[0])", "doc:own": "token \(ids[1])", "doc:jwt": "jwt \(TestJWT.issuer) ann"]
            for (object, credential) in expected {
                for token in [root, own] {
                    let answer = try await curl.send("GET", "/v1/stores/default/history?name=\(object)", token: token)
                    #expect(answer.text.contains(#""credential":"\#(credential)""#), "\(object): \(answer.text)")
                    #expect(answer.text.contains(#""actor":"user:ann""#), "\(object): \(answer.text)")
                }
            }
            let log = try await curl.send("GET", "/v1/stores/default/export", token: root)
            #expect(!log.text.contains("credential"), "histories have no such member: \(log.text)")
            let audit = try await curl.send("GET", "/v1/stores/default/audit?actor=user:ann", token: root)
            for credential in expected.values {
                #expect(audit.text.contains(#""credential":"\#(credential)""#), "\(credential): \(audit.text)")
            }
            // A request cannot set the credential that is recorded for it.
            let forged = #"{"do":[{"op":"register","principal":"user:x"}],"credential":"token t9"}"#
            #expect(try await curl.send("POST", Self.transactions, token: own, json: forged).status == 400)
        }
    }

    @Test("A refused command also records the credential, and a commit of a session records the session number")
    func refused() async throws {
        try await withAccounts { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let body = #"{"do":[{"op":"defineClass","class":"doc"}]}"#
            let answer = try await fixture.client.door.send("POST", Self.transactions, token: ann.access, json: body)
            #expect(answer.status == 403)
            let root = try fixture.service.administrator()
            let audit = try await fixture.client.door.send(
                "GET", "/v1/stores/default/audit?outcome=refused&actor=\(ann.principal)", token: root)
            #expect(audit.text.contains(#""credential":"session 1""#), "\(audit.text)")
        }
    }
}

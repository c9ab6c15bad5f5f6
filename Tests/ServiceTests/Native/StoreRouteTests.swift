import Credentials
import Events
import HTTPServer
import ServiceSupport
import Testing

@Suite("Stores: creation, listing and description, within the reach of the token")
struct StoreRouteTests {
    @Test("A store is created once, with a valid name, and is then queried like any other", arguments: [false, true])
    func create(isLive: Bool) async throws {
        try await withFirm(isLive: isLive) { firm in
            func make(_ body: String, token: String? = nil) async throws -> Answer {
                try await firm.door.send("POST", "/v1/stores", token: token ?? firm.administrator, json: body)
            }
            let made = try await make(#"{"store":"second","preset":"open","administrator":"user:eve"}"#)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.header("Location") == "/v1/stores/second")
            #expect(try await make(#"{"store":"second"}"#).status == 409)
            for name in ["", "..", "Second", "a/b", ".muniment", "-a", String(repeating: "a", count: 64)] {
                #expect(try await make(#"{"store":"\#(name)"}"#).status == 400, "\(name)")
            }
            #expect(try await make(#"{"store":"third","administrator":"role:x"}"#).status == 400)
            let ofOne = try firm.service.token(.administer)
            #expect(try await make(#"{"store":"fourth"}"#, token: ofOne).status == 403)
            let described = try await firm.door.send("GET", "/v1/stores/second", token: firm.administrator)
            #expect(try described.json.text("preset") == "open")
            #expect(try described.json.text("store") == "second")
            func names(_ token: String) async throws -> [String] {
                try await firm.door.send("GET", "/v1/stores", token: token).json.texts("stores")
            }
            #expect(try await names(firm.administrator) == ["default", "second"])
            #expect(try await names(ofOne) == ["default"])
        }
    }
}

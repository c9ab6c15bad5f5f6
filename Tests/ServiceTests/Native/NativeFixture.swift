import Credentials
import Events
import HTTPServer
import Permissions
import ServiceSupport
import Testing

/// A small firm in the default store, called directly or over a socket.
struct NativeFixture {
    let service: ServiceFixture
    let door: any ServiceClient
    let administrator: String

    /// The initial state: Ann and Bob, a plan that Ann may read and change and that Bob may read as an editor, and a note.
    static let firm = """
        {"as":"user:root","do":[\
        {"op":"defineClass","class":"doc","properties":["title","pages"]},\
        {"op":"register","principal":"user:ann"},{"op":"register","principal":"user:bob"},\
        {"op":"createRole","role":"editors"},{"op":"addMember","member":"user:bob","role":"editors"},\
        {"op":"grant","subject":"everyone","object":"store","privileges":["read","update","delete","query","create","setPermissions"]},\
        {"op":"grant","subject":"everyone","object":"class:doc","privileges":["read","update","delete","query","create","setPermissions"]},\
        {"op":"createObject","object":"doc:plan","value":{"title":"Plan","pages":3}},\
        {"op":"createObject","object":"doc:note","value":{"title":"Note","pages":1}},\
        {"op":"grant","subject":"user:ann","object":"doc:plan","privileges":["read","update","delete","setPermissions"]},\
        {"op":"grant","subject":"role:editors","object":"doc:plan","privileges":["read"]}]}
        """

    func send(
        _ method: String, _ path: String, token: String? = nil, json: String? = nil, headers: [HTTPHeader] = []
    ) async throws -> Answer {
        try await door.send(method, "/v1/stores/default" + path, token: token ?? administrator, json: json, headers: headers)
    }

    /// Sends a request, checks its status, and returns the body.
    @discardableResult
    func json(
        _ method: String, _ path: String, token: String? = nil, json: String? = nil, headers: [HTTPHeader] = [], status: Int = 200,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSONValue {
        let answer = try await send(method, path, token: token, json: json, headers: headers)
        #expect(answer.status == status, "\(method) \(path): \(answer.text)", sourceLocation: sourceLocation)
        return try answer.json
    }

    /// Makes changes as root, and returns the revision.
    @discardableResult
    func commit(_ changes: String) async throws -> Int64 {
        let answer = try await json("POST", "/transactions", json: #"{"as":"user:root","do":[\#(changes)]}"#)
        guard case .integer(let revision)? = answer["head"] else { throw NoRevision() }
        return revision
    }

    struct NoRevision: Error {}

    func act(as name: String) throws -> String { try service.token(.act(as: Name(name))) }
}

/// Runs a test on the firm, directly or over a socket.
func withFirm(isLive: Bool, _ body: (NativeFixture) async throws -> Void) async throws {
    try await withService { service in
        let door: any ServiceClient = isLive ? try service.live() : service.direct
        let fixture = NativeFixture(service: service, door: door, administrator: try service.administrator())
        try await fixture.json("POST", "/transactions", json: NativeFixture.firm)
        try await body(fixture)
    }
}

extension JSONValue {
    /// The texts of the list with this name.
    func texts(_ name: String) -> [String] {
        guard case .array(let values)? = self[name] else { return [] }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    func list(_ name: String) -> [JSONValue] { if case .array(let values)? = self[name] { values } else { [] } }
    func text(_ name: String) -> String? { if case .string(let text)? = self[name] { text } else { nil } }
    func number(_ name: String) -> Int64? { if case .integer(let number)? = self[name] { number } else { nil } }
    func flag(_ name: String) -> Bool? { if case .bool(let flag)? = self[name] { flag } else { nil } }
}

extension Answer {
    /// The lines of a JSON Lines response.
    var lines: [JSONValue] {
        get throws { try text.split(separator: "\n").map { try JSONText.decode(Array($0.utf8)) } }
    }
}

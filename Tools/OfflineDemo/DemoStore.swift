import Foundation
import MunimentClient
import Primitives

/// The store of the service, as its administrator.
struct DemoStore {
    private let connection: ServiceConnection

    init(_ connection: ServiceConnection) { self.connection = connection }

    /// Defines the documents, and shares them with Ann and Ben.
    func prepare() async throws {
        var changes: [JSONObject] = [
            change("register", ["principal": "user:ann"]), change("register", ["principal": "user:ben"]),
            change("defineClass", ["class": "doc", "objectACL": "required"]),
        ]
        for (name, text) in [("doc:plan", "the plan"), ("doc:notes", "the notes"), ("doc:budget", OfflineDemonstration.budget)] {
            var create = change("createObject", ["object": name])
            create["value"] = .object(["text": .string(text)])
            changes.append(create)
            for user in ["user:ann", "user:ben"] {
                var grant = change("grant", ["subject": user, "object": name])
                grant["privileges"] = .array([.string("read"), .string("update")])
                changes.append(grant)
            }
        }
        try await commit(changes)
    }

    func revoke(_ subject: String, on object: String) async throws {
        try await commit([change("revoke", ["subject": subject, "object": object])])
    }

    func value(of object: Name) async throws -> JSONValue {
        let path = "/v1/stores/default/objects/\(object.text)?as=user:root"
        let response = try await connection.send(
            ServiceRequest(.get, path, headers: ["Accept": "application/json"]), effect: .question)
        let json = try JSONText.decode(response.body)
        return json["value"] ?? json
    }

    private func change(_ operation: String, _ members: [String: String]) -> JSONObject {
        JSONObject(members.merging(["op": operation]) { $1 }.mapValues { .string($0) })
    }

    private func commit(_ changes: [JSONObject]) async throws {
        let body: JSONObject = ["do": .array(changes.map { .object($0) }), "as": .string("user:root")]
        let request = ServiceRequest(
            .post, "/v1/stores/default/transactions", headers: ["Content-Type": "application/json"],
            body: try JSONText.encode(.object(body)))
        _ = try await connection.send(request, effect: .change)
    }
}

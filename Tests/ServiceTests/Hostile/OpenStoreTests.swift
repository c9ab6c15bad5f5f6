import Credentials
import Events
import Foundation
import Histories
import Muniment
import Permissions
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: a tenant in an imported store, or in a store that was open and is now locked")
struct OpenStoreTests {
    private static let history = [
        #"{"format":"permission-history/1","levels":{"read":["read"],"admin":["read","update","delete","setPermissions"]}}"#,
        #"{"time":"2020-01-01T00:00:00Z","actor":"user:ann","changes":[{"op":"createObject","object":"org:o"},"#
            + #"{"op":"createRole","role":"o:admins"},{"op":"addMember","role":"o:admins","member":"user:ann"},"#
            + #"{"op":"grant","subject":"role:o:admins","object":"org:o","level":"admin"}]}"#,
    ]

    /// The changes that a user without access tries. Each would make the user an administrator of `org:o`.
    private static let attempts = [
        #"{"op":"addMember","role":"o:admins","member":"user:eve"}"#,
        #"{"op":"grant","subject":"user:eve","object":"org:o","privileges":["read"]}"#,
        #"{"op":"setAccess","subject":"everyone","object":"store","privileges":["read","update","setPermissions"]}"#,
        #"{"op":"grant","subject":"user:eve","object":"class:org","privileges":["setPermissions"]}"#,
        #"{"op":"changeClass","class":"org","objectACL":"none"}"#,
        #"{"op":"createObject","object":"org:p"}"#,
        #"{"op":"createRole","role":"mine"}"#,
        #"{"op":"defineClass","class":"mine"}"#,
        #"{"op":"deleteRole","role":"o:admins"}"#,
        #"{"op":"appointAdministrator","principal":"user:eve"}"#,
    ]

    private func attack(_ curl: Curl, _ token: String) async throws {
        for attempt in Self.attempts {
            let answer = try await curl.send("POST", "/v1/stores/default/transactions", token: token, json: "{\"do\":[\(attempt)]}")
            #expect(answer.status == 403, "\(attempt): \(answer.status) \(answer.text)")
        }
    }

    @Test("An imported history with levels gives a user without access no way to an object, a role, a class or the store")
    func importedHistory() async throws {
        try await withService { settings in
            let file = settings.dataDirectory + ".jsonl"
            defer { try? FileManager.default.removeItem(atPath: file) }
            try? Self.history.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
            _ = try? HistoryImporter(into: settings.dataDirectory + "/default").run(file: file)
        } _: { fixture in
            let curl = try fixture.live()
            try await attack(curl, try fixture.token(.act(as: "user:eve")))
            let ann = try await curl.send(
                "POST", "/v1/stores/default/check", token: try fixture.token(.ask),
                json: #"{"subject":"user:ann","privilege":"setPermissions","object":"org:o"}"#)
            #expect(try ann.json["allowed"] == .bool(true))
        }
    }

    @Test("R3: an open store that was locked over HTTP gives a user without access no way to anything")
    func lockedStore() async throws {
        try await withService { settings in
            _ = try? Store.create(at: settings.dataDirectory + "/default", preset: .open).close()
        } _: { fixture in
            let curl = try fixture.live()
            let (root, eve) = (try fixture.administrator(), try fixture.token(.act(as: "user:eve")))
            let world =
                #"{"as":"user:root","do":[{"op":"register","principal":"user:eve"},{"op":"defineClass","class":"org"},"#
                + #"{"op":"createObject","object":"org:o"},{"op":"createRole","role":"o:admins"}]}"#
            #expect(try await curl.send("POST", "/v1/stores/default/transactions", token: root, json: world).status == 200)
            let statistics = { try await curl.send("GET", "/v1/stores/default", token: root).json["openToEveryone"] }
            #expect(try await statistics() == .bool(true))
            let locked = try await curl.send("POST", "/v1/stores/default/lock", token: root, json: #"{"as":"user:root"}"#)
            #expect(locked.status == 200, "\(locked.text)")
            #expect(try await statistics() == .bool(false))
            try await attack(curl, eve)
            #expect(
                try await curl.send("POST", "/v1/stores/default/lock", token: eve, json: #"{"role":"role:mine"}"#).status == 409)
        }
    }

    @Test("At its start the service names each store, its revision, and whether it is open or locked")
    func reported() async throws {
        let lines = Mutex<[String]>([])
        try await withService { settings in
            _ = try? Store.create(at: settings.dataDirectory + "/loose", preset: .open).close()
            _ = try? Store.create(at: settings.dataDirectory + "/tight", preset: .locked).close()
            settings.note = { level, line in lines.withLock { $0.append("\(level) \(line)") } }
        } _: { _ in
            #expect(
                lines.withLock { $0 } == [
                    "warning the store `loose` is open, revision 0: every user may change its permissions. Lock it with `muniment lock`.",
                    "info the store `tight` is locked, revision 0",
                ])
        }
    }
}

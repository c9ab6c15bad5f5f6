import Events
import Files
import Foundation
import Muniment
import Permissions
import Service
import ServiceSupport
import TestSupport
import Testing

@Suite("Hostile: the log of a store is replaced by an older copy")
struct RolledBackStoreTests {
    /// Makes a store that has lost a revocation, because its log is an older copy.
    private static func makeRolledBack(at path: String, _ clock: @escaping @Sendable () -> Instant) throws {
        let options = StoreOptions(clock: clock, expiryRecording: .withCommits)
        let store = try Store.create(at: path, options: options)
        try store.commit(
            Transaction(
                "user:root",
                [
                    .defineClass("doc"), .register("user:ann"), .createObject("doc:1"), .grant("everyone", on: "store", ["read"]),
                    .grant("everyone", on: "class:doc", ["read"]), .grant("user:ann", on: "doc:1", ["read"]),
                ]))
        try store.close()
        try FileManager.default.copyItem(atPath: path + "/log", toPath: path + "-log")
        let again = try Store.open(at: path, .writing, options: options)
        try again.commit(Transaction("user:root", [.revoke("user:ann", on: "doc:1")]))
        try again.close()
        try FileManager.default.removeItem(atPath: path + "/log")
        try FileManager.default.moveItem(atPath: path + "-log", toPath: path + "/log")
    }

    private static let question = #"{"subject":"user:ann","privilege":"read","object":"doc:1"}"#

    @Test(
        "A rolled-back store answers 503 with the reason until the rollback is accepted, and other stores are served")
    func rolledBack() async throws {
        let reports = Reports()
        try await withService { settings in
            let clock = settings.clock
            settings.report = { reports.add($0) }
            do {
                try makeFolder(settings.dataDirectory)
                try Store.create(at: settings.dataDirectory + "/whole", options: settings.storeOptions).close()
                try RolledBackStoreTests.makeRolledBack(at: settings.dataDirectory + "/rolled", clock)
            } catch { Issue.record(error) }
        } _: { fixture in
            let (door, token) = (try fixture.live(), try fixture.administrator())
            #expect(
                reports.lines.contains { $0.contains("`rolled` is not served") && $0.contains("accept-rollback") },
                "\(reports.lines)")
            for _ in 0..<2 {
                let refused = try await door.send("POST", "/v1/stores/rolled/check", token: token, json: Self.question)
                #expect(refused.status == 503, "\(refused.text)")
                #expect(refused.text.contains("accept-rollback"), "\(refused.text)")
            }
            try await door.expectUnserved("rolled", token: token)
            let accepted = try Store.acceptRollback(at: fixture.directory + "/rolled")
            let answer = try await door.send("POST", "/v1/stores/rolled/check", token: token, json: Self.question)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await door.send("GET", "/readyz").status == 200)
            #expect(answer.text.contains("true"), "\(answer.text)")
            let record = try await door.send("GET", "/v1/stores/rolled/audit?outcome=refused", token: token)
            #expect(record.status == 200)
            #expect(record.text.contains("was rolled back"), "\(record.text)")
            #expect(accepted.message.contains("was rolled back"))
        }
    }
}

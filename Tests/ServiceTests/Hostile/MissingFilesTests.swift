import Credentials
import Files
import Foundation
import Muniment
import Permissions
import Service
import ServiceSupport
import TestSupport
import Testing

@Suite("Hostile: the files of a store disappear while the service runs")
struct MissingFilesTests {
    /// Sends a change of the default store in the name of its administrator.
    private func register(_ name: String, _ door: any ServiceClient, _ token: String) async throws -> (status: Int, text: String) {
        let json = #"{"as":"user:root","do":[{"op":"register","principal":"user:NAME"}]}"#.replacing("NAME", with: name)
        let answer = try await door.send("POST", "/v1/stores/default/transactions", token: token, json: json)
        return (answer.status, answer.text)
    }

    static let faults: [(what: String, apply: @Sendable (_ store: String) throws -> Void)] = [
        ("removed", { try FileManager.default.removeItem(atPath: $0) }),
        ("moved away", { try FileManager.default.moveItem(atPath: $0, toPath: $0 + "-elsewhere") }),
        ("without its log", { try FileManager.default.removeItem(atPath: $0 + "/log") }),
        (
            "replaced by another store",
            { path in
                try Store.create(at: path + "-other").close()
                try FileManager.default.moveItem(atPath: path, toPath: path + "-elsewhere")
                try FileManager.default.moveItem(atPath: path + "-other", toPath: path)
            }
        ),
    ]

    @Test(
        "If the folder of the store is removed, moved or replaced, no change is acknowledged and the service is not ready",
        arguments: faults.indices)
    func store(index: Int) async throws {
        let fault = MissingFilesTests.faults[index]
        try await withService { fixture in
            let (door, token) = (try fixture.live(), try fixture.administrator())
            #expect(try await register("ann", door, token).status == 200)
            let path = fixture.directory + "/default"
            try fault.apply(path)
            let refused = try await register("bob", door, token)
            #expect(refused.status == 503, "\(fault.what): \(refused.text)")
            #expect(refused.text.contains("removed or replaced"), "\(refused.text)")
            #expect(try await door.send("GET", "/readyz").status == 503, "\(fault.what)")
            #expect(try await door.send("GET", "/healthz").status == 200)
            guard fault.what == "replaced by another store" else { return }
            let seal = try readFile(path + "/log/seal")
            #expect(throws: StoreError.displaced(path: path)) { try fixture.service.close() }
            #expect(try readFile(path + "/log/seal") == seal)
            // The data directory still records the head of the store that was replaced.
            #expect(throws: StoreError.self) { try Store.open(at: path) }
        }
    }

    @Test("If the log is overwritten in place by an older copy, no change is acknowledged and the service is not ready")
    func overwritten() async throws {
        try await withService { fixture in
            let (door, token) = (try fixture.live(), try fixture.administrator())
            #expect(try await register("ann", door, token).status == 200)
            let path = fixture.directory + "/default/log/data.mdb"
            let older = try readFile(path)
            for name in ["bob", "cem", "dan"] { #expect(try await register(name, door, token).status == 200) }
            let newer = try readFile(path)
            try overwrite(path, older)
            #expect(try await door.send("GET", "/readyz").status == 503)
            let refused = try await register("eve", door, token)
            #expect(refused.status == 503 && refused.text.contains("replaced"), "\(refused.text)")
            try overwrite(path, newer)
            #expect(try await door.send("GET", "/readyz").status == 200)
            #expect(try await register("eve", door, token).status == 200)
            try overwrite(path, older)
            let folder = fixture.directory + "/default"
            #expect(throws: StoreError.displaced(path: folder)) { try fixture.service.close() }
            #expect(throws: StoreError.self) { try Store.open(at: folder) }
        }
    }

    /// Overwrites a file in place, without a moment in which it is shorter than the new content.
    private func overwrite(_ path: String, _ bytes: [UInt8]) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: Data(bytes))
        try file.truncate(atOffset: UInt64(bytes.count))
        try file.close()
    }

    @Test("A folder that is moved away and back accepts changes again, and contains all acknowledged ones")
    func putBack() async throws {
        let reports = Reports()
        let reporting = { (settings: inout ServiceSettings) in
            settings.report = { reports.add($0) }
            settings.note = { reports.add("\($0): \($1)") }
        }
        try await withService(reporting) { fixture in
            let (door, token) = (try fixture.live(), try fixture.administrator())
            #expect(try await register("ann", door, token).status == 200)
            let path = fixture.directory + "/default"
            try FileManager.default.moveItem(atPath: path, toPath: path + "-elsewhere")
            #expect(try await register("bob", door, token).status == 503)
            for _ in 0..<2 { #expect(try await door.send("GET", "/readyz").status == 503) }
            let reason = "the store `default` takes no changes: the files of the store in `\(path)` were removed or replaced"
            #expect(reports.lines.count { $0.hasPrefix(reason) } == 1, "\(reports.lines)")
            try FileManager.default.moveItem(atPath: path + "-elsewhere", toPath: path)
            #expect(try await door.send("GET", "/readyz").status == 200)
            #expect(reports.lines.last == "info: the store `default` takes changes again", "\(reports.lines)")
            #expect(try await register("cem", door, token).status == 200)
            try fixture.service.close()
            let store = try Store.open(at: path)
            defer { try? store.close() }
            try store.read { snapshot throws in
                #expect(try snapshot.exists("user:ann"))
                #expect(try !snapshot.exists("user:bob"))
                #expect(try snapshot.exists("user:cem"))
            }
        }
    }

    @Test(
        "If the data directory or its `.muniment` folder is moved away, callers with tokens get 503, since no revocation can reach them"
    )
    func tokens() async throws {
        try await withService { fixture in
            let (door, token) = (try fixture.live(), try fixture.administrator())
            #expect(try await door.send("GET", "/v1/stores", token: token).status == 200)
            for folder in [fixture.directory + "/.muniment", fixture.directory] {
                try FileManager.default.moveItem(atPath: folder, toPath: folder + "-elsewhere")
                #expect(try await door.send("GET", "/v1/stores", token: token).status == 503)
                #expect(try await door.send("GET", "/readyz").status == 503)
                try FileManager.default.moveItem(atPath: folder + "-elsewhere", toPath: folder)
                #expect(try await door.send("GET", "/v1/stores", token: token).status == 200)
            }
        }
    }

    @Test("The service is not ready while the token file is damaged")
    func damagedTokens() async throws {
        try await withService { fixture in
            let (door, token) = (try fixture.live(), try fixture.administrator())
            let path = TokenRegistry(dataDirectory: fixture.directory).path
            let whole = try readFile(path)
            try Data(whole.dropLast(20)).write(to: URL(filePath: path))
            #expect(try await door.send("GET", "/readyz").status == 503)
            try Data(whole).write(to: URL(filePath: path))
            #expect(try await door.send("GET", "/readyz").status == 200)
            #expect(try await door.send("GET", "/v1/stores", token: token).status == 200)
        }
    }
}

import Events
import Files
import Foundation
import Muniment
import Permissions
import Service
import ServiceSupport
import TestSupport
import Testing

@Suite("Hostile: the files of a store are damaged when the service starts")
struct DamagedStoreTests {
    private static let faults: [(what: String, apply: @Sendable (_ log: String) throws -> Void)] = [
        ("no LMDB file", { try FileBytes.write(Array(repeating: 7, count: 20_000), to: $0 + "/data.mdb") }),
        ("cut", { try FileBytes.write(Array(FileBytes.read($0 + "/data.mdb").prefix(8_192)), to: $0 + "/data.mdb") }),
        ("empty", { try FileBytes.write([], to: $0 + "/data.mdb") }),
        ("missing", { try removeFile($0 + "/data.mdb") }),
    ]

    /// Creates the stores `default`, where Ann may read a document, and `whole`; damages `default` and keeps its log in another folder.
    private static func make(in folder: String, fault: Int, _ options: StoreOptions) throws {
        try makeFolder(folder)
        try Store.create(at: folder + "/whole", options: options).close()
        let store = try Store.create(at: folder + "/default", preset: .open, options: options)
        try store.commit(
            Transaction(
                "user:root",
                [.defineClass("doc"), .register("user:ann"), .createObject("doc:1"), .grant("user:ann", on: "doc:1", ["read"])]))
        try store.close()
        try FileBytes.copyFolder(folder + "/default/log", to: folder + "-log")
        try faults[fault].apply(folder + "/default/log")
    }

    @Test(
        "A store with a damaged log answers 503 until its log is restored, and other stores are served", arguments: faults.indices)
    func damaged(fault: Int) async throws {
        let reports = Reports()
        try await withService { settings in
            settings.report = { reports.add($0) }
            do { try Self.make(in: settings.dataDirectory, fault: fault, settings.storeOptions) } catch { Issue.record(error) }
        } _: { fixture in
            defer { try? FileManager.default.removeItem(atPath: fixture.directory + "-log") }
            let (door, token) = (try fixture.live(), try fixture.administrator())
            let path = fixture.directory + "/default"
            #expect(
                reports.lines.contains {
                    $0.contains("the store `default` is not served: ") && $0.contains("muniment restore BACKUP --store \(path)")
                }, "\(reports.lines)")
            let questions = [
                ("/v1/stores/default/check", #"{"subject":"user:ann","privilege":"read","object":"doc:1"}"#),
                (
                    "/access/v1/evaluation",
                    #"{"subject":{"type":"user","id":"ann"},"action":{"name":"read"},"resource":{"type":"doc","id":"1"}}"#
                ),
            ]
            for (address, question) in questions + questions {
                let refused = try await door.send("POST", address, token: token, json: question)
                #expect(refused.status == 503 && !refused.text.contains("true"), "\(refused.status) \(refused.text)")
                #expect(refused.text.contains("restores it from a backup"), "\(refused.text)")
            }
            try await door.expectUnserved("default", token: token)

            if Self.faults[fault].what == "cut" {
                // Into the same file, as `cp` does.
                try FileBytes.write(FileBytes.read(fixture.directory + "-log/data.mdb"), to: path + "/log/data.mdb")
            } else {
                try FileManager.default.removeItem(atPath: path + "/log")
                try FileManager.default.moveItem(atPath: fixture.directory + "-log", toPath: path + "/log")
            }
            for (address, question) in questions {
                let answer = try await door.send("POST", address, token: token, json: question)
                #expect(answer.status == 200 && answer.text.contains("true"), "\(answer.text)")
            }
            #expect(try await door.send("GET", "/readyz").status == 200)
        }
    }

    @Test("A backup of a data directory with a store that has lost its log fails, and names the store")
    func backup() throws {
        let folder = try ScratchFolder()
        let data = folder.path + "/data"
        try Self.make(in: data, fault: 3, StoreOptions())
        #expect(throws: StoreError.logIsLost(path: data + "/default")) {
            try DataBackup.make(of: data, to: folder.path + "/backup")
        }
        #expect(!fileExists(folder.path + "/backup"))
    }

    @Test("A start with a damaged store creates no token with all rights")
    func firstToken() throws {
        let folder = try ScratchFolder()
        let (data, reports) = (folder.path + "/data", Reports())
        try Self.make(in: data, fault: 2, StoreOptions())
        let service = try MunimentService(ServiceSettings(dataDirectory: data, report: { reports.add($0) }))
        defer { try? service.close() }
        #expect(try service.makeFirstToken() == nil)
        #expect(!fileExists(data + "/.muniment/first-token"))
        #expect(reports.lines.contains { $0.contains("`default` is not served") })
    }
}

import Credentials
import Files
import Foundation
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: parts of a data directory are replaced by older copies, or are missing")
struct RestoredFilesTests {
    private let folder: ScratchFolder
    private let clock = ManualClock()
    private let reports = Reports()
    private let notes = Reports()
    private var data: String { folder.path + "/data" }

    init() throws { folder = try ScratchFolder() }

    /// Runs a service on the data directory, and closes it.
    private func serve(_ body: (MunimentService) async throws -> Void) async throws {
        let (clock, reports, notes) = (clock, reports, notes)
        let options = StoreOptions(clock: { clock.now }, expiryRecording: .withCommits)
        var settings = ServiceSettings(
            dataDirectory: data, clock: { clock.now }, storeOptions: options, report: { reports.add($0) })
        settings.note = { notes.add($1) }
        let service = try MunimentService(settings)
        do { try await body(service) } catch {
            try? service.close()
            throw error
        }
        try service.close()
    }

    private func copy(_ path: String, to other: String) throws {
        try? FileManager.default.removeItem(atPath: other)
        try FileManager.default.copyItem(atPath: path, toPath: other)
    }

    private func write(_ service: MunimentService, _ secret: String, _ user: String) async throws -> Int {
        let json = #"{"as":"user:root","do":[{"op":"register","principal":"user:\#(user)"}]}"#
        return try await InProcessClient(service).send("POST", "/v1/stores/default/transactions", token: secret, json: json).status
    }

    /// Makes a data directory with a store that was served and written to, and returns an administrator's token.
    @discardableResult
    private func servedOnce() async throws -> String {
        try makeFolder(data)
        let secret = try TokenRegistry(dataDirectory: data).create(stores: .all, right: .administer, at: clock.now).secret
        try await serve { service async throws in #expect(try await write(service, secret, "ann") == 200) }
        return secret
    }

    private func ask(_ service: MunimentService, _ secret: String) async throws -> ServiceSupport.Answer {
        try await InProcessClient(service).send("GET", "/v1/stores/default/administrators", token: secret)
    }

    @Test("With an older token file, or none, every token is invalid until this is accepted, and the file records that")
    func olderTokens() async throws {
        try makeFolder(data)
        let registry = TokenRegistry(dataDirectory: data)
        let (secret, token) = try registry.create(stores: .all, right: .administer, at: clock.now)
        try copy(registry.path, to: folder.path + "/older")
        try registry.revoke(id: token.id, at: clock.now)
        let newer = try readFile(registry.path)
        try copy(folder.path + "/older", to: registry.path)
        for reader in [registry, TokenRegistry(dataDirectory: data)] {
            #expect(throws: TokenFileError.self) { try reader.authenticate(secret, at: clock.now)?.token }
            #expect(throws: TokenFileError.self) { try reader.create(stores: .all, right: .ask, at: clock.now) }
        }
        let service = ServiceSettings(dataDirectory: data, report: { _ in })
        #expect(throws: TokenFileError.self) { _ = try MunimentService(service) }
        try removeFile(registry.path)
        let missing = try #require(throws: TokenFileError.self) { try registry.authenticate(secret, at: clock.now)?.token }
        #expect(
            "\(missing)".contains("is missing or empty, and had 2 changes") && "\(missing)".contains("--data \(data)`"),
            "\(missing)")
        // The newer file is valid, so nothing was rolled back.
        try replaceFile(registry.path, with: newer)
        #expect(try registry.authenticate(secret, at: clock.now)?.token == nil)
        #expect(throws: TokenError.self) { try registry.acceptRollback(at: clock.now) }
        try copy(folder.path + "/older", to: registry.path)
        let lost = try registry.acceptRollback(at: clock.now)
        #expect(lost == (1, 2))
        #expect(try registry.authenticate(secret, at: clock.now)?.token.id == token.id)
        let text = String(decoding: try readFile(registry.path), as: UTF8.self)
        #expect(text.contains(#"{"accepted":"2""#))
        try registry.revoke(id: token.id, at: clock.now)
        #expect(try TokenRegistry(dataDirectory: data).authenticate(secret, at: clock.now)?.token == nil)
    }

    @Test("A store with a completely restored older folder is not served until the rollback is accepted")
    func olderStore() async throws {
        let secret = try await servedOnce()
        try copy(data + "/default", to: folder.path + "/older")
        try await serve { service async throws in #expect(try await write(service, secret, "bob") == 200) }
        try copy(folder.path + "/older", to: data + "/default")
        try await serve { service async throws in
            #expect(reports.lines.contains { $0.contains("`default` is not served") && $0.contains("accept-rollback") })
            for _ in 0..<2 { #expect(try await ask(service, secret).status == 503) }
            #expect(try await write(service, secret, "eve") == 503)
            _ = try Store.acceptRollback(at: data + "/default")
            #expect(try await ask(service, secret).status == 200)
        }
        try await serve { service async throws in #expect(try await ask(service, secret).status == 200) }
    }

    @Test("A store with a missing folder is not created again: it answers 503 until its loss is accepted")
    func missingStore() async throws {
        let secret = try await servedOnce()
        try FileManager.default.removeItem(atPath: data + "/default")
        try await serve { service async throws in
            #expect(reports.lines.contains { $0.contains("`default` is not served") && $0.contains("is missing") })
            let answer = try await ask(service, secret)
            #expect(answer.status == 503 && answer.text.contains("is missing"), "\(answer.text)")
        }
        #expect(!fileExists(data + "/default"))
        #expect(throws: StoreError.missing(path: data + "/default")) { try Store.create(at: data + "/default") }
        #expect(throws: StoreError.missing(path: data + "/default")) { try Store.open(at: data + "/default", .writing) }
        #expect(!fileExists(data + "/default"))
        try Store.acceptLoss(at: data + "/default")
        try await serve { service async throws in #expect(try await ask(service, secret).status == 200) }
    }

    @Test("A missing store is named also if another one is served, and the service is not ready")
    func missingBesideAnother() async throws {
        try makeFolder(data)
        for name in ["default", "other"] { try Store.create(at: data + "/" + name).close() }
        try await serve { service async throws in #expect(try await InProcessClient(service).send("GET", "/readyz").status == 200) }
        try FileManager.default.removeItem(atPath: data + "/other")
        try await serve { service async throws in
            #expect(
                reports.lines.contains { $0.contains("`other` is not served") && $0.contains("is missing") }, "\(reports.lines)")
            #expect(try await InProcessClient(service).send("GET", "/readyz").status == 503)
        }
    }

    @Test("A store that was moved into the folder in its place is named, and its loss cannot be accepted")
    func nestedStore() async throws {
        let secret = try await servedOnce()
        let path = data + "/default"
        try FileManager.default.moveItem(atPath: path, toPath: folder.path + "/copy")
        try makeFolder(path)
        try FileManager.default.moveItem(atPath: folder.path + "/copy", toPath: path + "/copy")
        let nested = StoreError.nested(path: path, found: path + "/copy")
        #expect(throws: nested) { try Store.acceptLoss(at: path) }
        #expect(throws: nested) { try Store.create(at: path) }
        #expect(throws: nested) { try Store.open(at: path) }
        #expect(try fileNames(in: path) == ["copy"])
        try await serve { service async throws in
            #expect(reports.lines.contains("the store `default` is not served: \(nested)"), "\(reports.lines)")
            #expect(try await ask(service, secret).status == 503)
            try FileManager.default.moveItem(atPath: path + "/copy", toPath: folder.path + "/copy")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: folder.path + "/copy", toPath: path)
            #expect(try await ask(service, secret).status == 200)
        }
    }

    @Test("A repaired store is served again without a request for it, and the log says so")
    func repairedStore() async throws {
        try await servedOnce()
        let path = data + "/default"
        try FileManager.default.moveItem(atPath: path, toPath: folder.path + "/elsewhere")
        try await serve { service async throws in
            #expect(!notes.lines.contains { $0.contains("is served again") })
            try FileManager.default.moveItem(atPath: folder.path + "/elsewhere", toPath: path)
            try await until("the log says it") { notes.lines.contains("the store `default` is served again") }
            // Before it is open, the line would be wrong.
            #expect(service.data.openStore("default") != nil)
        }
    }

    @Test("Each new reason why a store is not served is in the log once")
    func newReason() async throws {
        try await servedOnce()
        let path = data + "/default"
        try FileManager.default.moveItem(atPath: path, toPath: folder.path + "/elsewhere")
        try await serve { service async throws in
            let first = "the store `default` is not served: \(try #require(try Store.absence(at: path)))"
            try makeFolder(path)
            try FileManager.default.moveItem(atPath: folder.path + "/elsewhere", toPath: path + "/copy")
            let second = "the store `default` is not served: \(StoreError.nested(path: path, found: path + "/copy"))"
            for _ in 0..<2 { #expect(try await InProcessClient(service).send("GET", "/readyz").status == 503) }
            #expect(reports.lines == [first, second])
            #expect(!notes.lines.contains { $0.contains("is served again") })
        }
    }

    @Test("A data directory that is restored as a whole is served")
    func olderDirectory() async throws {
        let secret = try await servedOnce()
        try copy(data, to: folder.path + "/older")
        try await serve { service async throws in #expect(try await write(service, secret, "bob") == 200) }
        try copy(folder.path + "/older", to: data)
        try await serve { service async throws in #expect(try await write(service, secret, "bob") == 200) }
    }
}

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
    private var data: String { folder.path + "/data" }

    init() throws { folder = try ScratchFolder() }

    /// Runs a service on the data directory, and closes it.
    private func serve(_ body: (MunimentService) async throws -> Void) async throws {
        let (clock, reports) = (clock, reports)
        let options = StoreOptions(clock: { clock.now }, expiryRecording: .withCommits)
        let service = try MunimentService(
            ServiceSettings(dataDirectory: data, clock: { clock.now }, storeOptions: options, report: { reports.add($0) }))
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
        #expect(throws: TokenFileError.self) { try registry.authenticate(secret, at: clock.now)?.token }
        // The newer file is valid, so there is no rollback to accept.
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
        try makeFolder(data)
        let secret = try TokenRegistry(dataDirectory: data).create(stores: .all, right: .administer, at: clock.now).secret
        try await serve { service async throws in #expect(try await write(service, secret, "ann") == 200) }
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
        try makeFolder(data)
        let secret = try TokenRegistry(dataDirectory: data).create(stores: .all, right: .administer, at: clock.now).secret
        try await serve { service async throws in #expect(try await write(service, secret, "ann") == 200) }
        try FileManager.default.removeItem(atPath: data + "/default")
        try await serve { service async throws in
            #expect(reports.lines.contains { $0.contains("`default` is not served") && $0.contains("is missing") })
            let answer = try await ask(service, secret)
            #expect(answer.status == 503 && answer.text.contains("is missing"), "\(answer.text)")
        }
        #expect(!fileExists(data + "/default/log"))
        #expect(throws: StoreError.missing(path: data + "/default")) { try Store.create(at: data + "/default") }
        #expect(throws: StoreError.missing(path: data + "/default")) { try Store.open(at: data + "/default", .writing) }
        try Store.acceptLoss(at: data + "/default")
        try await serve { service async throws in #expect(try await ask(service, secret).status == 200) }
    }

    @Test("A data directory that is restored as a whole is served")
    func olderDirectory() async throws {
        try makeFolder(data)
        let secret = try TokenRegistry(dataDirectory: data).create(stores: .all, right: .administer, at: clock.now).secret
        try await serve { service async throws in #expect(try await write(service, secret, "ann") == 200) }
        try copy(data, to: folder.path + "/older")
        try await serve { service async throws in #expect(try await write(service, secret, "bob") == 200) }
        try copy(folder.path + "/older", to: data)
        try await serve { service async throws in #expect(try await write(service, secret, "bob") == 200) }
    }
}

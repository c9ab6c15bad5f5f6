import Credentials
import Files
import Foundation
import Permissions
import Service
import ServiceSupport
import TestSupport
import Testing

@Suite("Hostile: a damaged token file")
struct DamagedTokensTests {
    private func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

    @Test("A revoked token stays invalid if any bit of its revocation is flipped, including the end of the last line")
    func revocationStays() async throws {
        try await withService { fixture in
            let door = try fixture.live()
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            let valid = try fixture.token(.administer, .all)
            let before = try readFile(registry.path).count
            let (secret, token) = try registry.create(stores: .all, right: .administer, at: fixture.clock.now)
            try registry.revoke(id: token.id, at: fixture.clock.now)
            let whole = try readFile(registry.path)
            #expect(try await door.send("GET", "/v1/stores", token: secret).status == 401)
            #expect(try await door.send("GET", "/v1/stores", token: valid).status == 200)
            let last = whole.count - 1
            for (offset, bit) in [(last, 0), (last, 3), (last - 1, 1), (last - 40, 2), (before + 3, 0), (20, 0), (45, 1), (0, 5)] {
                var flipped = whole
                flipped[offset] ^= 1 << UInt8(bit)
                try write(flipped, to: registry.path)
                let answer = try await door.send("GET", "/v1/stores", token: secret)
                #expect(answer.status == 401 || answer.status >= 500, "byte \(offset): \(answer.status)")
            }
            try write(whole, to: registry.path)
            #expect(try await door.send("GET", "/v1/stores", token: valid).status == 200)
            #expect(try await door.send("GET", "/v1/stores", token: secret).status == 401)
        }
    }

    @Test("If a revocation is cut off completely, every token is invalid until the file is restored")
    func cutOff() async throws {
        try await withService { fixture in
            let door = try fixture.live()
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            let valid = try fixture.token(.administer, .all)
            let (secret, token) = try registry.create(stores: .all, right: .administer, at: fixture.clock.now)
            let before = try readFile(registry.path).count
            try registry.revoke(id: token.id, at: fixture.clock.now)
            let whole = try readFile(registry.path)
            try write(Array(whole[..<before]), to: registry.path)
            for secret in [secret, valid] {
                #expect(try await door.send("GET", "/v1/stores", token: secret).status >= 500)
            }
            try write(whole, to: registry.path)
            #expect(try await door.send("GET", "/v1/stores", token: valid).status == 200)
        }
    }

    @Test("With older copies of the token file and of its record, put back together, every token is invalid until this is accepted")
    func olderPair() async throws {
        let reports = Reports()
        let reporting = { (settings: inout ServiceSettings) in settings.report = { reports.add($0) } }
        try await withService(reporting) { fixture in
            let (door, valid) = (try fixture.live(), try fixture.administrator())
            let registry = { TokenRegistry(dataDirectory: fixture.directory) }
            let (secret, token) = try registry().create(stores: .all, right: .administer, at: fixture.clock.now)
            let paths = [registry().path, fixture.directory + "/.muniment/tokens.head"]
            let older = try paths.map { try readFile($0) }
            try registry().revoke(id: token.id, at: fixture.clock.now)
            let newer = try paths.map { try readFile($0) }
            func put(_ files: [[UInt8]]) throws {
                for (path, bytes) in zip(paths, files) { try replaceFile(path, with: bytes) }
            }
            func statuses() async throws -> [Int] {
                var statuses = [try await door.send("GET", "/readyz").status]
                for secret in [valid, secret] { statuses.append(try await door.send("GET", "/v1/stores", token: secret).status) }
                return statuses
            }
            #expect(try await statuses() == [200, 200, 401])
            try put(older)
            for _ in 0..<2 { #expect(try await statuses() == [503, 503, 503]) }
            #expect(reports.lines.filter { $0.contains("tokens.jsonl") }.count == 1, "\(reports.lines)")
            // A restart would refuse the file, too.
            #expect(throws: TokenFileError.self) { try registry().list() }
            try put(newer)
            #expect(try await statuses() == [200, 200, 401])
            try put(older)
            #expect(try await statuses() == [503, 503, 503])
            #expect(try registry().acceptRollback(at: fixture.clock.now) == (2, 3))
            #expect(try await statuses() == [200, 200, 200])
            try registry().revoke(id: token.id, at: fixture.clock.now)
            #expect(try await statuses() == [200, 200, 401])
            // This process has seen that the loss of these changes was accepted.
            try put(newer)
            #expect(try await statuses() == [503, 503, 503])
        }
    }

    static let faults: [(what: String, apply: @Sendable (_ path: String) throws -> Void)] = [
        ("emptied", { try Data().write(to: URL(filePath: $0)) }),
        ("removed", { try FileManager.default.removeItem(atPath: $0) }),
        ("garbage", { try Data("x".utf8).write(to: URL(filePath: $0)) }),
        ("zeroed", { try Data(count: try readFile($0).count).write(to: URL(filePath: $0)) }),
        ("replaced by a pipe", { try replace($0, makePipe) }),
        ("replaced by a folder", { try replace($0, makeFolder) }),
        ("removed with its folder", { try FileManager.default.removeItem(atPath: ($0 as NSString).deletingLastPathComponent) }),
    ]

    private static func makePipe(_ path: String) throws {
        #expect(try ChildProcess(["mkfifo", path]).finish().exitCode == 0)
    }

    private static func replace(_ path: String, _ make: (String) throws -> Void) throws {
        try FileManager.default.removeItem(atPath: path)
        try make(path)
    }

    @Test(
        "If the token file is lost while the service runs, callers get 503, the service is not ready, and its log says so once",
        arguments: faults.indices)
    func lost(index: Int) async throws {
        let (fault, reports) = (DamagedTokensTests.faults[index], Reports())
        let reporting = { (settings: inout ServiceSettings) in
            settings.report = { reports.add($0) }
            settings.note = { reports.add("\($0): \($1)") }
        }
        try await withService(reporting) { fixture in
            let (door, secret) = (try fixture.live(), try fixture.administrator())
            let path = TokenRegistry(dataDirectory: fixture.directory).path
            let whole = try readFile(path)
            #expect(try await door.send("GET", "/v1/stores", token: secret).status == 200)
            try fault.apply(path)
            for _ in 0..<2 {
                let answer = try await door.send("GET", "/v1/stores", token: secret)
                #expect(answer.status == 503 && answer.text.contains("tokens"), "\(fault.what): \(answer.text)")
                #expect(try await door.send("GET", "/readyz").status == 503, "\(fault.what)")
            }
            #expect(reports.lines.filter { $0.contains("tokens.jsonl") }.count == 1, "\(reports.lines)")
            try makePrivateFolder((path as NSString).deletingLastPathComponent)
            try? FileManager.default.removeItem(atPath: path)
            try replaceFile(path, with: whole)
            #expect(try await door.send("GET", "/v1/stores", token: secret).status == 200)
            #expect(try await door.send("GET", "/readyz").status == 200)
            #expect(reports.lines.last == "info: the service accepts tokens again", "\(reports.lines)")
        }
    }
}

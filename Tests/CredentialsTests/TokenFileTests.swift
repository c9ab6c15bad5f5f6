import Credentials
import Events
import Files
import Foundation
import Permissions
import TestSupport
import Testing

@Suite("The token file: a torn last line is ignored, and a damaged file makes every token invalid")
struct TokenFileTests {
    let folder: ScratchFolder
    let registry: TokenRegistry

    init() throws {
        folder = try ScratchFolder()
        registry = TokenRegistry(dataDirectory: folder.path)
    }

    private func create() throws -> String {
        try registry.create(stores: .all, right: .ask, at: .newYear).secret
    }

    private func write(_ bytes: some Sequence<UInt8>) throws {
        try Data(bytes).write(to: URL(filePath: registry.path))
    }

    /// The record of the last change. It is written after the change.
    private var record: String { folder.path + "/.muniment/tokens.head" }

    /// The file while a change is written: the first line counts the changes before it.
    private func unacknowledged(_ before: [UInt8], _ after: [UInt8], bytes: Int) throws -> [UInt8] {
        let head = try #require(before.firstIndex(of: UInt8(ascii: "\n"))) + 1
        return Array(before[..<head] + after[head..<bytes])
    }

    @Test("If an unacknowledged line is cut off anywhere, earlier tokens are valid, and the next token takes its place")
    func tornLine() throws {
        let first = try create()
        let (whole, known) = (try readFile(registry.path), try readFile(record))
        let second = try create()
        let both = try readFile(registry.path)
        for length in whole.count..<both.count {
            try replaceFile(record, with: known)
            try write(try unacknowledged(whole, both, bytes: length))
            // A process after the interruption, which has read no later line.
            let registry = TokenRegistry(dataDirectory: folder.path)
            #expect(try registry.authenticate(first, at: .newYear)?.token.id == "t1")
            #expect(try registry.authenticate(second, at: .newYear)?.token == nil)
            let third = try registry.create(stores: .all, right: .ask, at: .newYear).secret
            #expect(try registry.authenticate(third, at: .newYear)?.token.id == "t2")
            #expect(try registry.authenticate(second, at: .newYear)?.token == nil)
            #expect(try registry.list().map(\.id) == ["t1", "t2"])
        }
    }

    @Test("A line that was read before it was synced, and then removed, does not make the file an older copy")
    func removedLine() throws {
        let first = try create()
        let (whole, known) = (try readFile(registry.path), try readFile(record))
        let second = try create()
        let both = try readFile(registry.path)
        try replaceFile(record, with: known)
        try write(try unacknowledged(whole, both, bytes: both.count))
        #expect(try registry.authenticate(second, at: .newYear)?.token.id == "t2")
        try write(whole)
        #expect(try registry.authenticate(first, at: .newYear)?.token.id == "t1")
        #expect(try registry.authenticate(second, at: .newYear) == nil)
    }

    @Test("An unacknowledged last line with a line end but wrong bytes is replaced by the next one")
    func tornWholeLine() throws {
        let first = try create()
        let (whole, known) = (try readFile(registry.path), try readFile(record))
        let second = try create()
        try replaceFile(record, with: known)
        var torn = try unacknowledged(whole, try readFile(registry.path), bytes: try readFile(registry.path).count)
        torn.replaceSubrange(whole.count + 20..<whole.count + 30, with: repeatElement(0, count: 10))
        try write(torn)
        #expect(try registry.authenticate(first, at: .newYear)?.token.id == "t1")
        #expect(try registry.authenticate(second, at: .newYear)?.token == nil)
        let third = try create()
        #expect(try registry.authenticate(third, at: .newYear)?.token.id == "t2")
        #expect(try registry.list().count == 2)
    }

    @Test("An acknowledged revocation that is cut off anywhere makes every token invalid")
    func cutRevocation() throws {
        let secret = try create()
        let before = try readFile(registry.path).count
        try registry.revoke(id: "t1", at: .newYear)
        let whole = try readFile(registry.path)
        for length in before..<whole.count {
            try write(whole[..<length])
            let error = #expect(throws: TokenFileError.self) {
                try TokenRegistry(dataDirectory: folder.path).authenticate(secret, at: .newYear)?.token
            }
            #expect(error?.reason == .endsEarly(lines: 1, known: 2))
        }
    }

    @Test("A flipped bit anywhere in the file is detected, and makes every token invalid")
    func everyBit() throws {
        let secrets = try [
            registry.create(stores: .named(["firm"]), right: .act(as: "user:ann"), until: .newYear.later(seconds: 60), at: .newYear)
                .secret,
            registry.create(stores: .all, right: .administer, at: .newYear).secret,
        ]
        try registry.revoke(id: "t2", at: .newYear)
        let (whole, expected) = (try readFile(registry.path), try registry.list())
        var unnoticed = 0
        for bit in 0..<8 * whole.count {
            var flipped = whole
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            try write(flipped)
            let other = TokenRegistry(dataDirectory: folder.path)
            guard let found = try? other.list() else {
                #expect(throws: TokenFileError.self) { try secrets.map { try other.authenticate($0, at: .newYear)?.token } }
                continue
            }
            unnoticed += 1
            #expect(found == expected, "bit \(bit)")
        }
        #expect(unnoticed == 0)
    }

    @Test("A file of a build without checksums is refused, and the error says what to do")
    func withoutChecksums() throws {
        _ = try create()
        try write(Array((#"{"format":"muniment-tokens/1"}"# + "\n").utf8))
        let error = #expect(throws: TokenFileError.self) { try registry.list() }
        #expect(error?.reason == .withoutChecksums)
        #expect(error?.description.contains("create new tokens") == true)
    }

    @Test("A file that was cut off in its header during the first change is started again")
    func tornHeader() throws {
        _ = try create()
        try removeFile(record)
        try write(try readFile(registry.path).prefix(10))
        #expect(try registry.list().isEmpty)
        let secret = try create()
        #expect(try registry.authenticate(secret, at: .newYear)?.token.id == "t1")
    }

    static let damage: [(what: String, change: @Sendable (inout [String]) -> Void, line: Int)] = [
        ("a header of another format", { $0[0] = #"{"format":"muniment-tokens/3"}"# }, 1),
        ("no header", { $0.remove(at: 0) }, 1),
        ("a line that is not JSON", { $0[1] = "{" }, 2),
        ("an empty line", { $0.insert("", at: 1) }, 2),
        ("a missing line", { $0.remove(at: 1) }, 2),
        ("a duplicate line", { $0.insert($0[2], at: 2) }, 4),
        ("a missing last line", { $0.removeLast() }, 3),
        ("two additional lines", { $0 += [$0[2], $0[2]] }, 5),
        ("an unknown member", { $0[1] = $0[1].replacing("{", with: #"{"only":"mondays","#) }, 2),
        ("an unknown right", { $0[1] = $0[1].replacing("ask", with: "everything") }, 2),
        ("an actor for a right without one", { $0[1] = $0[1].replacing("{", with: #"{"as":"user:ann","#) }, 2),
        ("an invalid store name", { $0[1] = $0[1].replacing(#""*""#, with: #"["../x"]"#) }, 2),
        ("no stores", { $0[1] = $0[1].replacing(#""*""#, with: "[]") }, 2),
        ("a hash that is too short", { $0[1] = $0[1].replacing(/[0-9a-f]{64}/, with: "00") }, 2),
        ("an expiry time that is not a time", { $0[1] = $0[1].replacing("{", with: #"{"until":"soon","#) }, 2),
        ("an expiry time of null", { $0[1] = $0[1].replacing("{", with: #"{"until":null,"#) }, 2),
        ("a revocation of an unknown token", { $0[3] = $0[3].replacing("t2", with: "t7") }, 4),
    ]

    @Test("A damaged file makes every token invalid, names the damaged line, and is not written to", arguments: damage.indices)
    func damaged(index: Int) throws {
        let row = TokenFileTests.damage[index]
        let secret = try create()
        _ = try create()
        try registry.revoke(id: "t2", at: .newYear)
        var lines = String(decoding: try readFile(registry.path), as: UTF8.self).split(separator: "\n").map(String.init)
        row.change(&lines)
        let damaged = Array((lines.joined(separator: "\n") + "\n").utf8)
        try write(damaged)
        let error = #expect(throws: TokenFileError.self, "\(row.what)") { try registry.authenticate(secret, at: .newYear)?.token }
        #expect(error?.line == row.line, "\(row.what)")
        #expect(throws: TokenFileError.self) { try registry.list() }
        #expect(throws: TokenFileError.self) { try create() }
        #expect(throws: TokenFileError.self) { try registry.revoke(id: "t1", at: .newYear) }
        #expect(try readFile(registry.path) == damaged)
    }

    @Test("Concurrent writers create and revoke tokens with different numbers, and no token is lost")
    func concurrentWriters() throws {
        let path = folder.path
        let threads = (0..<8).map { _ in
            TestThread {
                let mine = TokenRegistry(dataDirectory: path)
                for index in 0..<20 {
                    let made = try mine.create(stores: .all, right: .ask, at: .newYear)
                    if index % 2 == 0 { try mine.revoke(id: made.token.id, at: .newYear) }
                    let found = try mine.authenticate(made.secret, at: .newYear)?.token
                    guard found?.id == (index % 2 == 0 ? nil : made.token.id) else { throw LostToken(id: made.token.id) }
                }
            }
        }
        for thread in threads { try thread.join() }
        let tokens = try registry.list()
        #expect(tokens.map(\.id) == (1...160).map { "t\($0)" })
        #expect(tokens.filter { $0.revokedAt != nil }.count == 80)
    }

    private struct LostToken: Error { let id: String }

    @Test("While the file is missing or replaced by another one, every token is invalid from the next lookup on")
    func replacedFile() throws {
        let (first, path) = (try create(), registry.path)
        let old = try readFile(path)
        let isValid = { (secret: String) in try registry.authenticate(secret, at: .newYear)?.token != nil }
        #expect(try isValid(first))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        #expect(throws: TokenFileError.self) { try isValid(first) }
        #expect(throws: TokenFileError.self) { try create() }
        let other = TokenRegistry(dataDirectory: folder.path + "/other")
        try makeFolder(folder.path + "/other")
        let second = try other.create(stores: .all, right: .administer, at: .newYear).secret
        // In one step, like a program that writes a new file and renames it.
        try replaceFile(path, with: try readFile(other.path))
        #expect(throws: TokenFileError.self) { try isValid(second) }
        try replaceFile(path, with: old)
        #expect(try isValid(first))
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: TokenFileError.self) { try isValid(first) }
        try FileManager.default.linkItem(atPath: path + ".old", toPath: path)
        #expect(try isValid(first))
    }

    @Test("A file that this process has read must not become empty or older, even if the record of its last change is missing")
    func withoutRecord() throws {
        let secret = try create()
        let older = try readFile(registry.path)
        try registry.revoke(id: "t1", at: .newYear)
        #expect(try registry.authenticate(secret, at: .newYear)?.token == nil)
        try removeFile(record)
        try replaceFile(registry.path, with: older)
        #expect(throws: TokenFileError.self) { try registry.authenticate(secret, at: .newYear)?.token }
        // The record is written again, so that another process refuses the older file, too.
        #expect(throws: TokenFileError.self) { try TokenRegistry(dataDirectory: folder.path).list() }
        for path in [record, registry.path] { try removeFile(path) }
        #expect(throws: TokenFileError.self) { try registry.list() }
        #expect(try TokenRegistry(dataDirectory: folder.path).list().isEmpty)
    }

    @Test("Without a file there are no tokens, and a lookup does not create the file")
    func noFile() throws {
        #expect(try registry.list().isEmpty)
        #expect(try registry.authenticate("muni_" + String(repeating: "A", count: 43), at: .newYear)?.token == nil)
        #expect(!fileExists(folder.path + "/.muniment"))
    }
}

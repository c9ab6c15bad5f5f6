import Credentials
import EventLog
import Events
import Foundation
import Hashing
import Permissions
import PostgreSQLLog
import TestSupport
import Testing

/// Someone with the password of the database appends any lines to the log of tokens. The nodes accept only lines of nodes.
@Suite("Tokens that no node made")
struct ForgedTokenTests {
    private let now = Instant.newYear
    private typealias Nodes = SharedTokensTests

    /// A token of the attacker, and the line that creates it.
    private static let secret = "muni_" + String(repeating: "A", count: 43)
    private static func line(creating id: String, secret: String = secret) -> String {
        let hash = Digest(of: secret.utf8Span.span)
        return #"{"created":"\#(id)","time":"2026-01-01T00:00:00Z","hash":"\#(hash)","can":"administer","stores":"*""#
    }

    /// Appends lines at the end of a log, as the role of the service in the database can.
    private static func append(_ lines: [[UInt8]], to log: any SharedLog) throws {
        for line in lines {
            let end = try log.position()
            let record = ChainedRecord(
                number: end.map { $0.revision.rawValue + 1 } ?? 0, bytes: line, hash: Digest(chaining: end?.hash ?? .zero, line))
            try #require(try log.append(LogGroup(commits: [record], refusals: []), after: end))
        }
    }

    private static func append(_ texts: [String], to log: any SharedLog) throws {
        try append(texts.map { Array($0.utf8) }, to: log)
    }

    private static func lines(of log: any SharedLog) throws -> [[UInt8]] {
        try log.records(after: nil, limitBytes: .max / 2).commits.map(\.bytes)
    }

    @Test("A line that no node made gives no access and stops nothing, and is reported once")
    func forged() throws {
        try Nodes.withLog { log, folder in
            let (first, second) = (Reports(), Reports())
            let nodes = [
                try Nodes.node(0, in: folder, log) { first.add($0) }, try Nodes.node(1, in: folder, log) { second.add($0) },
            ]
            let own = try nodes[0].create(stores: .all, right: .administer, at: now)
            try Nodes.copyKey(in: folder, to: 1)
            let coded = try #require(try Self.lines(of: log).last)
            let end = String(decoding: coded, as: UTF8.self)
            let code = end.suffix(#"","code":""#.utf8.count + 65)
            let after = end.dropLast(code.utf8.count).suffix(#","after":""#.utf8.count + 64)
            try Self.append(
                [
                    Self.line(creating: "t2"), "no JSON", "", Self.line(creating: "t2") + after + code,
                    Self.line(creating: "t2") + #","after":"\#(Digest(of: coded.span))"# + code,
                    #"{"revoked":"t1","time":"2026-01-01T00:00:00Z""#,
                ], to: log)
            // The sum of the chain is the database's word, too.
            let position = try #require(try log.position())
            let bytes = Array(Self.line(creating: "t3").utf8)
            let record = ChainedRecord(number: position.revision.rawValue + 1, bytes: bytes, hash: .zero)
            #expect(try log.append(LogGroup(commits: [record], refusals: []), after: position))
            for node in nodes { try node.followSharedLog() }
            defer { for node in nodes { node.stop() } }
            let added = try nodes[1].create(stores: .all, right: .ask, at: now)
            #expect(added.token.id == "t2")
            try nodes[0].revoke(id: "t2", at: now)
            try Self.append([Self.line(creating: "t3")], to: log)
            _ = try nodes[1].create(stores: .all, right: .ask, at: now)
            for (node, reports) in zip(nodes, [first, second]) {
                #expect(try node.authenticate(Self.secret, at: now) == nil)
                #expect(try node.authenticate(own.secret, at: now) != nil)
                let reported = reports.lines.filter { $0.contains("that no node made") }
                #expect(reported.count == 1 && reported[0].contains("7 lines"), "\(reports.lines)")
            }
            #expect(nodes[1].skippedSharedLines == 8)
            // A new node reads the same tokens.
            let third = try Nodes.node(2, in: folder, log)
            try Nodes.copyKey(in: folder, to: 2)
            _ = try third.create(stores: .all, right: .ask, at: now)
            #expect(try third.list().map(\.id) == ["t1", "t2", "t3", "t4"])
            #expect(try third.list().map { $0.revokedAt != nil } == [false, true, false, false])
        }
    }

    @Test("A revoked token does not come back by lines that are added again, moved or left out")
    func replayed() throws {
        try Nodes.withLog { log, folder in
            let node = try Nodes.node(0, in: folder, log)
            let (secret, token) = try node.create(stores: .all, right: .administer, at: now)
            try node.revoke(id: token.id, at: now)
            _ = try node.create(stores: .all, right: .ask, at: now)
            let lines = try Self.lines(of: log)
            #expect(lines.count == 4)
            try Self.append(lines + lines.reversed(), to: log)
            try Nodes.copyKey(in: folder, to: 1)
            let other = try Nodes.node(1, in: folder, log)
            let known = try node.list()
            for node in [node, other] {
                try node.followSharedLog()
                node.stop()
                #expect(try node.authenticate(secret, at: now) == nil)
                #expect(try node.list() == known)
            }
            // The database rewrites the log: without the revocation, with two lines exchanged, and with the end cut off.
            for (number, changed) in [[0, 1, 3], [0, 1, 3, 2], [0, 3], [0, 1]].enumerated() {
                try Nodes.withLog { rewritten, _ in
                    try Self.append(changed.map { lines[$0] }, to: rewritten)
                    // The node's own copy has the revocation.
                    let copy = TokenRegistry(dataDirectory: folder + "/node0", shared: rewritten)
                    #expect(Self.differs { try copy.followSharedLog() }, "\(changed)")
                    #expect(try copy.authenticate(secret, at: now) == nil)
                    // A new node sees that lines before others are missing. It cannot see that the last ones are.
                    let new = try Nodes.node(number + 2, in: folder, rewritten)
                    try Nodes.copyKey(in: folder, to: number + 2)
                    #expect(Self.differs { try new.followSharedLog() } == (changed.count != 2 || changed[1] == 3), "\(changed)")
                    new.stop()
                }
            }
        }
    }

    private static func differs(_ body: () throws -> Void) -> Bool {
        do { try body() } catch SharedLogError.diverged { return true } catch {
            Issue.record(error)
            return false
        }
        return false
    }

    @Test("A log that an earlier release wrote is followed only after an operator has adopted its tokens")
    func adopted() throws {
        try Nodes.withLog { log, folder in
            let other = Self.secret.replacing("A", with: "B")
            let old = [
                Self.line(creating: "t1"), Self.line(creating: "t2", secret: other),
                #"{"revoked":"t1","time":"2026-01-02T00:00:00Z""#,
            ]
            try Self.append(old, to: log)
            let nodes = try (0..<2).map { try Nodes.node($0, in: folder, log) }
            defer { for node in nodes { node.stop() } }
            for node in nodes {
                #expect(throws: TokenLogError.withoutCodes(lines: 3)) { try node.followSharedLog() }
                #expect(throws: TokenLogError.withoutCodes(lines: 3)) { try node.checkSharedLog() }
                #expect(throws: TokenLogError.withoutCodes(lines: 3)) { try node.create(stores: .all, right: .ask, at: now) }
                #expect(try node.authenticate(other, at: now) == nil)
            }
            let found = try nodes[0].adoptSharedLines()
            #expect(found.map(\.id) == ["t1", "t2"] && found.map { $0.revokedAt != nil } == [true, false])
            #expect(try nodes[0].authenticate(other, at: now) != nil)
            #expect(try nodes[0].authenticate(Self.secret, at: now) == nil)
            #expect(throws: TokenLogError.keyMissing(path: nodes[1].keyPath)) { try nodes[1].followSharedLog() }
            for node in nodes { #expect(throws: TokenLogError.hasCodes) { try node.adoptSharedLines() } }
            #expect(!FileManager.default.fileExists(atPath: nodes[1].keyPath))
            try Nodes.copyKey(in: folder, to: 1)
            try nodes[1].followSharedLog()
            #expect(try nodes[1].list() == found)
            // A line that is not a change of tokens cannot be adopted, and neither can lines that the node's copy contradicts.
            try Nodes.withLog { log, folder in
                try Self.append(["no JSON"], to: log)
                #expect(throws: TokenLogError.unreadable(line: 1)) { try Nodes.node(0, in: folder, log).adoptSharedLines() }
            }
            try Nodes.withLog { changed, _ in
                try Self.append([old[0], Self.line(creating: "t2", secret: Self.secret.replacing("A", with: "C"))], to: changed)
                let copy = TokenRegistry(dataDirectory: folder + "/node0", shared: changed)
                #expect(Self.differs { _ = try copy.adoptSharedLines() })
                #expect(try Self.lines(of: changed).count == 2)
            }
        }
    }

    @Test("A node without the key of the tokens, with another one or with one that others can read is refused")
    func keys() throws {
        try Nodes.withLog { log, folder in
            let first = try Nodes.node(0, in: folder, log)
            _ = try first.create(stores: .all, right: .administer, at: now)
            let mode = try FileManager.default.attributesOfItem(atPath: first.keyPath)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let key = try Data(contentsOf: URL(filePath: first.keyPath))
            let lines = try Self.lines(of: log).map { String(decoding: $0, as: UTF8.self) }
            let secret = String(decoding: key.dropLast().split(separator: UInt8(ascii: " "))[1], as: UTF8.self)
            #expect(secret.count == 43 && !lines.contains { $0.contains(secret) })
            let node = try Nodes.node(1, in: folder, log)
            #expect(throws: TokenLogError.keyMissing(path: node.keyPath)) { try node.followSharedLog() }
            #expect(throws: TokenLogError.keyMissing(path: node.keyPath)) { try node.checkSharedLog() }
            try Nodes.withLog { other, _ in _ = try Nodes.node(2, in: folder, other).create(stores: .all, right: .ask, at: now) }
            try FileManager.default.copyItem(atPath: folder + "/node2/.muniment/tokens.key", toPath: node.keyPath)
            #expect(throws: TokenLogError.otherKey(path: node.keyPath)) { try node.followSharedLog() }
            #expect(throws: TokenLogError.otherKey(path: node.keyPath)) { try node.create(stores: .all, right: .ask, at: now) }
            try key.dropFirst().write(to: URL(filePath: node.keyPath))
            #expect(throws: TokenLogError.keyMalformed(path: node.keyPath)) { try node.followSharedLog() }
            try key.write(to: URL(filePath: node.keyPath))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: node.keyPath)
            #expect {
                try node.followSharedLog()
            } throws: {
                "\($0)".contains("chmod 600")
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: node.keyPath)
            try node.followSharedLog()
            node.stop()
        }
    }

    @Test("Tokens of a restored node, which had codes and then none, begin an empty log")
    func restored() throws {
        try withTemporaryFolder { folder in
            var secrets: [String] = []
            try Nodes.withLog { log, _ in
                secrets.append(try Nodes.node(0, in: folder, log).create(stores: .all, right: .ask, at: now).secret)
            }
            // With the key, the same lines begin the next log. Without it, or with lines that were made on one machine, they are adopted.
            for step in 0..<3 {
                if step == 1 {
                    try FileManager.default.removeItem(atPath: folder + "/node0/.muniment/tokens.shared")
                    secrets.append(
                        try TokenRegistry(dataDirectory: folder + "/node0").create(stores: .all, right: .ask, at: now).secret)
                }
                if step == 2 { try FileManager.default.removeItem(atPath: folder + "/node0/.muniment/tokens.key") }
                try Nodes.withLog { log, _ in
                    let node = try Nodes.node(0, in: folder, log)
                    secrets.append(try node.create(stores: .all, right: .ask, at: now).secret)
                    try? FileManager.default.removeItem(atPath: folder + "/node1")
                    try Nodes.copyKey(in: folder, to: 1)
                    let other = try Nodes.node(1, in: folder, log)
                    try other.followSharedLog()
                    other.stop()
                    for secret in secrets {
                        let isValid = try other.authenticate(secret, at: now) != nil
                        #expect(isValid, "step \(step)")
                    }
                    #expect(other.skippedSharedLines == 0)
                }
            }
        }
    }

    @Test("The role of the service appends only to logs of stores and to the log of tokens, in their form")
    func names() throws {
        let logs = try Database.logs()
        defer { logs.close() }
        func isRefused(_ name: String, _ bytes: [UInt8], hash: [UInt8]? = nil, after revision: Int = -1, refusal: Int = 0) throws
            -> Bool
        {
            func literal(_ bytes: [UInt8]) -> String {
                "'\\x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'::bytea"
            }
            let hash = hash ?? Digest(chaining: .zero, bytes).bytes
            let call = """
                SET SESSION AUTHORIZATION muniment;
                SELECT muniment.append('\(name)', gen_random_uuid(), \(revision), '', \(refusal), '', ARRAY[\(literal(bytes))],
                    ARRAY[\(literal(hash))], ARRAY[]::bytea[], ARRAY[]::bytea[])
                """
            do {
                let result = try Database.server.get().run(call)
                #expect(result == "1\n" || result == "0\n")
                return false
            } catch {
                #expect("\(error)".contains("muniment.append: "), "\(error)")
                return true
            }
        }
        let name = UUID().uuidString.lowercased()
        for wrong in ["", "/", "/other", "/tokens2", "Store", "a/b", "-a", "a b", "a\nb", "ä", String(repeating: "a", count: 64)] {
            let refused = try isRefused(wrong, [1])
            #expect(refused, "\(wrong)")
        }
        let (shortHash, beforeTheFirst, refusalFirst, longLine) = (
            try isRefused(name, [1], hash: [1, 2]), try isRefused(name, [1], after: -2), try isRefused(name, [1], refusal: 7),
            try isRefused("/tokens", [UInt8](repeating: 65, count: 20_001))
        )
        #expect(shortHash && beforeTheFirst && refusalFirst && longLine)
        #expect(try !logs.names().contains(name))
        #expect(try !isRefused(name, [UInt8](repeating: 65, count: 20_001)))
        #expect(try logs.names().contains(name))
    }
}

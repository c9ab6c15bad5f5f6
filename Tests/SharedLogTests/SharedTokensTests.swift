import Credentials
import EventLog
import Events
import Foundation
import Permissions
import PostgreSQLLog
import Synchronization
import TestSupport
import Testing

@Suite("Tokens with a shared log")
struct SharedTokensTests {
    /// Waits until a condition holds; false after twenty minutes.
    private func wait(until condition: () throws -> Bool) rethrows -> Bool {
        let deadline = ContinuousClock.now + .seconds(1_200)
        while ContinuousClock.now < deadline {
            if try condition() { return true }
            Thread.sleep(forTimeInterval: 0.02)
        }
        return false
    }

    /// Calls `body` with an empty log and a folder for nodes.
    static func withLog(_ body: (any SharedLog, _ folder: String) throws -> Void) throws {
        try Implementation.postgreSQL.withLog { log in try withTemporaryFolder { try body(log, $0) } }
    }

    /// Returns the tokens of a node with a folder of its own.
    static func node(
        _ number: Int, in folder: String, _ log: any SharedLog, report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> TokenRegistry {
        let path = "\(folder)/node\(number)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return TokenRegistry(dataDirectory: path, shared: log, report: report)
    }

    /// Gives the key of node 0 to another node.
    static func copyKey(in folder: String, to number: Int) throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/node\(number)/.muniment", withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: "\(folder)/node0/.muniment/tokens.key", toPath: "\(folder)/node\(number)/.muniment/tokens.key")
    }

    @Test("A token that is created or revoked at one node is so at the others, with the same file")
    func tokens() throws {
        try Self.withLog { log, folder in
            let nodes = try (0..<2).map { try Self.node($0, in: folder, log) }
            try nodes[0].followSharedLog()
            try Self.copyKey(in: folder, to: 1)
            try nodes[1].followSharedLog()
            defer { for node in nodes { node.stop() } }
            let now = Instant.newYear
            let (secret, token) = try nodes[0].create(stores: .all, right: .administer, at: now)
            let other = try nodes[1].create(stores: .all, right: .ask, at: now)
            #expect([token.id, other.token.id] == ["t1", "t2"])
            #expect(
                try wait {
                    try nodes[1].authenticate(secret, at: now) != nil && nodes[0].authenticate(other.secret, at: now) != nil
                })
            try nodes[1].revoke(id: "t1", at: now)
            #expect(try nodes[1].authenticate(secret, at: now) == nil)
            #expect(try wait { try nodes[0].authenticate(secret, at: now) == nil })
            #expect(throws: TokenError.alreadyRevoked(id: "t1", at: now)) { try nodes[0].revoke(id: "t1", at: now) }
            let files = try nodes.map { try Data(contentsOf: URL(filePath: $0.path)) }
            #expect(files[0] == files[1])
            // Without the log, the copy takes no change.
            #expect(throws: TokenError.shared(path: nodes[0].path)) {
                try TokenRegistry(dataDirectory: folder + "/node0").create(stores: .all, right: .ask, at: now)
            }
        }
    }

    @Test("A revocation that reached the log is reported as made, also if the node then loses the log")
    func lostLog() throws {
        try Self.withLog { log, folder in
            let now = Instant.newYear
            let other = try Self.node(0, in: folder, log)
            let (secret, token) = try other.create(stores: .all, right: .administer, at: now)
            let notes = Reports()
            try Self.copyKey(in: folder, to: 1)
            let node = try Self.node(1, in: folder, LogLostAfterAppend(log)) { notes.add($0) }
            try node.revoke(id: token.id, at: now)
            #expect(notes.lines.count == 1 && notes.lines[0].contains("is in the shared log"), "\(notes.lines)")
            #expect(throws: TokenError.alreadyRevoked(id: token.id, at: now)) { try other.revoke(id: token.id, at: now) }
            #expect(try other.authenticate(secret, at: now) == nil)
        }
    }

    /// A shared log that is unreachable after the first append.
    private final class LogLostAfterAppend: SharedLog {
        private let log: any SharedLog
        private let isLost = Atomic(false)

        init(_ log: any SharedLog) { self.log = log }

        private var reachable: any SharedLog {
            get throws {
                if isLost.load(ordering: .relaxed) { throw SharedLogError.unreachable("a fault of the test") }
                return log
            }
        }

        func position() throws -> LogPosition? { try reachable.position() }

        func append(_ group: LogGroup, after position: LogPosition?) throws -> Bool {
            defer { isLost.store(true, ordering: .relaxed) }
            return try reachable.append(group, after: position)
        }

        func records(after position: LogPosition?, limitBytes: Int) throws -> LogGroup {
            try reachable.records(after: position, limitBytes: limitBytes)
        }

        func wait(after position: LogPosition, atMost duration: Duration) throws -> ContinuousClock.Instant? {
            try reachable.wait(after: position, atMost: duration)
        }
    }

    @Test("The first node brings its tokens to the log, and a node with other tokens is refused")
    func firstNode() throws {
        try Self.withLog { log, folder in
            let now = Instant.newYear
            var secrets: [String] = []
            for node in 0..<2 {
                try FileManager.default.createDirectory(atPath: "\(folder)/node\(node)", withIntermediateDirectories: true)
                secrets.append(
                    try TokenRegistry(dataDirectory: "\(folder)/node\(node)").create(stores: .all, right: .ask, at: now).secret)
            }
            let first = TokenRegistry(dataDirectory: folder + "/node0", shared: log)
            try first.followSharedLog()
            defer { first.stop() }
            #expect(try first.authenticate(secrets[0], at: now) != nil)
            try Self.copyKey(in: folder, to: 1)
            let second = TokenRegistry(dataDirectory: folder + "/node1", shared: log)
            #expect { try second.followSharedLog() } throws: { error in
                if case SharedLogError.diverged? = error as? SharedLogError { true } else { false }
            }
            #expect(try second.authenticate(secrets[1], at: now) != nil, "nothing was changed")
        }
    }
}

internal import Dispatch
public import EventLog
internal import Events
internal import Foundation
internal import Hashing
internal import Primitives
internal import Synchronization

/// The shared logs of a data directory, one for each store, in a database of PostgreSQL.
///
/// The engine must be configured so that it acknowledges a commit after a synchronous standby has it on its disk. This is checked with
/// each connection.
public final class PostgreSQLLogs: SharedLogs {
    private let allowsNoStandby: Bool
    private let writers: ConnectionPool
    private let readers: ConnectionPool
    let heads: HeadWatch
    private let isNotifying = Atomic(false)
    private let notifier = DispatchQueue(label: "muniment.shared-log.notifier")

    /// - Parameters:
    ///   - address: the address, such as `postgresql://muniment@a,b,c/muniment?target_session_attrs=read-write`.
    ///   - allowsNoStandby: whether a server without a synchronous standby is accepted. Commits are then lost with its disk.
    ///   - allowsInsecure: whether the password is sent to any server that listens at the address, for trials.
    public init(_ address: PostgreSQLAddress, allowsNoStandby: Bool = false, allowsInsecure: Bool = false) {
        self.allowsNoStandby = allowsNoStandby
        let connect: @Sendable () -> PostgreSQLConnection = {
            PostgreSQLConnection(address, isProtected: !allowsInsecure) { try Self.check($0, allowsNoStandby: allowsNoStandby) }
        }
        writers = ConnectionPool(connect)
        readers = ConnectionPool(connect)
        heads = HeadWatch(connect)
    }

    /// Ends the thread that watches the logs, and closes the connections that are not in use.
    public func close() {
        heads.stop()
        writers.close()
        readers.close()
    }

    /// Connects, and throws if the database cannot be used.
    ///
    /// - Throws: `SharedLogError`.
    public func check() throws { _ = try names() }

    /// Returns the log of a store, which need not exist yet.
    public func log(of store: String) -> any SharedLog { PostgreSQLLog(store, self) }

    /// The names of all stores, in no order.
    public func names() throws -> [String] {
        try reading { try $0.run("SELECT store FROM muniment.heads") }
            .compactMap { $0[0].map { String(decoding: $0, as: UTF8.self) } }
    }

    /// Throws unless the server keeps acknowledged rows, and has the tables of this version.
    private static func check(_ connection: PostgreSQLConnection, allowsNoStandby: Bool) throws {
        let settings = try connection.run(
            """
            SELECT current_setting('synchronous_commit'), current_setting('synchronous_standby_names'), current_setting('fsync'),
                pg_is_in_recovery()::text, coalesce(to_regclass('muniment.version')::text, '')
            """)
        let texts = settings.first.map { $0.map { String(decoding: $0 ?? [], as: UTF8.self) } } ?? []
        guard texts.count == 5 else { throw SharedLogError.unreachable("the server did not describe itself") }
        guard texts[3] == "false" else {
            throw SharedLogError.unreachable("the server is a standby: add `target_session_attrs=read-write` to the address")
        }
        guard ["on", "remote_apply"].contains(texts[0]) else {
            throw SharedLogError.notDurable("`synchronous_commit` is `\(texts[0])`: set it to `on` or `remote_apply`")
        }
        guard texts[2] == "on" else { throw SharedLogError.notDurable("`fsync` is `\(texts[2])`: set it to `on`") }
        guard allowsNoStandby || !texts[1].isEmpty else { throw noStandby }
        guard !texts[4].isEmpty else {
            throw SharedLogError.unprepared(
                "the database has no tables for logs: run `muniment log schema` and give its output to `psql`")
        }
        let version = Int64(bigEndian: try connection.run("SELECT max(version) FROM muniment.version").first?[0])
        guard version == PostgreSQLSchema.version else {
            throw SharedLogError.unprepared(
                "its tables have version \(version.map(String.init) ?? "?"), and this program needs \(PostgreSQLSchema.version): "
                    + "use the program and the output of `muniment log schema` of one release")
        }
        _ = try connection.run("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED")
    }

    fileprivate static let noStandby = SharedLogError.notDurable(
        "`synchronous_standby_names` is empty, so commits are lost with the server: configure a synchronous standby, or accept the loss "
            + "with `--log-without-standby`")

    fileprivate func reading<R>(_ body: (PostgreSQLConnection) throws -> R) throws -> R { try readers.with(body) }
    fileprivate func writing<R>(_ body: (PostgreSQLConnection) throws -> R) throws -> R { try writers.with(body) }

    /// Throws if a server without a synchronous standby has acknowledged a commit, unless this is accepted.
    fileprivate func requireStandby(_ isMissing: Bool) throws(SharedLogError) {
        if isMissing, !allowsNoStandby { throw Self.noStandby }
    }

    /// Wakes the other nodes soon. Many calls at once are one notification. Nothing is lost if it fails: nodes also look by themselves.
    fileprivate func notify() {
        // A command of the tool ends soon after its change, and must not leave a thread.
        guard heads.isWatching else { return sendNotification() }
        guard isNotifying.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
            return
        }
        notifier.async { [self] in
            isNotifying.store(false, ordering: .releasing)
            sendNotification()
        }
    }

    private func sendNotification() {
        _ = try? reading {
            // A notification need not be durable.
            try $0.run("SELECT set_config('synchronous_commit', 'off', true), pg_notify('muniment', '')")
        }
    }
}

/// The shared log of one store.
struct PostgreSQLLog: SharedLog {
    private let store: String
    private let logs: PostgreSQLLogs
    private let positions: Coalesced<LogPosition?>

    /// How long an append or a read is tried, in seconds. A failover of the server takes longer.
    private static let patience = 5.0
    /// The largest number of records that are read at once.
    private static let recordLimit: Int64 = 10_000

    init(_ store: String, _ logs: PostgreSQLLogs) {
        self.store = store
        self.logs = logs
        positions = Coalesced { try Self.position(of: store, logs) }
    }

    func position() throws -> LogPosition? { try positions.value() }

    private static func position(of store: String, _ logs: PostgreSQLLogs) throws -> LogPosition? {
        try logs.reading { connection in
            // The row was the present one if the standbys still follow this server after it was read.
            let found = try connection.runDurably(
                """
                SELECT h.revision, h.hash, h.refusal, h.refusal_hash, current_setting('synchronous_standby_names') = ''
                FROM (SELECT muniment.confirm()) AS c LEFT JOIN muniment.heads AS h ON h.store = $1
                """, [.text(store)])
            guard let row = found.first else { throw SharedLogError.unreachable("the server gave no result") }
            try logs.requireStandby(row[4] == [1])
            return try LogPosition(row[...3])
        }
    }

    func append(_ group: LogGroup, after position: LogPosition?) throws -> Bool {
        let parameters: [PostgreSQLConnection.Parameter] = [
            .text(store), .uuid(UUID()), .int64(position.map { Int64($0.revision.rawValue) } ?? -1),
            .bytes(position?.hash.bytes ?? []), .int64(Int64(position?.refusal?.number.rawValue ?? 0)),
            .bytes(position?.refusal?.hash.bytes ?? []), .arrays(group.commits.map(\.bytes)),
            .arrays(group.commits.map(\.hash.bytes)), .arrays(group.refusals.map(\.bytes)),
            .arrays(group.refusals.map(\.hash.bytes)),
        ]
        // An attempt can be sent again, also to another server: it is appended once.
        let outcome = try tried { connection in
            _ = connection.takeWarning()
            let found = try connection.run(
                """
                SELECT muniment.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10), current_setting('synchronous_standby_names') = ''
                """, parameters)
            guard let row = found.first, let outcome = Int32(bigEndian: row[0]) else {
                throw SharedLogError.unreachable("the server gave no result")
            }
            if outcome != 0 { try logs.requireStandby(row[1] == [1]) }
            // A cancelled wait for the standbys is a warning. An earlier attempt may have been cancelled too.
            if connection.takeWarning() || outcome == 2 { try waitUntilDurable(connection) }
            return outcome != 0
        }
        if outcome { logs.notify() }
        return outcome
    }

    /// Tries for some time to run statements on a connection, which is made anew after each failure.
    private func tried<R>(_ body: (PostgreSQLConnection) throws -> R) throws -> R {
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        while true {
            do { return try logs.writing(body) } catch SharedLogError.unreachable(let reason) {
                guard ContinuousClock.now < deadline else { throw SharedLogError.unreachable(reason) }
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    /// Returns after all commits that the server shows now are on the disks of its synchronous standbys. It shows a commit only after it
    /// has written it to its own disk.
    private func waitUntilDurable(_ connection: PostgreSQLConnection) throws {
        guard let place = try connection.run("SELECT pg_current_wal_flush_lsn()").first?[0] else {
            throw SharedLogError.unreachable("the server gave no result")
        }
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        while true {
            let found = try connection.run(
                "SELECT muniment.is_durable($1)", [PostgreSQLConnection.Parameter(type: 3220, bytes: place)])
            if found.first?[0] == [1] { return }
            guard ContinuousClock.now < deadline else {
                throw SharedLogError.unreachable("the synchronous standbys do not follow the server")
            }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    func records(after position: LogPosition?, limitBytes: Int) throws -> LogGroup {
        let revision = position.map { Int64($0.revision.rawValue) } ?? -1
        let refusal = Int64(position?.refusal?.number.rawValue ?? 0)
        return try logs.reading { connection in
            // The record at the position comes first, to compare its hash.
            func rows(_ table: String, _ number: String, from first: Int64) throws -> [ChainedRecord] {
                try connection.run(
                    """
                    SELECT number, bytes, hash FROM (
                        SELECT \(number) AS number, bytes, hash,
                            sum(octet_length(bytes)) OVER (ORDER BY \(number)) - octet_length(bytes) AS before
                        FROM muniment.\(table) WHERE store = $1 AND \(number) >= $2 ORDER BY \(number) LIMIT $3
                    ) AS r WHERE before < $4 OR number <= $2 + 1 ORDER BY number
                    """, [.text(store), .int64(first), .int64(Self.recordLimit), .int64(Int64(limitBytes))], within: 30
                ).map { try ChainedRecord($0) }
            }
            var commits = try rows("commits", "revision", from: revision)
            var refusals = try rows("refusals", "number", from: refusal)
            if let position {
                guard let known = commits.first, known.number == position.revision.rawValue, known.hash == position.hash else {
                    try connection.confirm()
                    throw SharedLogError.diverged("the shared log does not contain \(position)")
                }
                commits.removeFirst()
            }
            if let last = position?.refusal {
                guard let known = refusals.first, known.number == last.number.rawValue, known.hash == last.hash else {
                    try connection.confirm()
                    throw SharedLogError.diverged("the shared log does not contain \(last)")
                }
                refusals.removeFirst()
            }
            // A record that only the server has can vanish with it.
            if !commits.isEmpty || !refusals.isEmpty { try waitUntilDurable(connection) }
            return LogGroup(commits: commits, refusals: refusals)
        }
    }

    func wait(after position: LogPosition, atMost duration: Duration) throws -> ContinuousClock.Instant? {
        try logs.heads.wait(for: store, after: position, atMost: duration)
    }
}

extension LogPosition {
    /// Reads revision, hash, refusal and its hash; nil for nulls.
    init?(_ row: ArraySlice<[UInt8]?>) throws(SharedLogError) {
        let row = Array(row)
        guard row[0] != nil else { return nil }
        guard let revision = Int64(bigEndian: row[0]), let hash = row[1].flatMap({ Digest(bytes: $0) }),
            let refusal = Int64(bigEndian: row[2]), revision >= 0, refusal >= 0
        else { throw .diverged("a row of `heads` cannot be read") }
        let last = row[3].flatMap { Digest(bytes: $0) }.map {
            RefusalHead(number: RefusalNumber(UInt64(refusal)), hash: $0)
        }
        self.init(revision: Revision(UInt64(revision)), hash: hash, refusal: refusal == 0 ? nil : last)
    }
}

extension ChainedRecord {
    /// Reads number, bytes and hash.
    init(_ row: [[UInt8]?]) throws(SharedLogError) {
        guard let number = Int64(bigEndian: row[0]), number >= 0, let bytes = row[1],
            let hash = row[2].flatMap({ Digest(bytes: $0) })
        else { throw .diverged("a record cannot be read") }
        self.init(number: UInt64(number), bytes: bytes, hash: hash)
    }
}

/// A question that many threads ask at once, and that is answered for all of them: each gets an answer to a question that was asked after
/// its own call began.
final class Coalesced<Answer: Sendable>: @unchecked Sendable {
    private let ask: @Sendable () throws -> Answer
    private let condition = NSCondition()
    private var started: UInt64 = 0
    private var answered: UInt64 = 0
    private var isAsking = false
    private var answer: Result<Answer, any Error>?

    init(_ ask: @escaping @Sendable () throws -> Answer) { self.ask = ask }

    func value() throws -> Answer {
        condition.lock()
        defer { condition.unlock() }
        let wanted = started + 1
        while true {
            if answered >= wanted, let answer { return try answer.get() }
            guard !isAsking else {
                condition.wait()
                continue
            }
            isAsking = true
            started += 1
            let number = started
            condition.unlock()
            let result = Result { try ask() }
            condition.lock()
            (isAsking, answered, answer) = (false, number, result)
            condition.broadcast()
        }
    }
}

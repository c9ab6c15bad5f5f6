public import EventLog
public import Events
internal import Files
internal import Foundation
internal import Hashing
internal import Permissions
internal import Secrets
internal import Synchronization

/// The tokens of a data directory, in a file that the service and the command line tool share.
///
/// Each change is appended to the file, and is on the disk before the call returns. A lookup sees changes of other processes
/// immediately.
public final class TokenRegistry: Sendable {
    let lines: SharedLines
    let folder: String
    let report: @Sendable (String) -> Void
    let note: @Sendable (String) -> Void
    /// The log of all changes that several nodes share; nil for a service on one machine.
    let shared: (any SharedLog)?
    let isStopped = Atomic(false)
    private let latest = Mutex(Latest())
    let following = Mutex(Following())
    let skippedLines = Atomic(0)

    /// The shared log as it was read.
    struct Following {
        var reader: TokenLogReader?
        var hasReportedSkipped = false
    }

    private struct Latest {
        var reading: Reading?
        var memory = TokenMemory()

        /// Keeps the result of a complete read.
        mutating func keep(_ new: Reading?) {
            reading = new
            if let file = new?.file { memory.keep(file) }
        }
    }

    /// The file as it was read.
    private final class Reading: Sendable {
        let file: TokenFile
        let watch: FileChangeCheck

        init(_ file: TokenFile, _ watch: FileChangeCheck) {
            self.file = file
            self.watch = watch
        }
    }

    /// The path of the record of the last change.
    var record: String { folder + "/tokens.head" }

    /// The path of the token file.
    public var path: String { lines.path }

    /// - Parameters:
    ///   - dataDirectory: the folder of the stores. It must exist. Missing files in it are created with the first token.
    ///   - shared: the log of all changes that several nodes share, and that the file copies; nil for a service on one machine.
    ///   - report: receives a line when a change was made but a step after it failed, and when the shared log is
    ///     not reached.
    ///   - note: receives a line when the shared log can be reached again.
    public init(
        dataDirectory: String, shared: (any SharedLog)? = nil, report: @escaping @Sendable (String) -> Void = { _ in },
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.report, self.note) = (report, note)
        self.shared = shared
        folder = dataDirectory + "/.muniment"
        lines = SharedLines(path: folder + "/tokens.jsonl")
    }

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - stores: the stores that the token opens: at least one.
    ///   - right: the right that the token gives.
    ///   - until: when the token expires; nil if it does not expire.
    ///   - comment: a comment to recognize the token by, at most 1,024 bytes. It is not secret.
    ///   - instant: the current time.
    ///   - keep: called with the secret before the token exists, so that no end of the process can leave a token without its secret. An
    ///     error that it throws is thrown.
    /// - Returns: the secret, which is not stored and cannot be read again, and the token.
    /// - Throws: ``TokenError``, ``TokenFileError``, or a file's error. In each case no token is created.
    public func create(
        stores: StoreScope, right: Right, until: Instant? = nil, comment: String? = nil, at instant: Instant,
        keep: (String) throws -> Void = { _ in }
    ) throws -> (secret: String, token: Token) {
        try TokenRegistry.check(stores, right, until, comment, instant)
        let secret = TokenSecret.random()
        try keep(secret)
        var made: Token?
        try change { book in
            let token = Token(
                id: book.nextID, stores: stores, right: right, until: until, createdAt: instant, comment: comment)
            made = token
            return .created(token, TokenSecret.digest(secret))
        }
        guard let made else { preconditionFailure("a token was appended and not made") }
        return (secret, made)
    }

    /// Revokes a token. It is invalid from now on, also for a running service.
    ///
    /// - Parameters:
    ///   - id: the id of the token.
    ///   - instant: the current time.
    /// - Throws: ``TokenError/noSuchToken(id:)``, ``TokenError/alreadyRevoked(id:at:)``, ``TokenFileError``, or a file's error.
    @discardableResult
    public func revoke(id: String, at instant: Instant) throws -> Token {
        var ended: Token?
        try change { book in
            guard let token = book.token(id: id) else { throw TokenError.noSuchToken(id: id) }
            if let time = token.revokedAt { throw TokenError.alreadyRevoked(id: id, at: time) }
            ended = token
            ended?.revokedAt = instant
            return .revoked(id: id, instant)
        }
        guard let ended else { preconditionFailure("a token was taken back and not found") }
        return ended
    }

    /// Returns every token that was ever created, in the order of creation.
    public func list() throws -> [Token] { try book().tokens }

    /// Returns the hash of the first token that was ever created: 32 bytes; nil without one. It never changes.
    package func firstDigest() throws -> [UInt8]? { try book().firstDigest?.bytes }

    /// Returns the token with a secret if it is valid at an instant; nil for a token that is unknown, revoked or expired.
    ///
    /// Costs a hash, a system call and a dictionary lookup. The time it takes does not show which tokens exist.
    ///
    /// - Throws: an error if the file cannot be read or decoded. In this case no token is valid.
    public func authenticate(_ secret: String, at instant: Instant) throws -> AuthenticatedToken? {
        guard TokenSecret.isWellFormed(secret) else { return nil }
        let digest = TokenSecret.digest(secret)
        guard let found = try book().token(for: digest), Secrets.areEqual(found.digest.bytes, digest.bytes),
            found.token.isValid(at: instant)
        else { return nil }
        return found
    }

    /// Returns the token with an id, for a saved browser session; nil for an unknown id. Does not check that the token is valid.
    ///
    /// - Throws: an error if the file cannot be read or decoded.
    public func authenticated(id: String) throws -> AuthenticatedToken? { try book().authenticated(id: id) }

    /// Returns whether a token that was authenticated before is still valid. Costs a system call.
    ///
    /// - Throws: an error if the file cannot be read or decoded. In this case no token is valid.
    public func isValid(_ authenticated: AuthenticatedToken, at instant: Instant) throws -> Bool {
        try book().isValid(authenticated, at: instant)
    }

    /// Returns the tokens in the current file.
    private func book() throws -> TokenTable {
        if let reading = latest.withLock({ $0.reading }), reading.watch.isUnchanged { return reading.file.book }
        // Only a complete read is kept. After an error, the next call reads again.
        let reading = try read()
        latest.withLock { $0.keep(reading) }
        return reading?.file.book ?? TokenTable()
    }

    /// Reads the current file; nil if it does not exist.
    private func read() throws -> Reading? {
        // Both are read before the file. A writer changes the file first, so they are never ahead of the file.
        let (record, memory) = (try TokenRecord(at: record), latest.withLock { $0.memory })
        guard let (bytes, watch) = try lines.read() else {
            _ = try file([], record, memory)
            return nil
        }
        do { return Reading(try file(bytes, record, memory), watch) } catch {
            // The first line may have been read while a writer overwrote it. Damage is reported only if a read without a writer shows it,
            // too.
            guard let (bytes, watch) = try lines.read(afterWriters: true) else { throw error }
            return Reading(try file(bytes, record, memory), watch)
        }
    }

    /// Decodes the file.
    ///
    /// - Throws: ``TokenFileError`` if it is damaged, or older than the record or the memory.
    private func file(_ bytes: [UInt8], _ record: TokenRecord?, _ memory: TokenMemory) throws -> TokenFile {
        let file = try TokenFile(bytes, path: path, record: record)
        guard let end = memory.end, !memory.isContinued(by: file) else { return file }
        // The record is older, too, or missing. It is written again, so that a restart refuses the file, and `accept-rollback` accepts it.
        // A copy of a shared log needs no record: after a restart it gets the missing lines from the log.
        if case nil = shared, !bytes.isEmpty { try? replaceFile(self.record, with: end.bytes, isShared: true) }
        throw TokenFileError(
            path: path, line: file.changes + 1, reason: .rolledBack(lines: file.changes, known: end.lines))
    }

    private func change(_ decide: (TokenTable) throws -> TokenLine) throws {
        if let shared {
            while true {
                let reader = try follow(shared)
                // After following, the log has a line that was made with the key.
                guard let key = try TokenLogKey.read(keyPath) else { throw TokenLogError.keyMissing(path: keyPath) }
                let group = LogGroup(commits: [reader.record(of: try decide(reader.table), key)], refusals: [])
                guard try shared.append(group, after: reader.position) else { continue }
                do { _ = try follow(shared) } catch {
                    report("the change of tokens is in the shared log, but is not known here yet: \(error)")
                }
                return
            }
        }
        if fileExists(sharedMark) { throw TokenError.shared(path: path) }
        let unfinished = try append { bytes in
            let file = try file(bytes, TokenRecord(at: record), latest.withLock { $0.memory })
            return try file.adding([file.record(of: try decide(file.book))])
        }
        if let unfinished {
            report(
                "the change of tokens is made, but a step after it failed: \(unfinished). Until the next change, an older copy of "
                    + "`\(path)` may not be noticed")
        }
    }

    /// Ends following the shared log.
    public func stop() { isStopped.store(true, ordering: .releasing) }

    /// - Returns: the error of a step after the lines were written; nil if none failed.
    @discardableResult
    func append(_ decide: (_ lines: [UInt8]) throws -> SharedLines.Addition) throws -> (any Error)? {
        try makePrivateFolder(folder)
        return try lines.append(decide) { try replaceFile(record, with: $0) }
    }

    /// Accepts that the file is an older copy, or missing, and notes this in the file. Tokens that were revoked since are valid again.
    ///
    /// - Parameter instant: the current time.
    /// - Returns: how many changes the file has, and how many it had; -1 for a damaged record.
    /// - Throws: ``TokenError/notRolledBack(path:)``, ``TokenFileError`` for a damaged file, or a file's error. The file is refused as
    ///   before then.
    public func acceptRollback(at instant: Instant) throws -> (changes: Int, had: Int) {
        var lost = (changes: 0, had: 0)
        let unfinished = try append { bytes in
            do {
                _ = try TokenFile(bytes, path: path, record: try TokenRecord(at: record))
                throw TokenError.notRolledBack(path: path)
            } catch let error as TokenFileError {
                let file = try TokenFile(bytes, path: path, record: nil)
                lost = (file.changes, -1)
                if case .rolledBack(_, let known) = error.reason { lost.had = known }
                return try file.adding([file.record(of: .accepted(changesBefore: "\(lost.had)", instant))])
            }
        }
        // Without the new record, the file is still refused.
        if let unfinished { throw unfinished }
        return lost
    }

    private static func check(
        _ stores: StoreScope, _ right: Right, _ until: Instant?, _ comment: String?, _ instant: Instant
    ) throws(TokenError) {
        if case .named(let names) = stores {
            if names.isEmpty { throw .noStores }
            if let wrong = names.first(where: { !StoreScope.isStoreName($0) }) { throw .notAStoreName(wrong) }
        }
        if case .act(let name) = right, !name.canAct { throw .cannotAct(name.text) }
        if let until, until <= instant { throw .endsBeforeItBegins(until: until) }
        if let comment, comment.utf8.count > TokenError.commentLimitBytes { throw .commentTooLong }
    }
}

public import Events
internal import Files
internal import Hashing
internal import Permissions
internal import Secrets
internal import Synchronization

/// The tokens of a data directory, in a file that the service and the tool share.
///
/// The file is appended to, and each change is on the disk before its caller is told. A lookup sees at once what another process
/// has changed.
public final class TokenRegistry: Sendable {
    private let lines: SharedLines
    private let folder: String
    private let report: @Sendable (String) -> Void
    private let latest = Mutex(Latest())

    private struct Latest {
        var reading: Reading?
        /// The end of the file when this process last read it. It replaces a missing record.
        var end: TokenRecord?
        var condition = Condition.unread

        /// Keeps the result of a reading.
        ///
        /// - Returns: a line for the log if the file became unreadable or readable.
        mutating func keep(_ result: Result<Reading?, any Error>, path: String) -> String? {
            let before = condition
            switch result {
            case .success(let new):
                (reading, end, condition) = (new, new?.file.end ?? end, .readable)
                return before == .unreadable ? "the file of tokens `\(path)` can be read again" : nil
            case .failure(let error):
                // A lack of descriptors ends without a change of the file. At the start, the caller reports the error.
                if (error as? FileError)?.isLackOfResources == true || before == .unread { return nil }
                condition = .unreadable
                return before == .readable ? "callers with a token get the status 503: \(error)" : nil
            }
        }
    }

    private enum Condition { case unread, readable, unreadable }

    /// The file as it was read.
    private final class Reading: Sendable {
        let file: TokenFile
        let watch: FileWatch

        init(_ file: TokenFile, _ watch: FileWatch) {
            self.file = file
            self.watch = watch
        }
    }

    /// Where the record of the last change is.
    private var record: String { folder + "/tokens.head" }

    /// Where the file is.
    public var path: String { lines.path }

    /// - Parameters:
    ///   - dataDirectory: the folder that the stores are in. It has to be there; what is missing in it is made with the first token.
    ///   - report: receives a line when the file can no longer be read, and when it can be read again.
    public init(dataDirectory: String, report: @escaping @Sendable (String) -> Void = { _ in }) {
        self.report = report
        folder = dataDirectory + "/.muniment"
        lines = SharedLines(path: folder + "/tokens.jsonl")
    }

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - stores: what it is good for: at least one store.
    ///   - right: what may be done with it.
    ///   - until: from when on it is good for nothing; nil for no end.
    ///   - comment: to know it by, at most 1,024 bytes. Not secret.
    ///   - instant: now.
    /// - Returns: its secret, which is kept nowhere and cannot be had again, and what is known of it.
    /// - Throws: ``TokenError``, ``TokenFileError``, or a file's error; then there is no new token.
    public func create(
        stores: StoreScope, right: Right, until: Instant? = nil, comment: String? = nil, at instant: Instant
    ) throws -> (secret: String, token: Token) {
        try TokenRegistry.check(stores, right, until, comment, instant)
        let secret = TokenSecret.random()
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

    /// Takes a token back: from now on it is good for nothing, also where a service is running.
    ///
    /// - Parameters:
    ///   - id: what it is called.
    ///   - instant: now.
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

    /// Every token there ever was, in the order in which they were made.
    public func list() throws -> [Token] { try book().tokens }

    /// The token of a secret, where it is good at a moment; nil for one that is unknown, was taken back or has ended.
    ///
    /// A hash, a call of the system and a look into a table. How long that takes tells nothing about which tokens there are.
    ///
    /// - Throws: where the file cannot be read or understood. Then nobody is let in.
    public func token(for secret: String, at instant: Instant) throws -> Token? {
        guard TokenSecret.isWellFormed(secret) else { return nil }
        let digest = TokenSecret.digest(secret)
        guard let found = try book().token(for: digest), Secrets.areEqual(found.digest.bytes, digest.bytes),
            found.token.isGood(at: instant)
        else { return nil }
        return found.token
    }

    /// The tokens as the file has them now.
    private func book() throws -> TokenBook {
        if let reading = latest.withLock({ $0.reading }), reading.watch.isUnchanged { return reading.file.book }
        let read = Result { try self.read() }
        // Only what was read whole is kept: after an error the next call tries again.
        let line = latest.withLock { $0.keep(read, path: path) }
        if let line { report(line) }
        return try read.get()?.file.book ?? TokenBook()
    }

    /// The file as it is now; nil where there is none.
    private func read() throws -> Reading? {
        // Before the file, which a writer changes first: it is never ahead of the file then.
        let record = try knownEnd()
        guard let (bytes, watch) = try lines.read() else {
            _ = try TokenFile([], path: path, record: record)
            return nil
        }
        do { return Reading(try TokenFile(bytes, path: path, record: record), watch) } catch {
            // Its first line may have been read while it was overwritten: what is damaged is so while nobody writes, too.
            guard let (bytes, watch) = try lines.read(afterWriters: true) else { throw error }
            return Reading(try TokenFile(bytes, path: path, record: record), watch)
        }
    }

    /// The end of the file at its last change. Without a record of it, what this process has read: the whole folder may be gone.
    private func knownEnd() throws -> TokenRecord? { try TokenRecord(at: record) ?? latest.withLock { $0.end } }

    private func change(_ decide: (TokenBook) throws -> TokenLine) throws {
        try append { bytes in
            let file = try TokenFile(bytes, path: path, record: try knownEnd())
            return file.adding(try decide(file.book))
        }
    }

    private func append(_ decide: (_ lines: [UInt8]) throws -> SharedLines.Addition) throws {
        try makePrivateFolder(folder)
        try lines.append(decide) { try replaceFile(record, with: $0) }
    }

    /// Accepts that the file is an older copy, or gone, and notes that in it. Tokens that were revoked since are valid again.
    ///
    /// - Parameter instant: now.
    /// - Returns: how many changes the file has, and how many it had; -1 for a record that is damaged.
    /// - Throws: ``TokensNotRolledBack``, ``TokenFileError`` for a file that is damaged, or a file's error; then nothing is changed.
    public func acceptRollback(at instant: Instant) throws -> (changes: Int, had: Int) {
        var lost = (changes: 0, had: 0)
        try append { bytes in
            do {
                _ = try TokenFile(bytes, path: path, record: try TokenRecord(at: record))
                throw TokensNotRolledBack(path: path)
            } catch let error as TokenFileError {
                let file = try TokenFile(bytes, path: path, record: nil)
                lost = (file.changes, -1)
                if case .rolledBack(_, let known) = error.reason { lost.had = known }
                return file.adding(.accepted(changesBefore: "\(lost.had)", instant))
            }
        }
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

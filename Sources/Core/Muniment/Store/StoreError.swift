public import Events
internal import Files

/// An error of a store, as opposed to a command that the store refuses.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The folder does not contain a store.
    case notAStore(path: String)
    /// The data directory records a store in the folder, but the folder contains none.
    case missing(path: String)
    /// The data directory records a store in the folder, but the store is in a folder below.
    case nested(path: String, found: String)
    /// The folder contained a store, but its log is missing.
    case logIsLost(path: String)
    /// The folder already contains a store.
    case alreadyExists(path: String)
    /// This process already has the store open. LMDB allows one opening per process.
    case alreadyOpen(path: String)
    /// Another process writes to the store.
    case heldByAnotherWriter(path: String, holder: String)
    /// The store was opened for reading only.
    case openedForReading(path: String)
    /// The index must be rebuilt, and this process cannot do that.
    case indexUnavailable(path: String, why: String)
    /// A writer committed while this process was reading and could not announce its read.
    case overtaken(path: String)
    /// The store has no such revision.
    case noSuchRevision(Revision, head: Revision)
    /// A commit cannot be earlier than the one before it.
    case timeGoesBackwards(Instant, head: Instant)
    /// A commit cannot have a time outside the years 0001–9999, because an export could not be read again.
    case timeOutOfRange(Instant)
    /// The clock is before the newest commit by more than the limit.
    case clockIsBehind(Instant, head: Instant)
    /// The clock is ahead of the time that has passed since the last commit.
    case clockIsAhead(Instant, expected: Instant)
    /// The newest commit is not later than the clock.
    case clockNeedsNoCorrection(Instant, head: Instant)
    /// The log lacks a commit that it contained before.
    case rolledBack(path: String, seen: Revision, seenHash: String, head: Revision, headHash: String)
    /// The file with the last recorded head cannot be read.
    case headIsDamaged(path: String)
    /// The log was not rolled back, so nothing can be accepted.
    case notRolledBack(path: String)
    /// The store was closed.
    case closed
    /// The store's folder was replaced or removed after it was opened.
    case displaced(path: String)
    /// The system lacks descriptors, memory or disk space. Nothing was written; a retry can succeed.
    case insufficientResources(path: String, why: String)
    /// The store is a copy of a shared log, and was opened for writing without that log.
    case shared(path: String)
    /// The store is not a copy of a shared log.
    case notShared(path: String)
    /// The index could not be updated from the log, so its newest data may be out of date.
    case behindTheLog(why: String)

    public var description: String {
        switch self {
        case .notAStore(let path):
            "`\(path)` has no store: create one with `muniment init --store \(path)`, or check the path"
        case .missing(let path):
            "the store `\(path)` is missing: its folder does not exist or contains no store. Put it back or restore it from a backup. To "
                + "accept the loss, run `muniment accept-rollback --store \(path)`"
        case .nested(let path, let found):
            "`\(path)` contains no store itself, but the store `\(found)`: move the content of `\(found)` to `\(path)`"
        case .logIsLost(let path):
            "the log of the store in `\(path)` is missing or empty: restore `\(path)/log` from a copy"
        case .alreadyExists(let path): "`\(path)` already has a store: open it, or choose another folder"
        case .alreadyOpen(let path): "this process has the store in `\(path)` open already: use that one, or close it first"
        case .heldByAnotherWriter(let path, let holder):
            "`\(path)` is being written to by \(holder): wait for it, or send your changes through it; reading is possible meanwhile"
        case .openedForReading(let path): "`\(path)` was opened for reading only: open it for writing"
        case .indexUnavailable(let path, let why):
            """
            the index of `\(path)` must be rebuilt from the log (\(why)), but this process cannot do it: run `muniment \
            rebuild --store \(path)` as a user with write access
            """
        case .overtaken(let path):
            "a writer changed `\(path)` during a read, and this process has no write access to `index/lock.mdb` to prevent "
                + "that: try again, or run as a user with write access"
        case .noSuchRevision(let asked, let head): "revision \(asked) does not exist: the last one is \(head)"
        case .timeGoesBackwards(let time, let head):
            "a commit at \(time) cannot follow the last one, at \(head): commit times never go backwards"
        case .timeOutOfRange(let time):
            "a commit at \(time) is outside the years 0001 to 9999. Nothing was committed. Correct the time, or set the clock right."
        case .rolledBack(let path, let seen, let seenHash, let head, let headHash):
            "the log of the store in `\(path)` was rolled back: it had revision \(seen) with hash \(seenHash), and now ends with revision "
                + "\(head) with hash \(headHash). Restore the newer log, or run `muniment accept-rollback --store \(path)`"
        case .headIsDamaged(let path):
            "`\(path)/head`, or the record of the store in `.muniment/heads`, is damaged: they record the last commit of the log. Check "
                + "the store with `muniment verify`, then run `muniment accept-rollback --store \(path)`"
        case .notRolledBack(let path): "the log of the store in `\(path)` was not rolled back: there is nothing to accept"
        case .displaced(let path):
            "the files of the store in `\(path)` were removed or replaced while it was open, so it takes no changes: put the folder "
                + "back or restore it, then open the store again"
        case .clockIsBehind(let now, let head):
            "the clock says \(now), and the newest commit is of \(head). Nothing was committed. Set the clock right, and try again; if the "
                + "clock is right and was wrong before, run `muniment correct-clock`."
        case .clockIsAhead(let now, let expected):
            "the clock says \(now), and about \(expected) was expected. Nothing was committed. Set the clock right, and try again."
        case .insufficientResources(let path, let why):
            "the store in `\(path)` cannot be opened or written now: \(why). Nothing was changed. Free the "
                + "missing resource, then try again."
        case .clockNeedsNoCorrection(let now, let head):
            "the clock says \(now), and the newest commit is of \(head), which is not later. Nothing was changed. "
                + "Set the clock right first."
        case .shared(let path):
            "`\(path)` is a copy of a shared log, and a change here would not reach the other nodes: make the change through a running "
                + "node, or end the connection with `muniment log leave --store \(path)`"
        case .notShared(let path): "`\(path)` is not a copy of a shared log: there is no connection to end"
        case .closed: "the store was closed"
        case .behindTheLog(let why): "the index could not follow the log (\(why)): mend the cause and open the store again"
        }
    }
}

extension StoreError {
    /// Returns the time of a commit.
    ///
    /// - Throws: ``timeOutOfRange(_:)`` if no text can have the time.
    @discardableResult static func checkRange(of time: Instant) throws(StoreError) -> Instant {
        guard time.hasText else { throw .timeOutOfRange(time) }
        return time
    }

    /// Returns the error of a store if its disk has too little free space for changes; nil if it has enough.
    ///
    /// - Parameter path: the folder of the store.
    static func lackOfDiskSpace(at path: String) -> StoreError? {
        guard let disk = DiskSpace(at: path), disk.isShort else { return nil }
        return .insufficientResources(
            path: path,
            why: "its disk has \(disk.freeBytes) bytes free, and at least \(disk.leastFreeBytes) are needed")
    }
}

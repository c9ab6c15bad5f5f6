import Events
import Muniment
import Permissions

/// A transaction of a history, ready for the store.
struct ImportedTransaction: Sendable {
    /// The line number in the file.
    var line: Int
    var id: String?
    var transaction: Transaction
    /// Whether implied changes were inserted, so that the indexes of changes differ from the line.
    var isCompleted: Bool
    /// The offset in the file after this line, in bytes.
    var end: UInt64
}

/// Converts the lines of a history into transactions for the store.
struct HistorySource: Sendable {
    private typealias Numbered = (number: Int, line: TransactionLine, end: UInt64)

    let header: Header
    private var lines: LineReader
    private var parser: LineParser
    /// The next transaction, already read.
    private var pending: (number: Int, line: TransactionLine, end: UInt64)?
    /// The implied changes; nil in a history without levels.
    var implied: ImpliedChanges?
    /// The earliest permitted time of the next transaction.
    var earliest = Instant.distantPast

    init(file: String) throws {
        lines = try LineReader(file: file)
        parser = LineParser(file: file, kind: .history)
        header = try parser.readHeader(from: &lines)
        pending = try readLine()
    }

    var file: String { lines.file }
    var totalBytes: UInt64 { lines.totalBytes }
    /// The time of the next transaction; nil at the end.
    var nextTime: Instant? { pending?.line.time }

    /// Returns the next transaction, or nil at the end of the file.
    mutating func next() throws -> ImportedTransaction? {
        let next: Numbered
        if let pending {
            (next, self.pending) = (pending, nil)
        } else if let read = try readLine() {
            next = read
        } else {
            return nil
        }
        try checkTime(next)
        let changes = try implied?.complete(next.line.changes) ?? next.line.changes
        let origin = Origin(requestID: next.line.id, importLine: UInt64(next.number))
        return ImportedTransaction(
            line: next.number, id: next.line.id,
            transaction: Transaction(next.line.caller, changes, origin: origin, authority: .importer, time: next.line.time),
            isCompleted: changes.count != next.line.changes.count, end: next.end)
    }

    /// Skips the transactions that the store already has from this file.
    mutating func resume(after last: Commit) throws {
        guard let line = last.origin.importLine.map({ Int($0) }) else {
            throw ImportError.cannotResume(file: file, line: nil, reason: "the newest commit of the store is not from an import")
        }
        let found = try transaction(atLine: line)
        guard let found, found.line.id == last.origin.requestID, found.line.time == last.time else {
            let id = last.origin.requestID.map { "transaction `\($0)`" } ?? "a transaction without an id"
            throw ImportError.cannotResume(
                file: file, line: line,
                reason: "the store ends with \(id) of \(last.time) from this line, which has another transaction now")
        }
        pending = nil
    }

    /// Returns the transaction on this line; nil if it has none. Earlier lines are not checked.
    private mutating func transaction(atLine number: Int) throws -> Numbered? {
        if let pending, pending.number >= number { return pending.number == number ? pending : nil }
        while let raw = try lines.next() {
            if raw.number == number { return try read(raw) }
            if raw.number > number { break }
        }
        return nil
    }

    private mutating func readLine() throws -> Numbered? {
        guard let raw = try lines.next() else { return nil }
        return try read(raw)
    }

    private mutating func read(_ raw: RawLine) throws -> Numbered? {
        guard case .transaction(let line) = try parser.parse(raw) else {
            preconditionFailure("the parser accepts only transactions after the header of a history")
        }
        return (raw.number, line, raw.end)
    }

    private mutating func checkTime(_ next: Numbered) throws(FormatError) {
        guard let time = next.line.time else { return }
        guard time >= earliest else {
            throw FormatError(
                file: file, line: next.number, key: "time", problem: "goes back: \(time) is before \(earliest)",
                remedy: "sort the transactions by time, after the commits of the store; "
                    + "continue an interrupted import with --resume")
        }
        earliest = time
    }
}

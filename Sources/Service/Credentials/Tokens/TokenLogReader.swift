internal import EventLog
internal import Events
internal import Hashing

/// The lines of a shared log of tokens as far as a node has read them.
///
/// The database is not trusted with tokens. A line counts if a node made it: its code is right, and it follows the last line that counts.
/// Other lines, which someone with the password of the database may have added, are skipped.
///
/// The first line that counts adopts the lines before it, of a log or a token file without codes. A new log has no such lines.
struct TokenLogReader {
    private let key: TokenLogKey?
    /// The end of the log as the database numbers its lines; nil for an empty log.
    private(set) var position: LogPosition?
    private(set) var table = TokenTable()
    /// The sums of the lines that count, each over the sum before and the line. The local file has the same ones.
    private var sums: [Digest] = []
    private var knownSums: Set<Digest> = [.zero]
    /// The lines before the first that counts.
    private var unadopted: [[UInt8]] = []
    private var hasUnknownCodes = false
    /// The number of lines that were skipped.
    private(set) var skipped = 0
    /// The number of the first skipped line, from 1.
    private(set) var firstSkipped: UInt64?

    init(key: TokenLogKey?) { self.key = key }

    /// The number of lines that count.
    var count: Int { sums.count }

    /// Whether every line so far counts, and there is one.
    var isComplete: Bool { !sums.isEmpty && skipped == 0 }

    /// Reads the next line.
    ///
    /// - Returns: the lines that count from now on, numbered as in the local file.
    /// - Throws: `SharedLogError.diverged` if lines before it are missing, ``TokenLogError/unreadable(line:)``.
    mutating func read(_ record: ChainedRecord) throws -> [ChainedRecord] {
        let next = position.map { $0.revision.rawValue + 1 } ?? 0
        guard record.number == next else {
            throw SharedLogError.diverged("its log of tokens has line \(record.number + 1), but \(next + 1) is next")
        }
        let wasAdopted = !sums.isEmpty
        let added = try take(record.bytes, line: next + 1)
        if wasAdopted, added.isEmpty {
            skipped += 1
            firstSkipped = firstSkipped ?? next + 1
        }
        position = LogPosition(revision: Revision(record.number), hash: record.hash, refusal: nil)
        return added
    }

    private mutating func take(_ bytes: [UInt8], line number: UInt64) throws -> [ChainedRecord] {
        let coded = CodedTokenLine(bytes)
        let made = coded.flatMap { line in key.map { line.isMade(with: $0) } == true ? line : nil }
        guard let last = sums.last else {
            guard let made, made.after == TokenLogReader.sums(of: unadopted).last ?? .zero, isAdopting(made) else {
                unadopted.append(bytes)
                hasUnknownCodes = hasUnknownCodes || coded != nil
                return []
            }
            let all = unadopted + [bytes]
            unadopted = []
            var added: [ChainedRecord] = []
            for (index, bytes) in all.enumerated() { added.append(try add(bytes, line: UInt64(index + 1))) }
            return added
        }
        guard let made else { return [] }
        if made.after == last { return [try add(bytes, line: number)] }
        // A line that counted before was added again.
        if knownSums.contains(made.after) { return [] }
        throw SharedLogError.diverged("its log of tokens lacks lines that a node made before line \(number)")
    }

    private func isAdopting(_ line: CodedTokenLine) -> Bool {
        if case .adopted? = try? TokenLine(line.object) { true } else { false }
    }

    private mutating func add(_ bytes: [UInt8], line: UInt64) throws(TokenLogError) -> ChainedRecord {
        try TokenLogReader.apply(bytes, line: line, to: &table)
        let sum = Digest(chaining: sums.last ?? .zero, bytes)
        let record = ChainedRecord(number: UInt64(sums.count), bytes: bytes, hash: sum)
        sums.append(sum)
        knownSums.insert(sum)
        return record
    }

    private static func apply(_ bytes: [UInt8], line: UInt64, to table: inout TokenTable) throws(TokenLogError) {
        do throws(TokenFileError.LineError) { try table.apply(try TokenLine(record: bytes)) } catch {
            throw .unreadable(line: line)
        }
    }

    private static func sums(of lines: [[UInt8]]) -> [Digest] {
        var sums: [Digest] = []
        for line in lines { sums.append(Digest(chaining: sums.last ?? .zero, line)) }
        return sums
    }

    /// Returns the record to append for a change. Needs the key of the log.
    func record(of line: TokenLine, _ key: TokenLogKey) -> ChainedRecord {
        let after = sums.last ?? TokenLogReader.sums(of: unadopted).last ?? .zero
        let bytes = CodedTokenLine.bytes(of: line, after: after, key)
        return ChainedRecord(
            number: position.map { $0.revision.rawValue + 1 } ?? 0, bytes: bytes,
            hash: Digest(chaining: position?.hash ?? .zero, bytes))
    }

    /// Returns the record that adopts all lines so far.
    func recordOfAdoption(_ key: TokenLogKey) -> ChainedRecord {
        record(of: .adopted(lines: "\(unadopted.count)", log: TokenLine.randomLogName()), key)
    }

    /// Throws unless the log is empty, or this node can tell which of its lines count.
    func requireKey(path: String) throws(TokenLogError) {
        guard sums.isEmpty, case _? = position else { return }
        guard hasUnknownCodes else { throw .withoutCodes(lines: unadopted.count) }
        throw key == nil ? .keyMissing(path: path) : .otherKey(path: path)
    }

    /// Throws unless all lines can be adopted: they are changes of tokens, and no line has a code.
    func requireAdoptable() throws(TokenLogError) {
        guard sums.isEmpty, !hasUnknownCodes else { throw .hasCodes }
        var table = TokenTable()
        for (index, bytes) in unadopted.enumerated() {
            try TokenLogReader.apply(bytes, line: UInt64(index + 1), to: &table)
        }
    }

    /// Throws unless the log begins with the lines of a node's file.
    func requireLines(of file: TokenFile) throws(SharedLogError) {
        guard let last = file.records.last else { return }
        let own = sums.isEmpty ? TokenLogReader.sums(of: unadopted) : sums
        guard own.indices.contains(file.changes - 1), own[file.changes - 1] == last.hash else {
            throw .diverged("its log of tokens does not contain line \(file.changes) of this node's token file")
        }
    }
}

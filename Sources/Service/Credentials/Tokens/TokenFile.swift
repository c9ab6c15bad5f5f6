internal import EventLog
internal import Events
internal import Files
internal import Hashing

/// The content of the token file's complete lines, after their checksums were checked.
///
///     {"format":"muniment-tokens/2","lines":"0000000002","sum":"SUM OF LINE 2","check":"SHA-256 OF THIS LINE SO FAR"}
///     {"created":"t1",…,"sum":"SHA-256 OF 32 BYTES OF ZERO AND OF THIS LINE SO FAR"}
///     {"revoked":"t1",…,"sum":"SHA-256 OF THE SUM BEFORE AND OF THIS LINE SO FAR"}
///
/// After each change is on the disk, the first line is overwritten in place. Its length is constant and less than a disk sector, so it is
/// never written in part. The change is acknowledged after that. Only a line that the first line does not count yet can be incomplete.
struct TokenFile {
    private(set) var book = TokenTable()
    /// Number of changes in the file.
    var changes: Int { records.count }
    /// Bytes of the counted lines, including the first line.
    private var byteCount = 0
    private var lastSum: Digest { records.last?.hash ?? .zero }
    /// The changes: the bytes that a checksum covers, and the checksum.
    private(set) var records: [ChainedRecord] = []
    /// The last change as a position among these records; nil without records.
    private var position: LogPosition? {
        records.last.map { LogPosition(revision: Revision($0.number), hash: $0.hash, refusal: nil) }
    }
    /// The checksums of the lines that accept a rollback.
    private(set) var acceptedRollbacks: Set<Digest> = []
    /// The last change that the first line counts; nil if it counts none. A later line may be removed again, if it cannot be synced.
    private(set) var end: TokenRecord?

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: its complete lines, including their line breaks.
    ///   - path: the path for errors.
    ///   - record: the end of the file at its last known change; nil if unknown.
    /// - Throws: ``TokenFileError`` if the file is damaged or older than the record. In both cases no token is valid.
    init(_ bytes: [UInt8], path: String, record: TokenRecord?) throws(TokenFileError) {
        guard !bytes.isEmpty else {
            if let record { throw TokenFileError(path: path, line: 1, reason: .rolledBack(lines: 0, known: record.lines)) }
            return
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map(Array.init)
        var number = 1
        do throws(TokenFileError.LineError) {
            let (known, knownSum) = try TokenFile.checkedHead(lines[0])
            byteCount = lines[0].count + 1
            for line in lines.dropFirst() {
                number += 1
                guard let body = ChainedLine.body(of: line, after: lastSum) else {
                    // The line was never acknowledged: the process that wrote it ended before.
                    if changes >= known, number == lines.count { break }
                    throw .checksum
                }
                let content = Array(body.dropLast())
                let (change, sum) = (try TokenLine(record: content), ChainedLine.sum(of: body, after: lastSum))
                try book.apply(change)
                if case .accepted = change { acceptedRollbacks.insert(sum) }
                records.append(ChainedRecord(number: UInt64(records.count), bytes: content, hash: sum))
                byteCount += line.count + 1
                if changes == known {
                    guard sum == knownSum else { throw .checksum }
                    end = TokenRecord(lines: known, sum: knownSum)
                }
            }
            guard changes >= known else { throw .endsEarly(lines: changes, known: known) }
            if let record, !contains(record) { throw .rolledBack(lines: changes, known: record.lines) }
        } catch {
            throw TokenFileError(path: path, line: number, reason: error)
        }
    }

    /// Whether the file has the last change of an earlier file.
    func contains(_ end: TokenRecord) -> Bool {
        records.indices.contains(end.lines - 1) && records[end.lines - 1].hash == end.sum
    }

    /// Returns the record of a line that follows the last one.
    func record(of line: TokenLine) -> ChainedRecord {
        let body = line.bytes
        return ChainedRecord(
            number: UInt64(records.count), bytes: Array(body.dropLast()), hash: ChainedLine.sum(of: body, after: lastSum))
    }

    /// Returns the bytes to write to add records that follow the last line.
    ///
    /// - Throws: `LogError` if they do not follow it, ``TokenFileError`` for a record that is not a change of tokens.
    func adding(_ added: [ChainedRecord]) throws -> SharedLines.Addition {
        let end = try LogGroup(commits: added, refusals: []).end(after: position)
        let lines = added.flatMap { ChainedLine.bytes(of: $0.bytes + [UInt8(ascii: "}")], sum: $0.hash) }
        return SharedLines.Addition(
            keptBytes: byteCount, lines: (byteCount == 0 ? TokenFile.head(lines: 0, sum: .zero) : []) + lines,
            head: TokenFile.head(lines: changes + added.count, sum: end.hash))
    }

    private static let format = #"{"format":"muniment-tokens/"#
    private static let lineDigits = 10

    fileprivate static func head(lines: Int, sum: Digest) -> [UInt8] {
        let digits = String(lines)
        let count = String(repeating: "0", count: lineDigits - digits.count) + digits
        let text = Array("\(format)2\",\"lines\":\"\(count)\",\"sum\":\"\(sum)\"".utf8)
        return text + Array(",\"check\":\"\(Digest(of: text.span))\"}\n".utf8)
    }

    /// Returns the number of lines that the first line counts, and the checksum of the last of these lines.
    fileprivate static func checkedHead(_ line: [UInt8]) throws(TokenFileError.LineError) -> (lines: Int, sum: Digest) {
        if line == Array("\(format)1\"}".utf8) { throw .withoutChecksums }
        guard line.starts(with: "\(format)2\",".utf8) else { throw .unknownFormat }
        let parts = line.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        // The line is rebuilt from its values and compared, so that a change of any bit is found.
        guard parts.count > 11, let lines = Int(String(decoding: parts[7], as: UTF8.self)), lines >= 0,
            String(lines).count <= lineDigits, let sum = Digest(hexadecimal: String(decoding: parts[11], as: UTF8.self)),
            line + [UInt8(ascii: "\n")] == head(lines: lines, sum: sum)
        else { throw .checksum }
        return (lines, sum)
    }
}

/// The end of the token file after its last change, in a separate file in the same folder. It shows if the token file is replaced by an
/// older copy. The record is written after the change, so the token file may have one more line.
struct TokenRecord {
    let lines: Int
    let sum: Digest

    /// The content of the record's file.
    var bytes: [UInt8] { TokenFile.head(lines: lines, sum: sum) }
}

extension TokenRecord {
    /// Reads the record from a file; nil if the file does not exist.
    ///
    /// - Throws: ``TokenFileError`` for a damaged record.
    init?(at path: String) throws {
        guard try exists(path) else { return nil }
        let bytes = try readFile(path)
        do throws(TokenFileError.LineError) {
            guard bytes.last == UInt8(ascii: "\n") else { throw .checksum }
            (lines, sum) = try TokenFile.checkedHead(Array(bytes.dropLast()))
        } catch { throw TokenFileError(path: path, line: 1, reason: error) }
    }
}

/// The last change of the token file that a process has read. It shows an older copy even if the record is as old.
struct TokenMemory {
    /// The last change that was read; nil if none was.
    private(set) var end: TokenRecord?
    private var acceptedRollbacks: Set<Digest> = []

    /// Whether a file continues the last one that was read, or records a rollback that was accepted since.
    func isContinued(by file: TokenFile) -> Bool {
        end.map(file.contains) ?? true || !file.acceptedRollbacks.isSubset(of: acceptedRollbacks)
    }

    /// Remembers a file. Of two files that two threads read at the same time, the newer one is kept.
    mutating func keep(_ file: TokenFile) {
        guard isContinued(by: file), let end = file.end else { return }
        self.end = end
        acceptedRollbacks.formUnion(file.acceptedRollbacks)
    }
}

/// A line of JSON; its last member is a checksum of the line and the previous line.
private enum ChainedLine {
    private static let member = Array(#","sum":""#.utf8)
    private static let end = Array(#""}"#.utf8)

    /// - Parameter body: the line without its checksum, a non-empty object.
    static func sum(of body: [UInt8], after previous: Digest) -> Digest { Digest(chaining: previous, Array(body.dropLast())) }

    /// Returns the line with its checksum and its line break.
    static func bytes(of body: [UInt8], sum: Digest) -> [UInt8] {
        body.dropLast() + member + Array(sum.description.utf8) + end + [UInt8(ascii: "\n")]
    }

    /// Returns a line without its checksum; nil if the checksum is wrong.
    static func body(of line: [UInt8], after previous: Digest) -> [UInt8]? {
        let count = line.count - member.count - 2 * Digest.byteCount - end.count
        guard count > 0 else { return nil }
        let body = Array(line[..<count]) + [UInt8(ascii: "}")]
        return bytes(of: body, sum: sum(of: body, after: previous)) == line + [UInt8(ascii: "\n")] ? body : nil
    }
}

internal import Files
internal import Hashing

/// What the whole lines of the file of tokens say, after their checksums were checked.
///
///     {"format":"muniment-tokens/2","lines":"0000000002","sum":"SUM OF LINE 2","check":"SHA-256 OF THIS LINE SO FAR"}
///     {"created":"t1",…,"sum":"SHA-256 OF 32 BYTES OF ZERO AND OF THIS LINE SO FAR"}
///     {"revoked":"t1",…,"sum":"SHA-256 OF THE SUM BEFORE AND OF THIS LINE SO FAR"}
///
/// The first line is overwritten in place after each change is on the disk. It has always the same length, less than a sector of a
/// disk, so that it is never written in part. A change is acknowledged after that, so only a line that the first line does not
/// count yet can be torn.
struct TokenFile {
    private(set) var book = TokenBook()
    /// How many changes it has.
    var changes: Int { lineCount }
    /// The bytes of the lines that count, the first line included.
    private var byteCount = 0
    private var lineCount = 0
    private var lastSum = Digest.zero
    /// Its last change; nil without one.
    var end: TokenRecord? { lineCount == 0 ? nil : TokenRecord(lines: lineCount, sum: lastSum) }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: its whole lines, ends included.
    ///   - path: named in errors.
    ///   - record: what the file had once; nil for nothing that is known of.
    /// - Throws: ``TokenFileError``: with a damaged file, or one that is older than the record, no token is valid.
    init(_ bytes: [UInt8], path: String, record: TokenRecord?) throws(TokenFileError) {
        guard !bytes.isEmpty else {
            if let record { throw TokenFileError(path: path, line: 1, reason: .rolledBack(lines: 0, known: record.lines)) }
            return
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map(Array.init)
        var number = 1
        var isOlder = record != nil
        do throws(TokenFileError.Reason) {
            let (known, knownSum) = try TokenFile.checkedHead(lines[0])
            byteCount = lines[0].count + 1
            for line in lines.dropFirst() {
                number += 1
                guard let body = ChainedLine.body(of: line, behind: lastSum) else {
                    // It was never acknowledged: the process that wrote it ended before.
                    if lineCount >= known, number == lines.count { break }
                    throw .checksum
                }
                try book.apply(TokenLine(body))
                (lineCount, byteCount, lastSum) = (
                    lineCount + 1, byteCount + line.count + 1, ChainedLine.sum(of: body, behind: lastSum)
                )
                if lineCount == known, lastSum != knownSum { throw .checksum }
                if let record, record.lines == lineCount, record.sum == lastSum { isOlder = false }
            }
            guard lineCount >= known else { throw .endsEarly(lines: lineCount, known: known) }
            if let record, isOlder { throw .rolledBack(lines: lineCount, known: record.lines) }
        } catch {
            throw TokenFileError(path: path, line: number, reason: error)
        }
    }

    /// What to write for one more line.
    func adding(_ line: TokenLine) -> SharedLines.Addition {
        let body = line.bytes
        let sum = ChainedLine.sum(of: body, behind: lastSum)
        return SharedLines.Addition(
            keptBytes: byteCount,
            lines: (byteCount == 0 ? TokenFile.head(lines: 0, sum: .zero) : []) + ChainedLine.bytes(of: body, sum: sum),
            head: TokenFile.head(lines: lineCount + 1, sum: sum))
    }

    private static let format = #"{"format":"muniment-tokens/"#
    private static let lineDigits = 10

    fileprivate static func head(lines: Int, sum: Digest) -> [UInt8] {
        let digits = String(lines)
        let count = String(repeating: "0", count: lineDigits - digits.count) + digits
        let text = Array("\(format)2\",\"lines\":\"\(count)\",\"sum\":\"\(sum)\"".utf8)
        return text + Array(",\"check\":\"\(Digest(of: text.span))\"}\n".utf8)
    }

    /// How many lines the first line counts, and the sum of the last of them.
    fileprivate static func checkedHead(_ line: [UInt8]) throws(TokenFileError.Reason) -> (lines: Int, sum: Digest) {
        if line == Array("\(format)1\"}".utf8) { throw .withoutChecksums }
        guard line.starts(with: "\(format)2\",".utf8) else { throw .unknownFormat }
        let parts = line.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        // The same line is made of what it says, so that a change of any bit in it is found.
        guard parts.count > 11, let lines = Int(String(decoding: parts[7], as: UTF8.self)), lines >= 0,
            String(lines).count <= lineDigits, let sum = Digest(hexadecimal: String(decoding: parts[11], as: UTF8.self)),
            line + [UInt8(ascii: "\n")] == head(lines: lines, sum: sum)
        else { throw .checksum }
        return (lines, sum)
    }
}

/// What the file of tokens had after its last change, kept in a file beside it so that an older copy of it is found. The record is
/// written after the change, so the file may have one line more.
struct TokenRecord {
    let lines: Int
    let sum: Digest

    init(lines: Int, sum: Digest) { (self.lines, self.sum) = (lines, sum) }

    /// The record in a file; nil where there is none.
    ///
    /// - Throws: ``TokenFileError`` for one that is damaged.
    init?(at path: String) throws {
        guard try exists(path) else { return nil }
        let bytes = try readFile(path)
        do throws(TokenFileError.Reason) {
            guard bytes.last == UInt8(ascii: "\n") else { throw .checksum }
            (lines, sum) = try TokenFile.checkedHead(Array(bytes.dropLast()))
        } catch { throw TokenFileError(path: path, line: 1, reason: error) }
    }
}

/// A line of JSON whose last member is a checksum over it and the line before.
private enum ChainedLine {
    private static let member = Array(#","sum":""#.utf8)
    private static let end = Array(#""}"#.utf8)

    /// - Parameter body: the line as it is without a checksum, an object that is not empty.
    static func sum(of body: [UInt8], behind previous: Digest) -> Digest { Digest(chaining: previous, Array(body.dropLast())) }

    /// The line with its checksum and its end.
    static func bytes(of body: [UInt8], sum: Digest) -> [UInt8] {
        body.dropLast() + member + Array(sum.description.utf8) + end + [UInt8(ascii: "\n")]
    }

    /// A line without its checksum; nil where that is not the right one.
    static func body(of line: [UInt8], behind previous: Digest) -> [UInt8]? {
        let count = line.count - member.count - 2 * Digest.byteCount - end.count
        guard count > 0 else { return nil }
        let body = Array(line[..<count]) + [UInt8(ascii: "}")]
        return bytes(of: body, sum: sum(of: body, behind: previous)) == line + [UInt8(ascii: "\n")] ? body : nil
    }
}

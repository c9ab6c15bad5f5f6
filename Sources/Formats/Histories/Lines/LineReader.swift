import Events
import Foundation

/// One unparsed line of a file.
struct RawLine: Sendable {
    /// From 1; blank lines and comments count.
    let number: Int
    /// Without the line end and surrounding blanks.
    let bytes: [UInt8]
    /// The number of blanks before the text.
    let indent: Int
    /// The offset in the file after this line, in bytes.
    let end: UInt64

    func json() throws(MemberProblem) -> JSONValue {
        do { return try JSONText.decode(bytes, limit: LineReader.lineBytes) } catch {
            let place = error.offset.map { ", at byte \($0 + indent)" } ?? ""
            throw MemberProblem(problem: "cannot be read\(place): \(error.problem)", remedy: error.remedy)
        }
    }
}

/// Reads a file line by line, and skips blank lines and those that begin with `#`. At most one line and one chunk are in memory.
struct LineReader: Sendable {
    /// The maximum bytes per line, many times the size of a transaction at the limits of the store.
    static let lineBytes = 256 << 20
    private static let chunkBytes = 1 << 18

    let file: String
    private let handle: FileHandle?
    private var buffer: [UInt8] = []
    /// The offset of the next line in the buffer.
    private var start = 0
    private var number = 0
    private var consumed: UInt64 = 0

    init(file: String) throws(UnreadableFileError) {
        self.file = file
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
        } catch {
            throw UnreadableFileError(file: file, error)
        }
    }

    /// Reads the lines of a text; `named` is its name in errors.
    init(text: String, named file: String) {
        self.file = file
        handle = nil
        buffer = Array(text.utf8)
    }

    /// The size of the file in bytes; 0 if it has none, such as a pipe.
    var totalBytes: UInt64 {
        guard handle != nil else { return UInt64(buffer.count) }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
    }

    /// Returns the next line with content, or nil at the end.
    mutating func next() throws -> RawLine? {
        while let line = try nextRange() {
            let text = LineReader.trim(buffer[line])
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            return RawLine(number: number, bytes: Array(text), indent: text.startIndex - line.lowerBound, end: consumed)
        }
        return nil
    }

    /// Returns the range of the next line in the buffer, without its line end.
    private mutating func nextRange() throws -> Range<Int>? {
        var searched = start
        while true {
            if let newline = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return advance(over: newline, next: newline + 1)
            }
            let pending = buffer.count - start
            guard pending <= LineReader.lineBytes else {
                throw FormatError(
                    file: file, line: number + 1, key: nil, problem: "is longer than \(LineReader.lineBytes) bytes",
                    remedy: "split the transaction")
            }
            guard try fill() else { return pending == 0 ? nil : advance(over: buffer.count, next: buffer.count) }
            searched = pending
        }
    }

    private mutating func advance(over end: Int, next: Int) -> Range<Int> {
        let line = start..<end
        consumed += UInt64(next - start)
        number += 1
        start = next
        return line
    }

    /// Appends a chunk to the unread bytes; returns false at the end of the file.
    private mutating func fill() throws -> Bool {
        guard let handle else { return false }
        let chunk: Data?
        do {
            chunk = try handle.read(upToCount: LineReader.chunkBytes)
        } catch {
            throw UnreadableFileError(file: file, error)
        }
        guard let chunk, !chunk.isEmpty else { return false }
        buffer.removeSubrange(..<start)
        start = 0
        buffer.append(contentsOf: chunk)
        return true
    }

    private static func trim(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        guard let last = line.lastIndex(where: { !isBlank($0) }) else { return [] }
        return line[...last].drop(while: isBlank)
    }
}

internal import Events
internal import Foundation
internal import Histories

/// A file of another system, in memory.
struct SourceFile {
    /// The name in messages.
    let name: String
    let text: String

    static let standardInput = "standard input"
    private static let limit = 1 << 30

    /// Reads a file; `-` is standard input.
    init(_ file: String) throws {
        let name = file == "-" ? SourceFile.standardInput : file
        let data: Data
        do {
            let handle = file == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
            data = try handle.read(upToCount: SourceFile.limit + 1) ?? Data()
        } catch {
            throw UnreadableFileError(file: name, error)
        }
        guard data.count <= SourceFile.limit else {
            throw SourceFileError(file: name, "the file has more than \(SourceFile.limit) bytes; split it")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw SourceFileError(file: name, "the file is not UTF-8; convert it, for example with `iconv -t utf-8`")
        }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw SourceFileError(file: name, "the file is empty; check the command that wrote it")
        }
        self.init(name: name, text: text)
    }

    init(name: String, text: String) {
        self.name = name
        let text = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? String(text.unicodeScalars.dropFirst()) : text
        // In a string, `\r\n` is one character, and differs from `\n`.
        self.text = text.replacing("\r\n", with: "\n")
    }

    /// The lines with content, with their numbers from 1. Lines that begin with `comment` are left out.
    func lines(comment: String) -> [(number: Int, text: String)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            let line = line.trimmingCharacters(in: .whitespaces.union(.newlines))
            return line.isEmpty || line.hasPrefix(comment) ? nil : (index + 1, line)
        }
    }

    func json() throws(SourceFileError) -> JSONValue {
        do { return try JSONText.decode(Array(text.utf8), limit: SourceFile.limit) } catch {
            throw SourceFileError(file: name, "the file is not JSON: \(error.place); \(error.remedy)")
        }
    }

    func place(_ line: Int) -> String { "\(name):\(line)" }
}

/// A file does not have the format of its source.
public struct SourceFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// The problem and the remedy.
    public let problem: String

    init(file: String, _ problem: String) { (self.file, self.problem) = (file, problem) }

    public var description: String { "\(file): \(problem)" }
}

import Events
import Foundation
import Permissions

/// Standard output, written in large blocks, on a terminal through a pager.
final class Output {
    /// Whether a pager may show the output. Must be set before the first flush.
    var usesPager = false
    private var pager: Pager?
    /// Whether a pager shows the output.
    var isPaged: Bool { pager != nil }
    private var buffer = Data()
    private static let bufferBytes = 1 << 16

    /// Writes a line of text. Invisible characters are escaped, so that data can neither control a terminal nor mislead a reader.
    func line(_ text: String) throws { try raw(Coloring.line(text.escapingInvisible())) }

    /// Writes a line of JSON with sorted keys. Invisible characters have JSON escapes, so that programs read the same text.
    ///
    /// - Parameter punctuation: the text before the value.
    func json(_ value: JSONValue, after punctuation: String = "") throws {
        try json(text: punctuation + String(decoding: try JSONText.encode(value), as: UTF8.self))
    }

    /// Writes a line of JSON that is encoded already.
    func json(text: String) throws { try raw(text.escapingUnseenAsJSON) }

    /// Writes an unchanged line.
    func raw(_ line: String) throws {
        buffer.append(contentsOf: line.utf8)
        try endLine()
    }

    /// Writes the rest, and waits until the reader closes the pager.
    ///
    /// - Throws: as ``flush()``.
    func finish() throws {
        defer { pager?.finish() }
        try flush()
    }

    private func endLine() throws {
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Output.bufferBytes { try flush() }
    }

    /// Throws ``OutputClosedError`` if the reader has closed the output.
    func flush() throws {
        guard !buffer.isEmpty else { return }
        let pending = buffer
        buffer.removeAll(keepingCapacity: true)
        ProgressBar.standard.clear()
        if usesPager {
            pager = Pager()
            usesPager = false
        }
        if pager != nil { ProgressBar.standard.end() }
        do { try (pager?.handle ?? .standardOutput).write(contentsOf: pending) } catch {
            let error = error as NSError
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
            if cause.domain == NSPOSIXErrorDomain, cause.code == Int(POSIXErrorCode.EPIPE.rawValue) { throw OutputClosedError() }
            throw OutputError(reason: cause.localizedDescription)
        }
    }
}

/// Writes a line to standard error, with invisible characters escaped. The text may contain line ends.
func writeError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").escapingInvisible(keepsLineEnds: true).utf8))
}

/// The reader has closed the output, which is not a failure.
struct OutputClosedError: Error {}

/// The output could not be written.
struct OutputError: Error, CustomStringConvertible {
    let reason: String

    var description: String {
        "the output cannot be written: \(reason); check its destination (the change may have been made: `muniment log`)"
    }
}

extension String {
    /// The JSON with invisible characters as `\u202e` or as a surrogate pair. They can occur only in its strings.
    fileprivate var escapingUnseenAsJSON: String {
        guard unicodeScalars.contains(where: \.isInvisible) else { return self }
        return unicodeScalars.map { scalar in
            guard scalar.isInvisible else { return String(scalar) }
            return scalar.utf16.map { String(format: "\\u%04x", $0) }.joined()
        }.joined()
    }
}

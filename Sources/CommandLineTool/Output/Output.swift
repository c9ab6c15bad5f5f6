import Events
import Foundation
import Permissions

/// Standard output, written in large pieces.
final class Output {
    private var buffer = Data()
    private static let bufferBytes = 1 << 16

    /// A line for people. Unseen characters in it are written out, so that data can neither steer a terminal nor mislead a reader.
    func line(_ text: String) throws { try raw(text.showingUnseen()) }

    /// A line of JSON, with sorted keys. Unseen characters are escaped as JSON does it, so that programs read the same text.
    func json(_ value: JSONValue) throws {
        let text = String(decoding: try JSONText.encode(value), as: UTF8.self)
        buffer.append(contentsOf: text.escapingUnseenAsJSON.utf8)
        try endLine()
    }

    /// A line as it is.
    func raw(_ line: String) throws {
        buffer.append(contentsOf: line.utf8)
        try endLine()
    }

    private func endLine() throws {
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Output.bufferBytes { try flush() }
    }

    /// Throws ``OutputClosed`` when nobody reads any more.
    func flush() throws {
        guard !buffer.isEmpty else { return }
        let pending = buffer
        buffer.removeAll(keepingCapacity: true)
        do { try FileHandle.standardOutput.write(contentsOf: pending) } catch {
            let error = error as NSError
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
            if cause.domain == NSPOSIXErrorDomain, cause.code == Int(POSIXErrorCode.EPIPE.rawValue) { throw OutputClosed() }
            throw OutputFailure(reason: cause.localizedDescription)
        }
    }
}

/// Nobody reads the output any more, which is a good end.
struct OutputClosed: Error {}

/// The output could not be written.
struct OutputFailure: Error, CustomStringConvertible {
    let reason: String

    var description: String {
        "the output cannot be written: \(reason); check where it goes (a change that was asked for may have been made: `muniment log`)"
    }
}

extension String {
    /// JSON with the unseen characters, which only its texts can have, as `\u202e` or as a pair of those.
    fileprivate var escapingUnseenAsJSON: String {
        guard unicodeScalars.contains(where: \.isUnseen) else { return self }
        return unicodeScalars.map { scalar in
            guard scalar.isUnseen else { return String(scalar) }
            return scalar.utf16.map {
                "\\u" + String(repeating: "0", count: 4 - String($0, radix: 16).count) + String($0, radix: 16)
            }
            .joined()
        }.joined()
    }
}

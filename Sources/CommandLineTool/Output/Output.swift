import Events
import Foundation
import Permissions

/// Standard output, written in large pieces.
final class Output {
    private var buffer = Data()
    private static let bufferBytes = 1 << 16

    /// A line for people. Control characters in it are made visible, so that data cannot steer a terminal.
    func line(_ text: String) throws { try raw(text.withoutControls(exceptLineEnds: false)) }

    /// A line of JSON, with sorted keys.
    func json(_ value: JSONValue) throws {
        buffer.append(contentsOf: try JSONText.encode(value))
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
    /// The text with control characters written as `\u{1b}`.
    func withoutControls(exceptLineEnds: Bool) -> String {
        let isControl = { (scalar: Unicode.Scalar) in
            (scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)) && !(exceptLineEnds && scalar == "\n")
        }
        guard unicodeScalars.contains(where: isControl) else { return self }
        return unicodeScalars.map { isControl($0) ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
    }
}

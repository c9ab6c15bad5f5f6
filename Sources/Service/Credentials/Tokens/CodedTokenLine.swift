internal import Hashing
internal import Secrets

/// A line of a shared log of tokens with a code, as the bytes of a record.
///
///     {"created":"t1",…,"after":"SUM OF THE LINE BEFORE","code":"HMAC-SHA-256 OF THE LINE SO FAR"
///
/// The line before is the last one that a node made, so a line with a right code is valid at one place only. A program without the key
/// cannot make such a line.
struct CodedTokenLine {
    /// The change of tokens, a JSON object.
    let object: [UInt8]
    /// The sum of the line before.
    let after: Digest
    private let covered: [UInt8]
    private let code: Digest

    private static let after = Array(#","after":""#.utf8)
    private static let code = Array(#"","code":""#.utf8)
    private static let quote = UInt8(ascii: "\"")

    /// Splits the bytes of a record; returns nil for a line without a code.
    init?(_ bytes: [UInt8]) {
        let digits = 2 * Digest.byteCount
        let codeStart = bytes.count - 1 - digits
        let afterEnd = codeStart - CodedTokenLine.code.count
        let afterStart = afterEnd - digits
        let end = afterStart - CodedTokenLine.after.count
        guard end > 1, bytes.last == CodedTokenLine.quote, bytes[end..<afterStart] == CodedTokenLine.after[...],
            bytes[afterEnd..<codeStart] == CodedTokenLine.code[...],
            let after = Digest(hexadecimal: String(decoding: bytes[afterStart..<afterEnd], as: UTF8.self)),
            let code = Digest(hexadecimal: String(decoding: bytes[codeStart..<codeStart + digits], as: UTF8.self))
        else { return nil }
        (self.after, self.code) = (after, code)
        object = bytes[..<end] + [UInt8(ascii: "}")]
        covered = Array(bytes[...afterEnd])
        // With capital hexadecimal digits, other bytes would have the same code.
        guard CodedTokenLine.bytes(covered, code) == bytes else { return nil }
    }

    /// Whether a node with the key made the line.
    func isMade(with key: TokenLogKey) -> Bool { Secrets.areEqual(key.code(of: covered), code.bytes) }

    /// Returns the bytes of the record of a line.
    static func bytes(of line: TokenLine, after sum: Digest, _ key: TokenLogKey) -> [UInt8] {
        let covered = line.bytes.dropLast() + after + Array(sum.description.utf8) + [quote]
        guard let code = Digest(bytes: key.code(of: covered)) else { preconditionFailure("HMAC-SHA-256 has 32 bytes") }
        return bytes(covered, code)
    }

    private static func bytes(_ covered: [UInt8], _ code: Digest) -> [UInt8] {
        covered.dropLast() + CodedTokenLine.code + Array(code.description.utf8) + [quote]
    }
}

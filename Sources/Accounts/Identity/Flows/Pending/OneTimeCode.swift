internal import Secrets

/// A code of eight letters and digits that a user copies from a mail. It can be used once, for a short time, with at most five
/// attempts.
///
/// It has 40 bits: five attempts succeed with a probability of 1 in 200 billion.
struct OneTimeCode: Sendable {
    /// 32 characters, without `I`, `O`, `0` and `1`, which are easily confused.
    private static let signs = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
    static let length = 8

    private let bytes: [UInt8]

    static func random() -> OneTimeCode {
        OneTimeCode(bytes: Secrets.randomBytes(length).map { signs[Int($0 & 31)] })
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The code as shown in a mail: `ABCD-EFGH`.
    var text: String { String(decoding: bytes[..<4] + [UInt8(ascii: "-")] + bytes[4...], as: UTF8.self) }

    /// Whether the typed text matches the code. Letter case, blanks and hyphens are ignored. Constant time.
    func matches(_ typed: String) -> Bool {
        guard typed.utf8.count <= 64 else { return false }
        let meant = typed.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }.map { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xDF : byte
        }
        return Secrets.areEqual(bytes, meant)
    }
}

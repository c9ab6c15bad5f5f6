internal import Secrets

/// Eight letters and digits that a person copies out of a mail: good once, for a short time, and for five tries at most.
///
/// 40 bits, so that five tries hit it once in 200 billion times.
struct OneTimeCode: Sendable {
    /// 32 signs; none of them is `I`, `O`, `0` or `1`, which are taken for each other.
    private static let signs = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
    static let length = 8

    private let bytes: [UInt8]

    static func random() -> OneTimeCode {
        OneTimeCode(bytes: Secrets.randomBytes(length).map { signs[Int($0 & 31)] })
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// As it stands in a mail: `ABCD-EFGH`.
    var text: String { String(decoding: bytes[..<4] + [UInt8(ascii: "-")] + bytes[4...], as: UTF8.self) }

    /// Whether a person means this code. Small letters will do, and blanks and hyphens do not count. The time tells nothing.
    func matches(_ typed: String) -> Bool {
        guard typed.utf8.count <= 64 else { return false }
        let meant = typed.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }.map { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xDF : byte
        }
        return Secrets.areEqual(bytes, meant)
    }
}

internal import Files

/// The words that are common passwords: the list of Debian's package `cracklib-runtime`, which `Tools/prepare` installs.
struct CommonPasswords: Sendable {
    static let file = "/usr/share/dict/cracklib-small"

    private let words: Set<String>

    /// The installed list, read once.
    static let installed = Result { () throws(CommonPasswordsMissing) in try CommonPasswords(file: file) }

    /// - Parameter file: one word per line, in lowercase.
    /// - Throws: ``CommonPasswordsMissing`` if the file cannot be read or has no words.
    init(file: String) throws(CommonPasswordsMissing) {
        do {
            let lines = try readFile(file).split(separator: UInt8(ascii: "\n"))
            words = Set(lines.map { String(decoding: $0, as: UTF8.self) })
        } catch { throw CommonPasswordsMissing(file: file, why: error.detail) }
        guard !words.isEmpty else { throw CommonPasswordsMissing(file: file, why: "it is empty") }
    }

    /// Whether a password is in the list, in any letter case, alone or with at most three bytes other than letters before and after
    /// it, such as `Sunshine1!`.
    func contains(_ password: String) -> Bool {
        let folded = password.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        if words.contains(String(decoding: folded, as: UTF8.self)) { return true }
        let isLetter = { (byte: UInt8) in byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        guard let first = folded.firstIndex(where: isLetter), let last = folded.lastIndex(where: isLetter),
            folded.count - (last - first + 1) <= 3
        else { return false }
        return words.contains(String(decoding: folded[first...last], as: UTF8.self))
    }
}

/// The list of common passwords cannot be read, so passwords cannot be checked.
public struct CommonPasswordsMissing: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    public let why: String

    public var description: String {
        "cannot read the list of common passwords `\(file)`: \(why). Install the package `cracklib-runtime`; accounts need it"
    }
}

internal import Files

/// The rules for passwords (NIST SP 800-63B, section 5.1.1.2). A password must have the minimum length, and must not be a common
/// password, the address, or a pattern. A rejected password gets an error with the reason.
///
/// Passwords are compared byte for byte as they were sent, without Unicode normalization. A client that normalizes must always do
/// so.
struct PasswordRules {
    static let leastBytes = 8
    static let limitBytes = 1_024

    /// Returns the problem of a new password and the rule; nil if the password is acceptable.
    static func violation(_ password: String, for email: EmailAddress, common: CommonPasswords) -> String? {
        let bytes = Array(password.utf8)
        if bytes.count < leastBytes { return "the password has \(bytes.count) bytes: use at least \(leastBytes)" }
        if bytes.count > limitBytes { return "the password has more than \(limitBytes) bytes: use a shorter one" }
        if common.contains(password) {
            return "the password is on the list of commonly used passwords, which attackers try first: choose a different password"
        }
        let folded = bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        if isObvious(folded, email: Array(email.text.utf8)) {
            return
                "the password is easily guessed: do not use the email, the word password or a keyboard pattern"
        }
        return nil
    }

    private static func isObvious(_ password: [UInt8], email: [UInt8]) -> Bool {
        if Set(password).count < 4 || password == email { return true }
        let name = Array(email.prefix { $0 != UInt8(ascii: "@") })
        // The name or the word itself, alone or with so few other bytes that an attacker tries it early.
        for word in [name, Array("password".utf8)] where word.count >= 4 && password.count < word.count + 4 {
            if password.contains(word) { return true }
        }
        return isRun(password)
    }

    /// Whether the password consists of one or two runs of adjacent characters: `12345678`, `abcd1234`, `qwertzui`.
    private static func isRun(_ password: [UInt8]) -> Bool {
        let rows =
            ["01234567890", "09876543210", "qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm"]
            + ["abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba", "azertyuiop"]
        let pairs = Set(rows.flatMap { row in zip(row.utf8, row.utf8.dropFirst()).map { [$0, $1] } })
        let turns = zip(password, password.dropFirst()).count { !pairs.contains([$0, $1]) }
        return turns <= 1
    }
}

/// The words that are common passwords: the list of Debian's package `cracklib-runtime`, which `Tools/prepare` installs.
struct CommonPasswords: Sendable {
    static let file = "/usr/share/dict/cracklib-small"

    private let words: Set<String>

    /// The installed list, read once.
    static let installed = Result { () throws(CommonPasswordsError) in try CommonPasswords(file: file) }

    /// - Parameter file: one word per line, in lowercase.
    /// - Throws: ``CommonPasswordsError`` if the file cannot be read or has no words.
    init(file: String) throws(CommonPasswordsError) {
        do {
            let lines = try readFile(file).split(separator: UInt8(ascii: "\n"))
            words = Set(lines.map { String(decoding: $0, as: UTF8.self) })
        } catch { throw CommonPasswordsError(file: file, reason: error.detail) }
        guard !words.isEmpty else { throw CommonPasswordsError(file: file, reason: "it is empty") }
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
public struct CommonPasswordsError: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    public let reason: String

    public var description: String {
        "cannot read the list of common passwords `\(file)`: \(reason). Install the package `cracklib-runtime`; accounts need it"
    }
}

/// The rules for passwords (NIST SP 800-63B, section 5.1.1.2). A password must have the minimum length, and must not be a common
/// password, the address, or a pattern. A rejected password gets an error with the reason.
///
/// Passwords are compared byte for byte as they were sent, without Unicode normalization. A client that normalizes must always do
/// so.
struct PasswordRules {
    static let leastBytes = 8
    static let limitBytes = 1_024

    /// Returns the problem of a new password and the rule; nil if the password is acceptable.
    ///
    /// - Parameters:
    ///   - password: the password as it was sent.
    ///   - email: the address of the identity.
    ///   - common: the list of common passwords.
    static func complaint(_ password: String, for email: EmailAddress, common: CommonPasswords) -> String? {
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

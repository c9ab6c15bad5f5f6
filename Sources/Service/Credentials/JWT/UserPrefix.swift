internal import Events
internal import Permissions

/// The names that an issuer may give to its users: the prefix, and the subject of the JWT.
///
/// `user:` gives the issuer the names of all users. `user:corp/` gives it the names below `user:corp/` only.
public struct UserPrefix: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    private static let all = "user:"
    private static let limitBytes = 64

    /// - Parameter text: `user:`, or `user:`, letters, digits, `-`, `_`, `.` or `/`, and `/` at the end; at most 64 bytes.
    /// - Throws: ``IssuerSettingsError/noPrefix(_:)`` for another text. Without the `/`, `user:corp` would include `user:corporal`.
    public init(_ text: String) throws(IssuerSettingsError) {
        let rest = text.utf8.dropFirst(UserPrefix.all.utf8.count)
        guard text.utf8.starts(with: UserPrefix.all.utf8), text.utf8.count <= UserPrefix.limitBytes,
            rest.allSatisfy(UserPrefix.isValid),
            rest.isEmpty || (rest.last == UInt8(ascii: "/") && rest.first != UInt8(ascii: "/"))
        else { throw .noPrefix(text) }
        self.text = text
    }

    public var description: String { text }

    private static func isValid(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_./".utf8.contains(byte)
        }
    }

    /// Returns the name of the user with a subject.
    static func name(of subject: String, under prefix: UserPrefix?) -> Name { Name((prefix?.text ?? all) + subject) }
}

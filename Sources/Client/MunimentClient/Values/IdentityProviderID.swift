/// The name of a sign-in method: ``email``, or an OpenID provider as the operator of the service named it.
public struct IdentityProviderID: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let text: String

    /// Email and password.
    public static let email = IdentityProviderID("password")

    public init(_ text: String) { self.text = text }
    public init(stringLiteral text: String) { self.text = text }

    public var description: String { text }

    public static func < (left: IdentityProviderID, right: IdentityProviderID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

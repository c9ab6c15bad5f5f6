public import Primitives

/// A method that identifies a user (CONFORMANCE I2). The manager depends only on this protocol. A new provider needs support in the
/// service, but no other change here.
public protocol IdentityProvider: Sendable {
    /// The provider's name at the service.
    var providerID: IdentityProviderID { get }

    /// The evidence for the service, in the format of the provider.
    var evidence: JSONObject { get }

    /// Whether the same evidence can be used twice. It is then sent again if the service could not check it.
    var isReusable: Bool { get }
}

/// Signs in with an email and a password.
public struct EmailIdentityProvider: IdentityProvider {
    public let email: String
    private let password: String

    /// - Parameters:
    ///   - email: the address of the user.
    ///   - password: 8 to 1,024 bytes, compared byte for byte.
    public init(email: String, password: String) {
        self.email = email
        self.password = password
    }

    public var providerID: IdentityProviderID { .email }
    public var evidence: JSONObject { ["email": .string(email), "password": .string(password)] }
    public var isReusable: Bool { true }
}

extension EmailIdentityProvider: CustomStringConvertible {
    /// Does not contain the password.
    public var description: String { "email \(email)" }
}

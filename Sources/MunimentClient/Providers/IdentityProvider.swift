public import Events

/// What a person shows who they are with (CONFORMANCE I2). The manager knows providers by this alone, so that a further one, which the
/// service has to know too, changes nothing else.
public protocol IdentityProvider: Sendable {
    /// What the service calls the provider.
    var providerID: IdentityProviderID { get }

    /// What the service is shown, in the words of that provider.
    var evidence: JSONObject { get }

    /// Whether the same evidence can be shown twice. It is then sent again where the service could not look at it.
    var isReusable: Bool { get }
}

/// An email and its password.
public struct EmailIdentityProvider: IdentityProvider {
    public let email: String
    private let password: String

    /// - Parameters:
    ///   - email: where the person gets mail.
    ///   - password: from 8 to 1,024 bytes, taken as they are.
    public init(email: String, password: String) {
        self.email = email
        self.password = password
    }

    public var providerID: IdentityProviderID { .email }
    public var evidence: JSONObject { ["email": .string(email), "password": .string(password)] }
    public var isReusable: Bool { true }
}

extension EmailIdentityProvider: CustomStringConvertible, CustomDebugStringConvertible {
    /// Without the password.
    public var description: String { "email \(email)" }
    public var debugDescription: String { description }
}

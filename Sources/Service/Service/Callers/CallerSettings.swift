public import Credentials

/// The callers that a service accepts besides those with its own tokens.
public struct CallerSettings: Sendable {
    /// The trusted issuer of JWTs; nil to reject all JWTs.
    public var issuer: IssuerSettings?
    /// The stores that callers with such a JWT reach.
    public var issuerStores: StoreScope
    /// The stores that accept callers without credentials, as `anonymous`; nil for none.
    public var anonymousStores: StoreScope?

    public init(issuer: IssuerSettings? = nil, issuerStores: StoreScope = .all, anonymousStores: StoreScope? = nil) {
        self.issuer = issuer
        self.issuerStores = issuerStores
        self.anonymousStores = anonymousStores
    }
}

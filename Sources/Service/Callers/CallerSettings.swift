public import Credentials

/// Who may call a service besides those who have a token of it.
public struct CallerSettings: Sendable {
    /// Whose JWTs are believed; nil for nobody's.
    public var issuer: IssuerSettings?
    /// The stores that those who come with such a JWT reach.
    public var issuerStores: StoreScope
    /// The stores that answer callers without any credential, as `anonymous`; nil for none.
    public var anonymousStores: StoreScope?

    public init(issuer: IssuerSettings? = nil, issuerStores: StoreScope = .all, anonymousStores: StoreScope? = nil) {
        self.issuer = issuer
        self.issuerStores = issuerStores
        self.anonymousStores = anonymousStores
    }
}

public import Primitives

/// The signed-in user, as the service knows them.
public struct AuthUser: Hashable, Sendable {
    /// The user's principal in the stores. It contains no personal data.
    public let principal: Name
    /// The verified email; nil if it does not exist.
    public let email: String?
    public let displayName: String?
    /// The address of a picture.
    public let picture: String?
    public let createdAt: Instant
    /// The linked identities, the preferred one first.
    public let providers: [IdentityProviderUserInfo]

    /// - Parameters:
    ///   - principal: the principal in the stores.
    ///   - email: the verified email.
    ///   - displayName: the display name.
    ///   - picture: the address of a picture.
    ///   - createdAt: when the account was created.
    ///   - providers: the linked identities, in any order.
    public init(
        principal: Name, email: String?, displayName: String?, picture: String?, createdAt: Instant,
        providers: [IdentityProviderUserInfo]
    ) {
        self.principal = principal
        self.email = email
        self.displayName = displayName
        self.picture = picture
        self.createdAt = createdAt
        self.providers = providers.sorted { ($0.priority, $0.providerID) < ($1.priority, $1.providerID) }
    }
}

/// An identity linked to an account.
public struct IdentityProviderUserInfo: Hashable, Sendable {
    public let providerID: IdentityProviderID
    /// A label for the user, such as their email at the provider; nil if the provider gave none.
    public let label: String?
    public let linkedAt: Instant
    /// The provider with the lowest number is preferred.
    public let priority: Int

    /// - Parameters:
    ///   - providerID: the provider.
    ///   - label: a label for the user.
    ///   - linkedAt: when it was linked to the account.
    ///   - priority: the lowest is preferred.
    public init(providerID: IdentityProviderID, label: String?, linkedAt: Instant, priority: Int) {
        self.providerID = providerID
        self.label = label
        self.linkedAt = linkedAt
        self.priority = priority
    }

    /// The label, if it is an address.
    public var email: String? { label.flatMap { $0.contains("@") ? $0 : nil } }
}

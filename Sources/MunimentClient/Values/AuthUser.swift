public import Events
public import Permissions

/// Who is signed in, as the service knows them.
public struct AuthUser: Hashable, Sendable {
    /// What stores know them by. It says nothing about the person.
    public let principal: Name
    /// The address that the person has shown to be their own; nil where there is none.
    public let email: String?
    public let displayName: String?
    /// The address of a picture.
    public let picture: String?
    public let createdAt: Instant
    /// The ways into the account, the one to be asked for first in front.
    public let providers: [IdentityProviderUserInfo]

    /// - Parameters:
    ///   - principal: what stores know them by.
    ///   - email: the address that was shown to be theirs.
    ///   - displayName: what they are called.
    ///   - picture: the address of a picture.
    ///   - createdAt: since when there is the account.
    ///   - providers: the ways into it, in any order.
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

/// One way into an account.
public struct IdentityProviderUserInfo: Hashable, Sendable {
    public let providerID: IdentityProviderID
    /// What the person knows it by, such as their email at the provider; nil where the provider told none.
    public let label: String?
    public let linkedAt: Instant
    /// Who is asked for first, where several will do: the lowest.
    public let priority: Int

    /// - Parameters:
    ///   - providerID: by which provider.
    ///   - label: what the person knows it by.
    ///   - linkedAt: since when it leads into the account.
    ///   - priority: the lowest is asked for first.
    public init(providerID: IdentityProviderID, label: String?, linkedAt: Instant, priority: Int) {
        self.providerID = providerID
        self.label = label
        self.linkedAt = linkedAt
        self.priority = priority
    }

    /// The label, where it is an address.
    public var email: String? { label.flatMap { $0.contains("@") ? $0 : nil } }
}

public import Identity

/// The options of a service with accounts.
public struct AccountsOptions: Sendable {
    /// The stores that register every account, and that sessions reach.
    public var stores: [StoreName]
    /// Sign-in methods besides a password.
    public var providers: [any IdentityProvider]
    public var mailer: any Mailer
    public var settings: AccountSettings

    public init(
        stores: [StoreName] = [.default], providers: [any IdentityProvider] = [], mailer: any Mailer,
        settings: AccountSettings = AccountSettings()
    ) {
        self.stores = stores
        self.providers = providers
        self.mailer = mailer
        self.settings = settings
    }
}

/// A store configured for accounts does not exist.
public struct NoStoreForAccounts: Error, Hashable, Sendable, CustomStringConvertible {
    public let store: StoreName
    public let dataDirectory: String

    public var description: String {
        "the store `\(store)` in the settings of accounts does not exist in `\(dataDirectory)`; create it first (`muniment init --store "
            + "\(dataDirectory)/\(store)`), or remove it from `stores`"
    }
}

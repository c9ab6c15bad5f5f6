/// Accounts: signing up and in, what somebody does with an account of their own, and looking after all of them. There only where
/// the service has accounts (`serve --accounts`).
enum AccountRoutes {
    static let all: [Route] = SigningInRoutes.all + SessionRoutes.all + OwnAccountRoutes.all + WaysInRoutes.all + AccountsRoutes.all

    /// Bytes of a body at most: a password, a code and an address have room in it several times.
    static let bodyLimitBytes = 32 << 10
}

/// Routes for accounts: registration, sign-in, a user's own account, and the management of all accounts. Available only if the
/// service has accounts (`serve --accounts`).
enum AccountRoutes {
    static let all: [Route] = SigningInRoutes.all + SessionRoutes.all + OwnAccountRoutes.all + WaysInRoutes.all + AccountsRoutes.all

    /// The largest body in bytes: enough for a password, a code and an address several times.
    static let bodyLimitBytes = 32 << 10
}

public import Secrets

/// Lifetimes and limits of accounts.
public struct AccountSettings: Hashable, Sendable {
    /// The lifetime of an access token in seconds.
    public var accessSeconds: Int64 = 600
    /// The time in seconds after which a session without a refresh expires.
    public var idleSeconds: Int64 = 30 * 86_400
    /// The maximum lifetime of a session in seconds.
    public var sessionSeconds: Int64 = 180 * 86_400
    /// The maximum age in seconds of a sign-in for a sensitive change (CONFORMANCE I7).
    public var recentSignInSeconds: Int64 = 300
    /// The lifetime of a mailed code in seconds.
    public var codeSeconds: Int64 = 600
    /// The name of the service in mails.
    public var serviceName = "Muniment"
    /// The cost of a password hash. A weaker hash is replaced at the next sign-in.
    public var passwordHash = PasswordHash.Settings()
    /// The maximum number of concurrent password hashes. They run at low priority.
    public var hashesAtOnce = 2
    /// The maximum number of passwords that wait to be hashed. Further requests get ``AccountProblem/unavailable(_:)``.
    public var hashBacklog = 32
    /// The limits on attempts.
    public var limits = AccountLimits()

    public init() {}
}

public import Secrets

/// How long things last and how much is let through.
public struct AccountSettings: Hashable, Sendable {
    /// Seconds that an access token is good for.
    public var accessSeconds: Int64 = 600
    /// Seconds without a refresh until a session is over.
    public var idleSeconds: Int64 = 30 * 86_400
    /// Seconds until a session is over whatever happens.
    public var sessionSeconds: Int64 = 180 * 86_400
    /// Seconds within which one has to have signed in for a sensitive change (CONFORMANCE I7).
    public var recentSignInSeconds: Int64 = 300
    /// Seconds that a code from a mail is good for.
    public var codeSeconds: Int64 = 600
    /// What the service is called in mails.
    public var serviceName = "Muniment"
    /// What the hash of a password costs. A weaker one is made anew when its person signs in.
    public var passwordHash = PasswordHash.Settings()
    /// How many passwords are hashed at once, behind everything else that the machine has to do.
    public var hashesAtOnce = 2
    /// How many passwords may wait to be hashed; beyond that the answer is ``AccountProblem/unavailable(_:)``.
    public var hashBacklog = 32
    /// How often something may be tried.
    public var limits = AccountLimits()

    public init() {}
}

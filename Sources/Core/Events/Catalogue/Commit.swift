/// The source of a commit, as its writer stated it.
public struct Origin: Hashable, Sendable {
    /// The caller's id for the request, or the `id` of an imported transaction.
    public var requestID: String?
    /// A repeated request with the same key receives the first result (CONFORMANCE E8).
    public var idempotencyKey: String?
    /// SHA-256 of the request that `idempotencyKey` identifies; empty without a key.
    public var requestDigest: [UInt8]
    public var comment: String?
    /// The line of the imported file that contains this commit.
    public var importLine: UInt64?
    /// The credential that authenticated the caller: `token` and its id, `session` and its id, or `jwt`, its issuer and its
    /// subject, separated by spaces. Nil for an anonymous caller, for the command-line tool on the same machine, and for a
    /// program that uses the library.
    public var credential: String?

    public init(
        requestID: String? = nil, idempotencyKey: String? = nil, requestDigest: [UInt8] = [], comment: String? = nil,
        importLine: UInt64? = nil, credential: String? = nil
    ) {
        self.requestID = requestID
        self.idempotencyKey = idempotencyKey
        self.requestDigest = requestDigest
        self.comment = comment
        self.importLine = importLine
        self.credential = credential
    }
}

extension Origin {
    /// The request id, the comment and the credential as text for people, each preceded by two spaces. Absent parts are left out.
    package var note: String {
        (requestID.map { "  \($0)" } ?? "") + (comment.map { "  (\($0))" } ?? "") + (credential.map { "  by \($0)" } ?? "")
    }
}

/// One transaction as the log stores it: the unit of atomicity.
public struct Commit: Hashable, Sendable {
    public var revision: Revision
    public var time: Instant
    public var actor: PrincipalID
    public var origin: Origin
    public var events: [Event]

    public init(revision: Revision, time: Instant, actor: PrincipalID, origin: Origin = Origin(), events: [Event]) {
        self.revision = revision
        self.time = time
        self.actor = actor
        self.origin = origin
        self.events = events
    }
}

extension Commit {
    /// Whether the commit corrects the clock. Only then may its time be before the time of the previous commit.
    public var correctsClock: Bool {
        events.contains { if case .clockCorrected = $0 { true } else { false } }
    }
}

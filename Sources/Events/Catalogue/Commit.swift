/// Where a commit came from, as far as its writer said.
public struct Origin: Hashable, Sendable {
    /// The caller's own id for the request, or the `id` of an imported transaction.
    public var requestID: String?
    /// Makes a repetition answer the first result (CONFORMANCE E8).
    public var idempotencyKey: String?
    /// SHA-256 of the request that `idempotencyKey` stands for; empty without a key.
    public var requestDigest: [UInt8]
    public var comment: String?
    /// The line of the imported file that this commit comes from.
    public var importLine: UInt64?
    /// The credential that the service admitted the caller by: `token` and its id, `session` and its id, or `jwt`, its issuer and its
    /// subject, each with a blank in between. Nil for an anonymous caller, for the tool on the same machine, and for a program that uses
    /// the library.
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
    /// What is there of it for people, each part after two blanks: the request's id, the comment, the credential.
    package var note: String {
        (requestID.map { "  \($0)" } ?? "") + (comment.map { "  (\($0))" } ?? "") + (credential.map { "  by \($0)" } ?? "")
    }
}

/// One transaction as the log keeps it: the unit of atomicity.
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
    /// Whether the commit corrects the clock, so that its time may be before the time of the commit before it.
    public var correctsClock: Bool {
        events.contains { if case .clockCorrected = $0 { true } else { false } }
    }
}

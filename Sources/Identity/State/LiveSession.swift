internal import Events
internal import Hashing
internal import Secrets

/// A session that was not ended, with the hashes of what its client holds.
struct LiveSession: Hashable, Sendable {
    var session: Session
    /// Of the tokens that were given out last.
    var hashes: SessionHashes
    /// The hash of the nonce that these were asked for with; nil for those that a sign-in brought.
    var nonce: Digest?
    /// The hash of the refresh token that these were given for: the same request can be answered again. Nil likewise.
    var previousRefresh: Digest?
    /// The access token before, which requests that are on their way still bear; good until its own end.
    var previousAccess: PreviousAccess?

    struct PreviousAccess: Hashable, Sendable {
        let hash: Digest
        let ends: Instant
    }

    /// Whether its time is over.
    func isOver(at now: Instant) -> Bool { now >= min(session.idleEnds, session.ends) }

    /// Whether an access token of this hash is good now.
    func accepts(access hash: Digest, at now: Instant) -> Bool {
        if isOver(at: now) { return false }
        if Secrets.areEqual(hash.bytes, hashes.access.bytes) { return now < session.accessEnds }
        guard let previousAccess, Secrets.areEqual(hash.bytes, previousAccess.hash.bytes) else { return false }
        return now < previousAccess.ends
    }
}

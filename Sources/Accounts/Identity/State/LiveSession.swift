internal import Hashing
internal import Primitives
internal import Secrets

/// A session that was not ended, with the hashes of its client's tokens.
struct LiveSession: Hashable, Sendable {
    var session: Session
    /// The hashes of the current tokens.
    var hashes: SessionHashes
    /// The hash of the nonce that the current tokens were requested with; nil for the tokens of a sign-in.
    var nonce: Digest?
    /// The hash of the refresh token that the current tokens were issued for, so that the same request can be answered again. Nil
    /// for the tokens of a sign-in.
    var previousRefresh: Digest?
    /// The previous access token, which requests in flight may still use; valid until it expires.
    var previousAccess: PreviousAccess?

    struct PreviousAccess: Hashable, Sendable {
        let hash: Digest
        let ends: Instant
    }

    /// Whether the session has expired.
    func isOver(at now: Instant) -> Bool { now >= min(session.idleEnds, session.ends) }

    /// Whether an access token with this hash is valid now.
    func accepts(access hash: Digest, at now: Instant) -> Bool {
        if isOver(at: now) { return false }
        if Secrets.areEqual(hash.bytes, hashes.access.bytes) { return now < session.accessEnds }
        guard let previousAccess, Secrets.areEqual(hash.bytes, previousAccess.hash.bytes) else { return false }
        return now < previousAccess.ends
    }
}

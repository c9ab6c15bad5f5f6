internal import Credentials
internal import Events
internal import HTTPServer
internal import Hashing
internal import Secrets
internal import Synchronization

/// Tickets that open one live feed each. A browser's `EventSource` cannot send the header `Authorization`, but an address with a ticket.
///
/// A ticket is valid for one request within ``lifetimeSeconds``, in one store, with the access of the credential that requested it.
/// Tickets are only in memory, as hashes.
final class FeedTickets: Sendable {
    static let lifetimeSeconds: Int64 = 30
    /// How many tickets a caller may request within the lifetime of one.
    static let limitOfCaller = 64
    /// How many tickets all callers together may request within the lifetime of one.
    static let limit = 65_536

    private struct Ticket {
        let credential: Credential
        let store: String
        let until: Instant
    }

    private struct State {
        var tickets: [Digest: Ticket] = [:]
        /// The requested tickets that have not expired, used or not, in the order of their expiry.
        var requested: ArraySlice<(digest: Digest, caller: String, until: Instant)> = []
        var byCaller: [String: Int] = [:]

        mutating func removeExpired(at now: Instant) {
            while let first = requested.first, !FeedTickets.isWithinLifetime(first.until, at: now) {
                requested.removeFirst()
                tickets[first.digest] = nil
                let count = byCaller[first.caller] ?? 1
                byCaller[first.caller] = count > 1 ? count - 1 : nil
            }
        }
    }

    private let state = Mutex(State())

    /// Returns whether a ticket has not expired. One that expires later than a new ticket is from before the clock was set back.
    private static func isWithinLifetime(_ until: Instant, at now: Instant) -> Bool {
        until > now && until <= now.advanced(bySeconds: lifetimeSeconds)
    }

    /// Returns a new ticket.
    ///
    /// - Parameters:
    ///   - credential: the credential that gives the ticket its access.
    ///   - caller: the caller that the ticket is counted for.
    ///   - store: the name of the store.
    ///   - now: the time.
    /// - Throws: ``Problem`` if too many tickets were requested.
    func make(
        for credential: Credential, _ caller: String, in store: String, at now: Instant
    ) throws(Problem) -> (ticket: String, expires: Instant) {
        let ticket = "ticket_" + Base64URL.encode(Secrets.randomBytes(32))
        let until = now.advanced(bySeconds: Self.lifetimeSeconds)
        let digest = Digest(of: Array(ticket.utf8).span)
        let isMade = state.withLock { state in
            state.removeExpired(at: now)
            let count = state.byCaller[caller] ?? 0
            guard count < Self.limitOfCaller, state.requested.count < Self.limit else { return false }
            state.byCaller[caller] = count + 1
            state.requested.append((digest, caller, until))
            state.tickets[digest] = Ticket(credential: credential, store: store, until: until)
            return true
        }
        guard isMade else {
            throw Problem(
                .tooManyRequests, "too many tickets were requested: use one for each feed, and request it just before",
                retryAfterSeconds: Int(Self.lifetimeSeconds))
        }
        return (ticket, until)
    }

    /// Uses up a ticket.
    ///
    /// - Returns: the credential that requested it; nil if the ticket is unknown, used or expired, is for another store, or if the
    ///   credential is no longer valid.
    func take(_ ticket: String, in store: String, at now: Instant) -> Credential? {
        let digest = Digest(of: Array(ticket.utf8).span)
        let found = state.withLock { state in
            state.removeExpired(at: now)
            return state.tickets.removeValue(forKey: digest)
        }
        guard let found, Self.isWithinLifetime(found.until, at: now), found.store == store, found.credential.isValid() else {
            return nil
        }
        return found.credential
    }
}

extension MunimentService {
    /// Determines the caller of a request: by its header `Authorization`, by a browser session or, for a live feed, by a ticket in its
    /// address.
    ///
    /// - Throws: ``Problem`` if the credentials are invalid.
    func finding(
        for request: HTTPRequest, _ route: Route, from client: String, in store: String?
    ) throws(Problem) -> Authenticator.Finding {
        guard route.acceptsTicket, !request.query.isEmpty, let ticket = try QueryParameters(request.query)["ticket"] else {
            // A request with both headers is authenticated by `Authorization` alone.
            if case nil = request.header("Authorization"), request.header("Muniment-Session") != nil {
                guard let credential = browserCredential(of: request) else { throw .unauthenticated }
                return .known(credential)
            }
            return try authenticator.finding(for: request, from: client, in: store)
        }
        guard case nil = request.header("Authorization") else {
            throw Problem(.malformed, "the request has a ticket and the header `Authorization`: send one of them")
        }
        guard request.wantsFeed, let store, let credential = tickets.take(ticket, in: store, at: settings.clock()) else {
            throw Problem(
                .unauthenticated,
                "the ticket is invalid, used or expired, or the request is not for a live feed: get a new ticket (`POST "
                    + "/v1/stores/STORE/tickets`), and use it once, with `Accept: text/event-stream`",
                headers: [HTTPHeader("WWW-Authenticate", "Bearer realm=\"muniment\"")])
        }
        return .known(credential)
    }
}

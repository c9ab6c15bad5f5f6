internal import Credentials
internal import Events
internal import Files
internal import HTTPServer
internal import Hashing
internal import Muniment
internal import Secrets
internal import Synchronization

/// Sessions of browsers. A session replaces a token in a page, so that a reload and a new tab need no new sign-in.
///
/// A session has two secrets of 256 random bits, and a request needs both. Scripts cannot read the cookie. Other pages and other services
/// on the same host cannot read the key, which the page keeps in its storage and sends in `Muniment-Session`: browsers separate storage,
/// but not cookies, by port. The service keeps only a hash of both.
///
/// A session has the access of the credential that created it. It ends with this credential, ``idleSeconds`` after its last request, and
/// ``lifetimeSeconds`` after its creation. It is saved for the next start of the service, unless its credential is a JWT.
final class BrowserSessions: Sendable {
    static let lifetimeSeconds: Int64 = 24 * 3_600
    static let idleSeconds: Int64 = 4 * 3_600
    /// How many sessions an owner can have. A new one ends the least recently used one.
    static let limitOfOwner = 16

    struct Session: Sendable {
        /// The id in lists, which is not secret.
        let id: UInt64
        let credential: Credential
        /// The address of the browser at the sign-in.
        let client: String
        let createdAt: Instant
        fileprivate(set) var usedAt: Instant

        var owner: String { credential.caller.owner }
        var expiresAt: Instant { min(createdAt.advanced(bySeconds: lifetimeSeconds), usedAt.advanced(bySeconds: idleSeconds)) }

        /// Whether the session has expired, or is from before the clock was set back.
        fileprivate func isExpired(at now: Instant) -> Bool { now >= expiresAt || now < createdAt }

        fileprivate func isOpen(at now: Instant) -> Bool { !isExpired(at: now) && credential.isValid() }
    }

    private struct State {
        var sessions: [Digest: Session] = [:]
        var lastID: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())
    private let path: String
    /// Held while the file is written.
    private let saving = Mutex(())

    /// - Parameters:
    ///   - folder: the service's own folder in the data directory.
    ///   - limit: how many sessions all owners together can have.
    init(in folder: String, limit: Int = 16_384) { (path, self.limit) = (folder + "/browser-sessions", limit) }

    /// The hash of the two secrets of a session.
    static func hash(cookie: String, key: String) -> Digest { Digest(of: Array("\(cookie) \(key)".utf8).span) }

    /// Creates a session. It is on the disk before the call returns.
    ///
    /// - Parameters:
    ///   - credential: the credential that gives the session its access.
    ///   - client: the address of the browser.
    ///   - now: the time.
    /// - Throws: ``Problem`` if the service has too many sessions, or an error of the file.
    func create(
        for credential: Credential, from client: String, at now: Instant
    ) throws -> (cookie: String, key: String, session: Session) {
        let (cookie, key) = (Base64URL.encode(Secrets.randomBytes(32)), Base64URL.encode(Secrets.randomBytes(32)))
        let created = state.withLock { state -> Session? in
            let own = state.sessions.filter { $0.value.owner == credential.caller.owner }
            if own.count >= Self.limitOfOwner, let oldest = own.min(by: { $0.value.usedAt < $1.value.usedAt }) {
                state.sessions[oldest.key] = nil
            }
            if state.sessions.count >= limit { state.sessions = state.sessions.filter { !$0.value.isExpired(at: now) } }
            guard state.sessions.count < limit else { return nil }
            state.lastID += 1
            let session = Session(id: state.lastID, credential: credential, client: client, createdAt: now, usedAt: now)
            state.sessions[Self.hash(cookie: cookie, key: key)] = session
            return session
        }
        guard let created else {
            throw Problem(.tooManyRequests, "the service has too many browser sessions: try again later", retryAfterSeconds: 60)
        }
        try save()
        return (cookie, key, created)
    }

    /// Returns the open session with a hash; nil if it has ended or never existed.
    func session(_ hash: Digest, at now: Instant) -> Session? {
        // The validity is checked outside the lock, because for a token it takes a system call.
        guard let found = state.withLock({ $0.sessions[hash] }), found.isOpen(at: now) else { return nil }
        return found
    }

    /// Returns the open session with a hash, and counts its use.
    func use(_ hash: Digest, at now: Instant) -> Session? {
        guard let found = session(hash, at: now) else { return nil }
        state.withLock { $0.sessions[hash]?.usedAt = now }
        return found
    }

    /// Returns the wanted open sessions, in the order of their creation. Linear in all sessions.
    func list(at now: Instant, where isWanted: (Session) -> Bool = { _ in true }) -> [Session] {
        state.withLock { Array($0.sessions.values) }.filter { isWanted($0) && $0.isOpen(at: now) }.sorted { $0.id < $1.id }
    }

    /// Ends a session at once, also for the next start of the service. Does nothing if it has ended.
    ///
    /// - Throws: an error of the file. The session has ended until the next start.
    func end(_ session: Session) throws {
        state.withLock { state in state.sessions = state.sessions.filter { $0.value.id != session.id } }
        try save()
    }

    // MARK: The file

    /// Writes the sessions to the disk. Linear in all sessions.
    func save() throws {
        try saving.withLock { _ in
            let (sessions, lastID) = state.withLock { ($0.sessions, $0.lastID) }
            let list = sessions.map { hash, session -> JSONValue in
                .object([
                    "hash": .string(hash.description), "id": .string(String(session.id)),
                    "credential": .string(session.credential.caller.credential ?? ""), "client": .string(session.client),
                    "made": .time(session.createdAt), "used": .time(session.usedAt),
                ])
            }
            try replaceFile(
                path, with: try JSONText.encode(.object(["lastID": .string(String(lastID)), "sessions": .array(list)])))
        }
    }

    /// Reads the sessions of an earlier start. A session without its credential is left out.
    ///
    /// - Parameter credential: returns the credential with a name, if it began by a time.
    /// - Throws: an error if the file cannot be read or decoded. No session is open then.
    func restore(_ credential: (_ name: String, _ time: Instant) throws -> Credential?) throws {
        guard let bytes = try readFileIfThere(path) else { return }
        let saved = try JSONText.decode(bytes, limit: bytes.count)
        guard case .array(let list)? = saved["sessions"] else { return }
        var sessions: [Digest: Session] = [:]
        for saved in list {
            func text(_ name: String) -> String { if case .string(let text)? = saved[name] { text } else { "" } }
            guard let hash = Digest(hexadecimal: text("hash")), let id = UInt64(text("id")) else { continue }
            let createdAt = try Instant(text("made"))
            guard let credential = try credential(text("credential"), createdAt) else { continue }
            sessions[hash] = Session(
                id: id, credential: credential, client: text("client"), createdAt: createdAt, usedAt: try Instant(text("used")))
        }
        guard case .string(let last)? = saved["lastID"] else { return }
        state.withLock { $0 = State(sessions: sessions, lastID: UInt64(last) ?? 0) }
    }
}

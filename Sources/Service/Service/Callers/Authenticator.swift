internal import Credentials
internal import Events
internal import Files
internal import HTTPServer
internal import Identity
internal import Permissions
internal import Secrets
internal import Work

/// Determines the caller from the head of a request: by a token, a session, a JWT, the secret of the tool on this machine, or no
/// credential.
///
/// All rejected callers get the same response after the same work, whatever is wrong.
struct Authenticator: Sendable {
    private let tokens: TokenRegistry
    private let localSecret: [UInt8]
    private let verifier: JWTVerifier?
    private let issuerStores: StoreScope
    /// Whether the issuer has a prefix for its users.
    private let hasUserPrefix: Bool
    private let anonymousStores: StoreScope?
    private let accounts: AccountService?
    private let clock: @Sendable () -> Instant
    /// The invalid JWTs of each address. This limits the work of verifying signatures; guessing a signature is not feasible. Valid JWTs
    /// from such an address must wait, too. Tokens are not limited, valid or not: looking one up costs no more than rejecting it.
    private let failures = AttemptLimiter<String>(subjectLimit: 16_384) { _ in Authenticator.failureLimit }

    /// A thousand at once, and then a hundred a second.
    static let failureLimit = LimitRule(perSecond: 100, burst: 1_000)

    init(
        _ settings: CallerSettings, tokens: TokenRegistry, localSecret: String, accounts: AccountService?,
        clock: @escaping @Sendable () -> Instant, report: @escaping @Sendable (String) -> Void
    ) {
        self.tokens = tokens
        self.accounts = accounts
        self.localSecret = Array(localSecret.utf8)
        verifier = settings.issuer.map { JWTVerifier($0, report: report) }
        issuerStores = settings.issuerStores
        hasUserPrefix = settings.issuer?.userPrefix != nil
        anonymousStores = settings.anonymousStores
        self.clock = clock
    }

    /// The result of reading the credentials in the head of a request.
    enum Finding {
        case known(Credential)
        /// The issuer's keys must be fetched first, with ``credential(verifying:from:)``.
        case unverified(jwt: String)

        /// The caller, if known.
        var caller: Caller? { if case .known(let credential) = self { credential.caller } else { nil } }
    }

    /// Determines the caller. Does not block.
    ///
    /// The connection remembers a token that it sent: the next request with the same header costs one system call, for the case that the
    /// token was revoked.
    ///
    /// - Parameters:
    ///   - request: the request, whose head has arrived.
    ///   - peer: the address of the client.
    ///   - store: the store of the request, if any.
    /// - Throws: ``Problem`` if the credentials are invalid. It does not contain the reason.
    func finding(for request: HTTPRequest, from peer: String, in store: String?) throws(Problem) -> Finding {
        if let credential = Credential.remembered(for: request) { return .known(credential) }
        guard let header = request.headerBytes("Authorization"), let authorization = request.header("Authorization")
        else {
            guard let store, let anonymousStores, anonymousStores.includes(store) else { throw Problem.unauthenticated }
            return .known(Credential(.anonymous(in: store)))
        }
        let finding = try finding(authorization, header, from: peer)
        if case .known(let credential) = finding { credential.remember(for: request) }
        return finding
    }

    private func finding(_ authorization: String, _ header: [UInt8], from peer: String) throws(Problem) -> Finding {
        guard let text = Authenticator.bearer(authorization) else { throw .unauthenticated }
        if Secrets.areEqual(Array(text.utf8), localSecret) { return .known(Credential(.tool)) }
        if let accounts, text.utf8.starts(with: "muna_".utf8) {
            guard let caller = accounts.caller(access: text) else { throw .sessionOver }
            return .known(Credential(caller) { accounts.isOpen(caller, access: text) })
        }
        do {
            if let token = try tokens.authenticate(text, at: clock()) {
                return .known(credential(token, header: header))
            }
        } catch {
            throw Problem.unreadableTokens(error)
        }
        guard let verifier, text.utf8.contains(UInt8(ascii: ".")) else { throw .unauthenticated }
        // Verifying a signature takes a thousand times as long as a table lookup, so clients with invalid ones are limited.
        guard failures.accepts(ClientAddress.group(peer), at: clock()) else { throw .tooManyFailures }
        do throws(JWTError) {
            guard let claims = try verifier.verifyCached(text, at: clock()) else { return .unverified(jwt: text) }
            return .known(try credential(claims))
        } catch {
            throw problem(for: error, from: peer)
        }
    }

    private func credential(_ token: AuthenticatedToken, header: [UInt8]? = nil) -> Credential {
        Credential(Caller(token.token), header: header) { [tokens, clock] in (try? tokens.isValid(token, at: clock())) == true }
    }

    /// Returns the credential with a name, as in ``Caller/credential``, for a saved browser session. Nil if the credential does not exist,
    /// is newer than the session, or is a JWT, which the service does not store. Does not check that the credential is valid.
    func credential(named name: String, begunBy time: Instant) throws -> Credential? {
        let words = name.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "token":
            guard let token = try tokens.authenticated(id: words[1]), token.token.createdAt <= time else { return nil }
            return credential(token)
        case "session": return UInt64(words[1]).flatMap { accounts?.credential(of: SessionID($0), begunBy: time) }
        default: return nil
        }
    }

    /// Returns the credential of a JWT, after fetching the issuer's keys. Can block for as long as the fetch takes.
    func credential(verifying jwt: String, from peer: String) throws(Problem) -> Credential {
        guard let verifier else { throw .unauthenticated }
        do throws(JWTError) { return try credential(try verifier.verify(jwt, at: clock())) } catch {
            throw problem(for: error, from: peer)
        }
    }

    /// Returns the credential of a verified JWT. A JWT cannot be revoked: it is valid until it expires.
    ///
    /// - Throws: ``Credentials/JWTError/reservedSubject`` if the issuer names the user of an account.
    private func credential(_ claims: VerifiedClaims) throws(JWTError) -> Credential {
        if let accounts, accounts.accounts.reserves(claims.subject) { throw .reservedSubject }
        let until = claims.until
        return Credential(Caller(claims, issuerStores, mayAdminister: hasUserPrefix)) { [clock] in clock() < until }
    }

    /// Throws unless a credential is still valid. Needed because receiving a body takes time, and so do many separate changes.
    ///
    /// - Throws: the same ``Problem`` as for a new request with this credential.
    func requireStillValid(_ credential: Credential) throws(Problem) {
        if credential.isValid() { return }
        if credential.caller.session != nil { throw .sessionOver }
        if credential.caller.until == nil {
            do { _ = try tokens.list() } catch { throw Problem.unreadableTokens(error) }
        }
        throw .unauthenticated
    }

    /// Returns the response to a JWT that was refused, and counts it if it is invalid.
    private func problem(for problem: JWTError, from peer: String) -> Problem {
        if case .keysUnavailable = problem { return .issuerIsSlow }
        return failures.take(ClientAddress.group(peer), at: clock()).isAllowed ? .unauthenticated : .tooManyFailures
    }

    /// Returns the credential in a header `Bearer …` (RFC 6750, section 2.1); nil for any other header.
    static func bearer(_ header: String) -> String? {
        // Compares bytes, since this is done for every request. Setting one bit of a letter makes it lower case.
        let (bytes, scheme) = (header.utf8, "bearer ".utf8)
        guard bytes.count > scheme.count, zip(bytes, scheme).allSatisfy({ $0 | 0x20 == $1 }) else { return nil }
        let credential = bytes.dropFirst(scheme.count).drop { $0 == 0x20 }
        return credential.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? String(credential) : nil
    }
}

extension Caller {
    convenience init(_ token: Token) {
        self.init(id: token.id, stores: token.stores, right: token.right, credential: "token \(token.id)")
    }

    /// Creates the caller for a user of the issuer, with the user's access in the stores.
    convenience init(_ claims: VerifiedClaims, _ stores: StoreScope, mayAdminister: Bool) {
        self.init(
            id: claims.subject.text, stores: stores, right: .act(as: claims.subject),
            credential: "jwt \(claims.issuer) \(claims.issuerSubject)", until: claims.until, mayAdminister: mayAdminister)
    }

    static func anonymous(in store: String) -> Caller {
        Caller(id: "anonymous", stores: .named([store]), right: .act(as: .anonymous), credential: nil)
    }

    /// The tool on this machine. Its user may read the data directory, and so has all access.
    static let tool = Caller(id: "tool", stores: .all, right: .administer, credential: nil)
}

extension Problem {
    fileprivate static let tooManyFailures = Problem(
        .tooManyRequests, "too many invalid JWTs from this address: wait before the next request", retryAfterSeconds: 1)

    /// The problem for an expired or unknown access token (RFC 6750, section 3.1).
    static var sessionOver: Problem {
        Problem(
            .unauthenticated, "this access token has expired: get a new one (`POST /v1/accounts/refresh`), or sign in",
            headers: [HTTPHeader("WWW-Authenticate", "Bearer realm=\"muniment\", error=\"invalid_token\"")])
    }

    /// The problem if the issuer's keys are missing or came too late.
    static var issuerIsSlow: Problem {
        Problem(.unavailable, "the keys of the issuer are not available now: try again later", retryAfterSeconds: 5)
    }

    /// The problem if the token file cannot be read.
    static func unreadableTokens(_ error: any Error) -> Problem {
        if (error as? FileError)?.isLackOfResources ?? false { return .insufficientResources }
        return Problem(.unavailable, "the service cannot read its tokens now: `muniment token list` shows the reason")
    }

    /// The same problem for missing, invalid and expired credentials, so that clients cannot distinguish them.
    static var unauthenticated: Problem {
        Problem(
            .unauthenticated,
            "the token is missing or invalid: send `Authorization: Bearer TOKEN` (`muniment token create` creates a token)",
            headers: [HTTPHeader("WWW-Authenticate", "Bearer realm=\"muniment\"")])
    }
}

internal import Credentials
internal import Events
internal import HTTPServer
internal import Permissions
internal import Secrets

/// Finds out who calls, from the head of a request: by a token, a session, a JWT, the secret that the tool on this machine has, or
/// nothing.
///
/// Whoever is not let in is told the same, whatever was wrong, and after the same work whatever exists.
struct Authenticator: Sendable {
    private let tokens: TokenRegistry
    private let localSecret: [UInt8]
    private let verifier: JWTVerifier?
    private let issuerStores: StoreScope
    private let anonymousStores: StoreScope?
    private let accounts: AccountsOffice?
    private let clock: @Sendable () -> Instant
    private let failures = FailureLimit()

    init(
        _ settings: CallerSettings, tokens: TokenRegistry, localSecret: String, accounts: AccountsOffice?,
        clock: @escaping @Sendable () -> Instant, report: @escaping @Sendable (String) -> Void
    ) {
        self.tokens = tokens
        self.accounts = accounts
        self.localSecret = Array(localSecret.utf8)
        verifier = settings.issuer.map { JWTVerifier($0, report: report) }
        issuerStores = settings.issuerStores
        anonymousStores = settings.anonymousStores
        self.clock = clock
    }

    /// What the head of a request says of who calls.
    enum Finding {
        case known(Caller)
        /// Keys of the issuer have to be fetched before it can be told: by ``caller(verifying:from:)``.
        case unverified(jwt: String)

        /// Who calls, where that is known.
        var caller: Caller? { if case .known(let caller) = self { caller } else { nil } }
    }

    /// Who calls. Waits for nothing.
    ///
    /// - Parameters:
    ///   - authorization: the header of that name.
    ///   - peer: the address that the request comes from.
    ///   - store: the store that it is about, if any.
    /// - Throws: ``Problem`` where nobody is let in so. It does not say why.
    func finding(authorization: String?, from peer: String, in store: String?) throws(Problem) -> Finding {
        guard let authorization else {
            guard let store, let anonymousStores, anonymousStores.includes(store) else { throw Problem.unauthenticated }
            return .known(.anonymous(in: store))
        }
        guard let credential = Authenticator.bearer(authorization) else { throw .unauthenticated }
        if Secrets.areEqual(Array(credential.utf8), localSecret) { return .known(.tool) }
        if let accounts, AccessToken.isWellFormed(credential) {
            guard let caller = accounts.caller(access: credential) else { throw .sessionOver }
            return .known(caller)
        }
        do {
            if let token = try tokens.token(for: credential, at: clock()) { return .known(Caller(token)) }
        } catch {
            throw .tokensUnreadable
        }
        guard let verifier, credential.utf8.contains(UInt8(ascii: ".")) else { throw .unauthenticated }
        // A signature takes a thousand times as long as a look into a table, so that those who send wrong ones have to wait.
        try failures.check(peer, at: clock())
        do throws(JWTProblem) {
            guard let claims = try verifier.verifyCached(credential, at: clock()) else { return .unverified(jwt: credential) }
            return .known(Caller(claims, issuerStores))
        } catch {
            throw problem(for: error, from: peer)
        }
    }

    /// Who calls with a JWT, once the issuer's keys are there. Can block for as long as it takes to fetch them.
    func caller(verifying jwt: String, from peer: String) throws(Problem) -> Caller {
        guard let verifier else { throw .unauthenticated }
        do throws(JWTProblem) { return Caller(try verifier.verify(jwt, at: clock()), issuerStores) } catch {
            throw problem(for: error, from: peer)
        }
    }

    /// Whether somebody who was let in still would be, for what goes on after that: cheap to ask again and again.
    ///
    /// - Parameters:
    ///   - caller: who was let in.
    ///   - authorization: by which header.
    func watch(_ caller: Caller, authorization: String?) -> @Sendable () -> Bool {
        guard let authorization, let credential = Authenticator.bearer(authorization) else { return { authorization == nil } }
        if Secrets.areEqual(Array(credential.utf8), localSecret) { return { true } }
        if let accounts, AccessToken.isWellFormed(credential) {
            return { accounts.isOpen(caller, access: credential) }
        }
        let (tokens, clock) = (tokens, clock)
        // A token can be taken back at any moment; a JWT is good until its end.
        if let until = caller.until { return { clock() < until } }
        return { (try? tokens.token(for: credential, at: clock()))?.id == caller.id }
    }

    /// Makes sure that somebody who was let in still would be: a body takes its time, and so do many changes one by one.
    ///
    /// - Parameters:
    ///   - caller: who was let in.
    ///   - authorization: by which header.
    /// - Throws: ``Problem`` as for somebody who comes with it now.
    func requireStillGood(_ caller: Caller, authorization: String?) throws(Problem) {
        if watch(caller, authorization: authorization)() { return }
        if caller.session != nil { throw .sessionOver }
        if caller.until == nil, (try? tokens.list()) == nil { throw .tokensUnreadable }
        throw .unauthenticated
    }

    private func problem(for problem: JWTProblem, from peer: String) -> Problem {
        guard case .keysUnavailable = problem else { return wrong(from: peer) }
        return .issuerIsSlow
    }

    /// Notes that somebody came with a JWT that is not good, and says what they are told.
    private func wrong(from peer: String) -> Problem {
        do throws(Problem) { try failures.check(peer, at: clock()) } catch { return error }
        failures.note(peer, at: clock())
        return .unauthenticated
    }

    /// The credential in a header `Bearer …` (RFC 6750, section 2.1); nil for any other header.
    static func bearer(_ header: String) -> String? {
        // By bytes, since this is done for every request: a letter's bit of case is set before it is compared.
        let (bytes, scheme) = (header.utf8, "bearer ".utf8)
        guard bytes.count > scheme.count, zip(bytes, scheme).allSatisfy({ $0 | 0x20 == $1 }) else { return nil }
        let credential = bytes.dropFirst(scheme.count).drop { $0 == 0x20 }
        return credential.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? String(credential) : nil
    }
}

extension Caller {
    init(_ token: Token) {
        self.init(id: token.id, stores: token.stores, right: token.right, credential: "token \(token.id)")
    }

    /// A user of the issuer, with what a store gives to that user.
    init(_ claims: VerifiedClaims, _ stores: StoreScope) {
        self.init(
            id: claims.subject.text, stores: stores, right: .act(as: claims.subject),
            credential: "jwt \(claims.issuer) \(claims.subject.text.dropFirst("user:".count))", until: claims.until)
    }

    static func anonymous(in store: String) -> Caller {
        Caller(id: "anonymous", stores: .named([store]), right: .act(as: .anonymous), credential: nil)
    }

    /// The tool on this machine, run by somebody who may read the data directory, and so everything in it.
    static let tool = Caller(id: "tool", stores: .all, right: .administer, credential: nil)
}

extension Problem {
    /// An access token that is over, or that never was one (RFC 6750, section 3.1).
    static var sessionOver: Problem {
        Problem(
            .unauthenticated, "this access token is over: get a new one (`POST /v1/accounts/refresh`), or sign in",
            headers: [HTTPHeader("WWW-Authenticate", "Bearer realm=\"muniment\", error=\"invalid_token\"")])
    }

    /// The keys of the issuer are not there, or came too late.
    static var issuerIsSlow: Problem {
        Problem(
            .unavailable, "the keys of the issuer cannot be had now: ask again in a moment",
            headers: [HTTPHeader("Retry-After", "5")])
    }

    static var tokensUnreadable: Problem {
        Problem(.unavailable, "the service cannot read its tokens now: `muniment token list` says why")
    }

    /// Nobody is told whether a credential is missing, wrong or over.
    static var unauthenticated: Problem {
        Problem(
            .unauthenticated, "send a token that is good: `Authorization: Bearer TOKEN` (`muniment token create` makes one)",
            headers: [HTTPHeader("WWW-Authenticate", "Bearer realm=\"muniment\"")])
    }
}

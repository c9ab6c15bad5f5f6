internal import Credentials
internal import Events
internal import HTTPServer
internal import Muniment

/// Finds out who calls, from the head of a request.
struct Authenticator: Sendable {
    let tokens: TokenRegistry
    let clock: @Sendable () -> Instant

    /// Who calls. Does not wait for anything.
    ///
    /// - Throws: ``Problem`` where that cannot be known; it does not say why.
    func caller(of request: HTTPRequest) throws(Problem) -> Caller {
        guard let header = request.header("Authorization"), let secret = Authenticator.bearer(header) else {
            throw Problem.unauthenticated
        }
        let found: Token?
        do { found = try tokens.token(for: secret, at: clock()) } catch {
            throw Problem(.unavailable, "the service cannot read its tokens now; why is in its log")
        }
        guard let token = found else { throw Problem.unauthenticated }
        return Caller(id: token.id, stores: token.stores, right: token.right)
    }

    private static func bearer(_ header: String) -> String? {
        let scheme = "bearer "
        guard header.utf8.count > scheme.utf8.count, header.prefix(scheme.count).lowercased() == scheme else { return nil }
        return String(header.dropFirst(scheme.count).drop { $0 == " " })
    }
}

extension Problem {
    /// Nobody is told whether a token is missing, wrong or over.
    static var unauthenticated: Problem {
        Problem(
            .unauthenticated, "send a token that is good: `Authorization: Bearer TOKEN` (`muniment token create` makes one)",
            headers: [HTTPHeader("WWW-Authenticate", "Bearer realm=\"muniment\"")])
    }
}

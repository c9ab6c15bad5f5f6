/// Provides the tokens of requests.
public protocol TokenSource: Sendable {
    /// Returns a token that is valid now; nil for requests without one.
    func token() async throws(AuthError) -> String?

    /// Returns a token in place of one that the service has rejected; nil if there is no other.
    ///
    /// - Parameter rejected: the rejected token.
    func token(replacing rejected: String) async throws(AuthError) -> String?
}

/// A token that does not change, such as one of `muniment token create`.
public struct FixedToken: TokenSource {
    private let secret: String?

    /// - Parameter secret: the token; nil for requests without one.
    public init(_ secret: String?) { self.secret = secret }

    public func token() -> String? { secret }
    public func token(replacing rejected: String) -> String? { nil }
}

extension FixedToken: CustomStringConvertible {
    /// Does not contain the token.
    public var description: String { "a fixed token" }
}

/// The tokens of the signed-in user. They are renewed before they expire, and if the service rejects one.
extension AuthManager: TokenSource {
    public func token() async throws(AuthError) -> String? { try await accessToken() }

    public func token(replacing rejected: String) async throws(AuthError) -> String? {
        // This request gets the same rejection, and then refreshes the session, or ends it.
        try await reload()
        let token = try await accessToken()
        return token == rejected ? nil : token
    }
}

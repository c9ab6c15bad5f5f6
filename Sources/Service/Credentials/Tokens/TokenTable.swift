internal import Events
internal import Hashing
internal import Permissions

/// All tokens of a token file: a value, computed from the lines.
struct TokenTable {
    /// The tokens in the order of creation.
    private(set) var tokens: [Token] = []
    /// The index of each token in the list, by the SHA-256 of its secret.
    private var places: [Digest: Int] = [:]
    private var hashes: [Digest] = []
    var firstDigest: Digest? { hashes.first }

    /// Returns the token with a secret's hash, and the stored hash. One dictionary lookup.
    func token(for digest: Digest) -> AuthenticatedToken? {
        places[digest].map { AuthenticatedToken(token: tokens[$0], digest: hashes[$0], place: $0) }
    }

    /// Returns the token with an id, and its stored hash. Linear.
    func authenticated(id: String) -> AuthenticatedToken? {
        tokens.firstIndex { $0.id == id }.map { AuthenticatedToken(token: tokens[$0], digest: hashes[$0], place: $0) }
    }

    /// Returns whether the table still has a token, and the token is valid at an instant. Constant time.
    func isValid(_ found: AuthenticatedToken, at instant: Instant) -> Bool {
        tokens.indices.contains(found.place) && hashes[found.place] == found.digest && tokens[found.place].isValid(at: instant)
    }

    func token(id: String) -> Token? { tokens.first { $0.id == id } }

    /// The id of the next token.
    var nextID: String { "t\(tokens.count + 1)" }

    /// Applies a line.
    ///
    /// - Throws: ``TokenFileError/LineError`` if the line contradicts the lines before it.
    mutating func apply(_ line: TokenLine) throws(TokenFileError.LineError) {
        switch line {
        case .created(let token, let digest):
            guard token.id == nextID else { throw .unexpectedID(token.id, expected: nextID) }
            guard case nil = places.updateValue(tokens.count, forKey: digest) else { throw .secretTwice(token.id) }
            tokens.append(token)
            hashes.append(digest)
        case .revoked(let id, let time):
            guard let index = tokens.firstIndex(where: { $0.id == id }) else { throw .unknownID(id) }
            guard case nil = tokens[index].revokedAt else { throw .revokedTwice(id) }
            tokens[index].revokedAt = time
        case .accepted, .adopted: break
        }
    }
}

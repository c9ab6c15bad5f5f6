internal import Events
internal import Hashing
internal import Permissions

/// All tokens that a file of lines tells of. Pure: a value folded from the lines.
struct TokenBook {
    /// In the order in which they were made.
    private(set) var tokens: [Token] = []
    /// Where each stands in the list, by the SHA-256 of its secret.
    private var places: [Digest: Int] = [:]
    private var hashes: [Digest] = []

    /// The token of a secret, with the hash that is kept of it. One look into a table.
    func token(for digest: Digest) -> (token: Token, digest: Digest)? {
        places[digest].map { (tokens[$0], hashes[$0]) }
    }

    func token(id: String) -> Token? { tokens.first { $0.id == id } }

    /// What the next token will be called.
    var nextID: String { "t\(tokens.count + 1)" }

    /// Takes in what a line says.
    ///
    /// - Throws: ``TokenFileError/Reason`` where it does not follow the lines before it.
    mutating func apply(_ line: TokenLine) throws(TokenFileError.Reason) {
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
        case .accepted: break
        }
    }
}

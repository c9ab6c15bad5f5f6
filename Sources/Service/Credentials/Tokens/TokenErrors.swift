public import Events

/// The token file cannot be decoded. No token is valid until it is repaired.
public struct TokenFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem of a line.
    public enum LineError: Error, Hashable, Sendable {
        case unknownFormat
        /// The line was written by a build before format 2, without checksums.
        case withoutChecksums
        /// The bytes of a line do not match its checksum.
        case checksum
        /// Lines are missing at the end.
        case endsEarly(lines: Int, known: Int)
        /// The file is an older copy, or gone.
        case rolledBack(lines: Int, known: Int)
        case malformed(String)
        case unexpectedID(String, expected: String)
        case secretTwice(String)
        case unknownID(String)
        case revokedTwice(String)
    }

    public let path: String
    /// The number of the line, from 1.
    public let line: Int
    public let reason: LineError

    public var description: String {
        let problem =
            switch reason {
            case .unknownFormat: "it does not start like a token file of a known version"
            case .withoutChecksums:
                "it has the format `muniment-tokens/1`, which has no checksums: move it away and create new tokens"
            case .checksum: "its bytes do not match its checksum"
            case .endsEarly(let lines, let known): "the file ends after \(lines) changes, and had \(known)"
            case .rolledBack(let lines, let known): "it is an older copy: it has \(lines) changes, and had \(known)"
            case .malformed(let what): what
            case .unexpectedID(let id, let expected): "it creates `\(id)`, but `\(expected)` is next"
            case .secretTwice(let id): "the hash of `\(id)` is in the file already"
            case .unknownID(let id): "it revokes `\(id)`, which was never created"
            case .revokedTwice(let id): "it revokes `\(id)` a second time"
            }
        let directory = path.hasSuffix(Self.place) ? String(path.dropLast(Self.place.count)) : "DIR"
        let acceptance = "run `muniment accept-rollback --data \(directory)`"
        let until = "no token is valid until it is repaired: restore it"
        return switch reason {
        case .rolledBack(0, let known):
            "the token file `\(path)` is missing or empty, and had \(known) change\(known == 1 ? "" : "s"); \(until), or \(acceptance)"
        case .rolledBack: "the token file `\(path)` is not complete: \(problem); \(until), or \(acceptance)"
        default: "the token file `\(path)` is damaged at line \(line): \(problem); \(until), or move it away and \(acceptance)"
        }
    }

    /// The place of the token file in a data directory.
    private static let place = "/.muniment/tokens.jsonl"
}

/// A change of tokens that is not possible as requested.
public enum TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    case noSuchToken(id: String)
    case alreadyRevoked(id: String, at: Instant)
    case endsBeforeItBegins(until: Instant)
    case noStores
    case notAStoreName(String)
    case cannotAct(String)
    case commentTooLong
    /// The tokens are a copy of a shared log, and the log was not named.
    case shared(path: String)
    /// The token file is not an older copy, so there is no rollback to accept.
    case notRolledBack(path: String)

    public static let commentLimitBytes = 1_024

    public var description: String {
        switch self {
        case .noSuchToken(let id): "the token `\(id)` does not exist; `muniment token list` shows all tokens"
        case .alreadyRevoked(let id, let time): "the token `\(id)` was revoked at \(time) already"
        case .endsBeforeItBegins(let until): "a token that expires at \(until) would never be valid; choose a later time"
        case .noStores: "a token needs a store; name one, or `*` for all"
        case .notAStoreName(let name):
            "`\(name)` is not a store name; write lowercase letters, digits, `_` and `-`, or `*` for all stores"
        case .cannotAct(let name): "`\(name)` cannot act; name a user, a thing or `anonymous`"
        case .commentTooLong: "the comment has more than \(TokenError.commentLimitBytes) bytes; shorten it"
        case .shared(let path):
            "`\(path)` is a copy of a shared log, and a change here would not reach the other nodes; name the log with `--log`"
        case .notRolledBack(let path): "the token file `\(path)` is not an older copy: there is nothing to accept"
        }
    }
}

/// Why a node cannot follow a shared log of tokens, or change it.
public enum TokenLogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The lines have codes, and the node has no key.
    case keyMissing(path: String)
    /// No line has a code that was made with the key of the node.
    case otherKey(path: String)
    case keyMalformed(path: String)
    /// No line has a code: an earlier release made them, or someone with the password of the database.
    case withoutCodes(lines: Int)
    /// A node adopted the lines of the log already.
    case hasCodes
    /// A line to adopt, or a line that a node made, is not a change of tokens.
    case unreadable(line: UInt64)

    public var description: String {
        let remedy = "copy the file `tokens.key` in `.muniment` of the data directory of a node that uses this log"
        return switch self {
        case .keyMissing(let path): "this node has no key for the tokens of the shared log: \(remedy) to `\(path)`, with mode 0600"
        case .otherKey(let path): "the key in `\(path)` is not the key of the tokens of the shared log: \(remedy) in its place"
        case .keyMalformed(let path): "the key in `\(path)` cannot be read: \(remedy) in its place"
        case .withoutCodes(let lines):
            "the shared log has \(lines) change\(lines == 1 ? "" : "s") of tokens without a code, which anyone with the password of the "
                + "database could have made: stop all nodes, and run `muniment token adopt --data DIR --log URL` at one of them"
        case .hasCodes: "the changes of tokens in the shared log have codes already: there is nothing to adopt"
        case .unreadable(let line):
            "line \(line) of the tokens in the shared log is not a change of tokens that this release knows: use one release at all nodes"
        }
    }
}

public import Events
public import Hashing
public import Permissions

/// A commit that a client was told of, in a receipt.
public struct KnownCommit: Hashable, Sendable {
    public let revision: Revision
    public let hash: Digest

    /// Creates a commit from a revision and its hash, with a point between them.
    ///
    /// - Throws: `Refusal` with `malformed` for any other text.
    public init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt64(parts[0]), number < Revision.open.rawValue,
            let hash = Digest(hexadecimal: parts[1])
        else {
            throw Refusal(
                .malformed,
                "`\(Name(text).excerpt)` is not a commit: pass `revision` and `hash` of a receipt, as in `44.9f…`")
        }
        (revision, self.hash) = (Revision(number), hash)
    }
}

/// The position of a replica in the history of its store. A replica that reconnects continues from it.
///
/// The text is opaque to clients. It contains the hash of the commit, so that a store that was restored from a backup is noticed, and
/// a digest of the user and the classes, so that a position of another replica is not used.
public struct ReplicaPosition: Hashable, Sendable, CustomStringConvertible {
    /// The revision of the replica, or of the fill in progress.
    public let revision: Revision
    /// The first digits of the hash of this revision.
    let hash: String
    /// The first digits of a digest of the user and the classes.
    let digest: String
    /// The last object that a fill in progress has sent; nil after a complete step.
    let filled: FilledPlace?

    /// A place in the order of a fill.
    struct FilledPlace: Hashable, Sendable {
        var classIndex: Int
        var object: ObjectID
    }

    private static let hashDigits = 16
    private static let digestDigits = 8

    init(revision: Revision, hash: String, digest: String, filled: FilledPlace? = nil) {
        (self.revision, self.hash, self.digest, self.filled) = (revision, hash, digest, filled)
    }

    /// Returns the first digits of the hash of a commit.
    static func text(of hash: Digest) -> String { String(hash.description.prefix(hashDigits)) }

    /// Creates a position from its text.
    ///
    /// - Parameter text: a value of ``description``.
    /// - Throws: `Refusal` with `malformed` for any other text.
    public init(_ text: String) throws(Refusal) {
        guard let position = ReplicaPosition(reading: text) else {
            throw Refusal(
                .malformed, "`\(Name(text).excerpt)` is not a position of a replica: pass the `id` of its last event unchanged")
        }
        self = position
    }

    private init?(reading text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 5, let revision = Self.number(parts[0]),
            Self.isHexadecimal(parts[1], count: Self.hashDigits), Self.isHexadecimal(parts[2], count: Self.digestDigits)
        else { return nil }
        self.revision = Revision(revision)
        (hash, digest) = (String(parts[1]), String(parts[2]))
        guard parts.count == 5 else {
            filled = nil
            return
        }
        guard let index = Self.number(parts[3]), let object = Self.number(parts[4]), index < Self.classLimit else { return nil }
        filled = FilledPlace(classIndex: Int(index), object: ObjectID(rawValue: object))
    }

    static let classLimit = 32

    private static func number(_ text: Substring) -> UInt64? {
        guard let number = UInt64(text), String(number) == text, number < Revision.open.rawValue else { return nil }
        return number
    }

    private static func isHexadecimal(_ text: Substring, count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    public var description: String {
        let place = filled.map { ".\($0.classIndex).\($0.object.rawValue)" } ?? ""
        return "\(revision).\(hash).\(digest)\(place)"
    }

    func matches(_ hash: Digest) -> Bool { hash.description.hasPrefix(self.hash) }

    /// Returns the first digits of a digest of a user and some classes, which are sorted.
    static func digest(of user: Name, _ classes: [String]) -> String {
        var writer = ByteWriter()
        writer.text(user.text)
        for name in classes { writer.text(name) }
        return String(Digest(of: writer.bytes.span).description.prefix(digestDigits))
    }
}

/// The number of a refused command in the record of refusals: consecutive, from 1.
@frozen public struct RefusalNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64
    @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The number of the first refusal in every store.
    public static let first = RefusalNumber(1)

    @inlinable public var next: RefusalNumber { RefusalNumber(rawValue + 1) }
    @inlinable public static func < (left: RefusalNumber, right: RefusalNumber) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}

/// A refused command as the log stores it: who tried what, when, and why it was refused (CONFORMANCE E9).
///
/// Every text in it is bounded, so a record has a few kilobytes at most, whatever the caller sent.
public struct RecordedRefusal: Hashable, Sendable {
    public var number: RefusalNumber
    /// The time that the commit would have had.
    public var time: Instant
    /// The last commit at the time of the refusal.
    public var head: Revision
    /// The name of the caller, valid or not; its first ``Primitives/Limits/refusedCallerBytes``.
    public var caller: String
    /// The origin that the caller stated for the request, each text cut to ``Primitives/Limits/originBytes``.
    public var origin: Origin
    /// One of the codes of `SCENARIOS.md`, such as `noPrivilege`.
    public var code: String
    /// The message that the caller received; its first ``Primitives/Limits/refusalMessageBytes``.
    public var message: String
    /// The index of the refused change, from 0; nil if the transaction as a whole was refused.
    public var change: Int?
    /// The number of changes in the transaction.
    public var changeCount: Int
    /// The refused change, or the first change if the transaction as a whole was refused; nil if it had no changes.
    public var tried: RefusedChange?

    public init(
        number: RefusalNumber, time: Instant, head: Revision, caller: String, origin: Origin = Origin(), code: String,
        message: String, change: Int? = nil, changeCount: Int, tried: RefusedChange? = nil
    ) {
        self.number = number
        self.time = time
        self.head = head
        self.caller = caller
        self.origin = origin
        self.code = code
        self.message = message
        self.change = change
        self.changeCount = changeCount
        self.tried = tried
    }
}

/// A change that a caller requested.
public struct RefusedChange: Hashable, Sendable {
    /// The word for the change in `SCENARIOS.md`, such as `grant`.
    public var operation: String
    /// The names of the objects that it would have changed, each cut to ``Primitives/Limits/refusedCallerBytes``.
    public var objects: [String]
    /// The names of its subject, member, owner or administrator, cut in the same way.
    public var subjects: [String]
    /// The change as JSON, or its first ``Primitives/Limits/triedChangeBytes`` if it is longer.
    public var json: String
    /// The length and digest of the full text if `json` is only its beginning; otherwise nil.
    public var whole: FullTextDigest?

    /// The length and digest of a text that was too long to store.
    public struct FullTextDigest: Hashable, Sendable {
        public var byteCount: UInt64
        /// SHA-256 of the full text, 32 bytes.
        public var digest: [UInt8]

        public init(byteCount: UInt64, digest: [UInt8]) {
            self.byteCount = byteCount
            self.digest = digest
        }
    }

    public init(operation: String, objects: [String] = [], subjects: [String] = [], json: String, whole: FullTextDigest? = nil) {
        (self.operation, self.objects, self.subjects) = (operation, objects, subjects)
        self.json = json
        self.whole = whole
    }
}

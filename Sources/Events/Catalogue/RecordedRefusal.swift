/// The number of a refused command in the record of refusals: dense, from 1.
@frozen public struct RefusalNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64
    @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The first one of every store.
    public static let first = RefusalNumber(1)

    @inlinable public var next: RefusalNumber { RefusalNumber(rawValue + 1) }
    @inlinable public static func < (left: RefusalNumber, right: RefusalNumber) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}

/// A command that was refused, as the log keeps it: who tried what, when, and why not (CONFORMANCE E9).
///
/// Every text in it is bounded, so that a record takes a few kilobytes at most, whatever was sent.
public struct RecordedRefusal: Hashable, Sendable {
    public var number: RefusalNumber
    /// The time that the commit would have had.
    public var time: Instant
    /// The last commit when it was refused.
    public var head: Revision
    /// Who called, as the caller was named, well-formed or not; its first ``Limits/refusedCallerBytes``.
    public var caller: String
    /// What the caller said of the request, each text cut to ``Limits/originBytes``.
    public var origin: Origin
    /// One of the codes of `SCENARIOS.md`, such as `noPrivilege`.
    public var code: String
    /// The sentence that the caller was given; its first ``Limits/refusalMessageBytes``.
    public var message: String
    /// Which change was refused, from 0; nil where it was the transaction as a whole.
    public var change: Int?
    /// How many changes the transaction had.
    public var changeCount: Int
    /// The change that was refused, or the first one where the transaction was refused as a whole; nil where it had none.
    public var tried: TriedChange?

    public init(
        number: RefusalNumber, time: Instant, head: Revision, caller: String, origin: Origin = Origin(), code: String,
        message: String, change: Int? = nil, changeCount: Int, tried: TriedChange? = nil
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

/// A change that somebody wanted, as JSON in the words of `SCENARIOS.md`.
public struct TriedChange: Hashable, Sendable {
    /// The JSON, or its first ``Limits/triedChangeBytes`` where it is longer.
    public var json: String
    /// What is known of the whole where `json` is only its beginning; nil where `json` is all of it.
    public var whole: Whole?

    /// What is kept of a text that was too long to keep.
    public struct Whole: Hashable, Sendable {
        public var byteCount: UInt64
        /// SHA-256 of all of it, 32 bytes.
        public var digest: [UInt8]

        public init(byteCount: UInt64, digest: [UInt8]) {
            self.byteCount = byteCount
            self.digest = digest
        }
    }

    public init(json: String, whole: Whole? = nil) {
        self.json = json
        self.whole = whole
    }
}

extension String {
    /// The beginning of this text, of at most so many bytes of UTF-8, cut between two characters of Unicode. Linear in the limit.
    package func prefix(utf8Bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        // 10…… is a byte inside a character.
        while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

internal import Events
internal import Hashing

/// What records of the audit are found by. The numbers are part of the index's format.
public enum AuditFacet: UInt8, CaseIterable, Sendable {
    /// Who did it, or tried to.
    case actor = 0
    /// Which kind of event it is, or which change was tried.
    case kind = 1
    /// What it is about.
    case object = 2
    /// Who gained, lost or joined.
    case subject = 3
    /// The request that it came with.
    case request = 4
}

/// One thing that a record of the audit can be found by.
///
/// What the store has a number for is found by that. Request ids, and everything that a refusal names, are texts: these are found
/// by a checksum, so that two of them can have the same term, and whoever finds a record by it looks at the record itself.
public struct AuditTerm: Hashable, Sendable {
    public let facet: AuditFacet
    let id: UInt64

    /// - Parameters:
    ///   - facet: by which side of a record it is found.
    ///   - id: a number of at most 40 bits.
    public init(_ facet: AuditFacet, id: UInt64) {
        self.facet = facet
        self.id = id
    }

    public init(_ facet: AuditFacet, text: String) {
        var checksum = Checksum(tag: Self.textTag + UInt32(facet.rawValue))
        checksum.combine(text.utf8Span.span)
        self.init(facet, id: UInt64(checksum.value))
    }

    private static let textTag: UInt32 = 0xA0D1_7000
}

internal import Events
internal import Hashing

/// The kinds of terms in the audit index. The numbers are part of the index's format.
public enum AuditFacet: UInt8, CaseIterable, Sendable {
    /// The actor, or the caller of a refused command.
    case actor = 0
    /// The kind of event, or of the refused change.
    case kind = 1
    /// The object of the event.
    case object = 2
    /// The subject that gained or lost access, or the member.
    case subject = 3
    /// The request id.
    case request = 4
}

/// A search term of an audit record.
///
/// Entities of the store are indexed by number. Request ids, and all names in a refusal, are texts and are indexed by a checksum.
/// Two texts can have the same checksum, so a reader must compare the record itself.
public struct AuditTerm: Hashable, Sendable {
    public let facet: AuditFacet
    let id: UInt64

    /// - Parameters:
    ///   - facet: the kind of term.
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

extension RecordedRefusal {
    /// The search terms of the refusal.
    var auditTerms: [AuditTerm] {
        var terms = [AuditTerm(.actor, text: caller)]
        if let tried {
            terms.append(AuditTerm(.kind, text: tried.operation))
            terms += tried.objects.map { AuditTerm(.object, text: $0) } + tried.subjects.map { AuditTerm(.subject, text: $0) }
        }
        return terms + (origin.requestID.map { [AuditTerm(.request, text: $0)] } ?? [])
    }
}

public import Events
internal import Hashing
internal import Permissions

/// Selects the audit records of a list, and their order. A nil or empty property filters nothing. A record must match all other
/// properties (CONFORMANCE E10).
public struct AuditFilter: Hashable, Sendable {
    /// The result of a command.
    public enum Outcome: String, CaseIterable, Sendable {
        /// Events of successful commands.
        case done
        /// Commands that were refused.
        case refused
        /// Both.
        case any
    }

    /// Which records come first.
    public enum Order: Hashable, Sendable {
        case oldestFirst
        case newestFirst
    }

    /// The caller that acted or tried to act; `store` for the store itself. Any text is valid: a refused caller may have had a name
    /// that no store accepts.
    public var actor: Name?
    /// The object, class, role, permission, user or thing that an event changed. An event that attaches or detaches a permission
    /// matches the permission and the object. An event about administrators matches `store`. Data that is deleted together with an
    /// object has no separate event. A refused command matches by the names in the same positions of its change.
    public var object: Name?
    /// The subject that an event affects: the subject that was granted or lost access, the member of the role, the named owner, the
    /// administrator, or the subject of the permission.
    public var subject: Name?
    /// Any of these kinds: event names of the catalogue, such as `AccessGranted`, or operation names of refused commands, such as
    /// `grant`.
    public var kinds: [String]
    /// The request ID that the caller gave.
    public var requestID: String?
    /// The first moment: records of this revision or time, and later ones. A refused command belongs to the last revision before
    /// it.
    public var from: Moment?
    /// The last moment: records of this revision or time, and earlier ones.
    public var to: Moment?
    public var outcome: Outcome
    public var order: Order

    public init(
        actor: Name? = nil, object: Name? = nil, subject: Name? = nil, kinds: [String] = [], requestID: String? = nil,
        from: Moment? = nil, to: Moment? = nil, outcome: Outcome = .any, order: Order = .oldestFirst
    ) {
        self.actor = actor
        self.object = object
        self.subject = subject
        self.kinds = kinds
        self.requestID = requestID
        self.from = from
        self.to = to
        self.outcome = outcome
        self.order = order
    }

    /// All kinds: the event kinds and the operation names of changes.
    public static var allKinds: [String] { Event.Kind.allCases.map(\.name) + Change.operations }

    /// The first bytes of SHA-256 of all properties of the filter.
    var digest: [UInt8] {
        var writer = ByteWriter()
        for text in [actor?.text, object?.text, subject?.text, requestID] {
            writer.byte(text == nil ? 0 : 1)
            if let text { writer.text(text) }
        }
        writer.varint(UInt64(kinds.count))
        for kind in kinds { writer.text(kind) }
        for moment in [from, to] {
            switch moment {
            case nil: writer.byte(0)
            case .now: writer.byte(1)
            case .revision(let revision):
                writer.byte(2)
                writer.varint(revision.rawValue)
            case .time(let instant):
                writer.byte(3)
                writer.fixed64(UInt64(bitPattern: instant.microseconds))
            case .revisionAt(let revision, let instant):
                writer.byte(4)
                writer.varint(revision.rawValue)
                writer.fixed64(UInt64(bitPattern: instant.microseconds))
            }
        }
        writer.text(outcome.rawValue)
        writer.byte(order == .oldestFirst ? 0 : 1)
        return Array(Digest(of: writer.bytes.span).bytes.prefix(8))
    }
}

extension Event.Kind {
    /// The name of the kind in the catalogue of events, such as `AccessGranted`.
    public var name: String { Self.names[self]! }

    private static let names = Dictionary(
        uniqueKeysWithValues: allCases.map { kind in
            let name = "\(kind)"
            return (kind, name.prefix(1).uppercased() + name.dropFirst())
        })
}

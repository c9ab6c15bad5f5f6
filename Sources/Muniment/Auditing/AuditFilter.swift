public import Events
internal import Hashing
public import Permissions

/// Which records of the audit a list is about, and in which order. What is nil or empty leaves out nothing; what is given has to
/// hold together (CONFORMANCE E10).
public struct AuditFilter: Hashable, Sendable {
    /// What became of what was asked for.
    public enum Outcome: String, CaseIterable, Sendable {
        /// Events: what happened.
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

    /// Who did it, or tried to; `store` for the store itself, which ends access at its time. Any text: a refused caller may have
    /// had a name that no store takes.
    public var actor: Name?
    /// What it is about: the object, class, role, permission, user or thing that an event changed. An event that attaches or
    /// detaches a permission is about the permission and the object, one about administrators about `store`. What goes with something
    /// that is deleted has no event of its own. A refused command is about what its change names in these places.
    public var object: Name?
    /// Whom it concerns: who was granted or lost access, the member of the role, the owner named, the administrator, the subject of the
    /// permission.
    public var subject: Name?
    /// Any of some kinds: of events by their names in the catalogue, such as `AccessGranted`; of refused commands by the words for
    /// changes, such as `grant`.
    public var kinds: [String]
    /// The id that the caller gave the request.
    public var requestID: String?
    /// The first moment: records of this revision or time, and later ones. A refused command counts with the last revision before it.
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

    /// Every kind that there is: those of events, and the words for changes.
    public static var allKinds: [String] { Event.Kind.allCases.map(\.name) + Change.operations }

    /// The first bytes of SHA-256 over everything in the filter.
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
    public var name: String {
        let name = "\(self)"
        return name.prefix(1).uppercased() + name.dropFirst()
    }
}

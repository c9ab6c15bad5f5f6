internal import EventLog
public import Events
internal import Hashing
internal import Permissions
internal import Projections

/// One successful or refused action: its actor, time, origin and content (CONFORMANCE E10).
public struct AuditRecord: Hashable, Sendable {
    /// The source of a record.
    public enum Source: Hashable, Sendable {
        /// An event, its commit, and its index among the events of the commit, from 0.
        case event(Event, revision: Revision, index: Int)
        /// A refused command.
        case refusal(RecordedRefusal)
    }

    public let source: Source
    /// The time of the commit. For a refused command, the time that the commit would have had.
    public let time: Instant
    /// The name of the actor; `store` for the store itself.
    public let actor: String
    /// The origin that the caller gave with the request.
    public let origin: Origin
    /// The event kind, or the operation name of the refused change. Nil for a refused transaction without a change.
    public let kind: String?
    /// The affected objects, as defined by ``AuditFilter/object``.
    public let objects: [String]
    /// The affected subjects, as defined by ``AuditFilter/subject``.
    public let subjects: [String]
    /// What happened, or why the command was refused, as a sentence without its full stop.
    public let sentence: String
    /// SHA-256 of the log up to the commit, or of the refused commands up to this one, as 64 hexadecimal digits. Nil for a reader who
    /// may not see the whole log: the hash would confirm guesses about withheld parts.
    public let hash: String?
    /// The content of the event, or the whole refusal.
    private let members: JSONObject

    /// The record as a JSON object: one line of the export. Is made at each use. O(n) in its bytes.
    public var json: JSONValue {
        guard case .event(_, let revision, let index) = source, let kind else { return .object(members) }
        return .object([
            "actor": .string(actor), "event": .object(members).with(["kind": .string(kind)]), "index": .count(index),
            "outcome": .string("done"), "revision": .revision(revision), "time": .time(time),
        ]).with(origin.members).with(JSONObject(hash: hash))
    }

    /// The bytes of ``json``, about.
    var approximateBytes: Int {
        JSONValue.object(members).approximateBytes + JSONValue.object(origin.members).approximateBytes + 230
    }

    /// Whether the action succeeded, as opposed to a refused command.
    public var isDone: Bool { if case .event = source { true } else { false } }
}

extension AuditRecord {
    /// - Parameters:
    ///   - index: the index of the event in its commit.
    ///   - hash: the hash of the commit, for a reader who may see the whole log.
    ///   - withheld: the parts that the sentence and the object omit.
    ///   - origin: replaces the origin of the commit.
    init(
        _ event: Event, at index: Int, of commit: DescribedCommit, hash: String?, withholding withheld: WithheldParts = [],
        origin: Origin? = nil
    ) throws {
        let description = try EventDescriber(commit: commit, withholding: withheld).describe(event)
        source = .event(event, revision: commit.commit.revision, index: index)
        time = commit.commit.time
        actor = try commit.name(commit.commit.actor)
        self.origin = origin ?? commit.commit.origin
        kind = description.kind
        objects = try event.effect.objects.map { try commit.name($0) }
        subjects = try event.effect.subject.map { [try commit.name($0)] } ?? []
        sentence = description.sentence
        members = description.members
        self.hash = hash
    }

    init(_ refusal: RecordedRefusal, hash: String) throws {
        source = .refusal(refusal)
        time = refusal.time
        actor = refusal.caller
        origin = refusal.origin
        kind = refusal.tried?.operation
        objects = refusal.tried?.objects ?? []
        subjects = refusal.tried?.subjects ?? []
        sentence = refusal.message
        self.hash = hash
        members = try RefusalDescription(refusal, hash: hash).members.with(["outcome": .string("refused")])
    }
}

extension JSONObject {
    /// The hash of a commit as a member; empty without one.
    package init(hash: String?) { self = hash.map { ["hash": .string($0)] } ?? [:] }
}

internal import EventLog
public import Events
internal import Hashing
internal import Permissions
internal import Projections

/// One thing that somebody did, or tried and was refused: who, when, from where, what (CONFORMANCE E10).
public struct AuditRecord: Hashable, Sendable {
    /// What the record is of.
    public enum Source: Hashable, Sendable {
        /// An event: the commit it is in, and which of the commit's events it is, from 0.
        case event(Event, revision: Revision, index: Int)
        /// A refused command.
        case refusal(RecordedRefusal)
    }

    public let source: Source
    /// When: the time of the commit, or the one that it would have had.
    public let time: Instant
    /// Who acted, by name; `store` for the store itself.
    public let actor: String
    /// From where: what the caller said of the request.
    public let origin: Origin
    /// The kind of event, or the word for the change that was refused; nil for a refused transaction without a change.
    public let kind: String?
    /// What it is about, as ``AuditFilter/object`` counts it.
    public let objects: [String]
    /// Whom it concerns, as ``AuditFilter/subject`` counts it.
    public let subjects: [String]
    /// What happened, or why it did not, as a sentence without its full stop.
    public let sentence: String
    /// The record as one object: a line of the export.
    public let json: JSONValue

    /// Whether it happened, as opposed to being refused.
    public var isDone: Bool { if case .event = source { true } else { false } }
}

extension AuditRecord {
    /// - Parameters:
    ///   - withheld: what the sentence and the object leave out.
    ///   - origin: told instead of the commit's.
    init(_ commit: DescribedCommit, _ index: Int, withholding withheld: WithheldParts = [], origin: Origin? = nil) throws {
        let event = commit.commit.events[index]
        let description = try EventDescriber(commit: commit, withholding: withheld).describe(event)
        source = .event(event, revision: commit.commit.revision, index: index)
        time = commit.commit.time
        actor = try commit.name(commit.commit.actor)
        self.origin = origin ?? commit.commit.origin
        kind = event.kind.name
        objects = try event.auditObjects.map { try commit.name($0) }
        subjects = try event.auditSubject.map { [try commit.name($0)] } ?? []
        sentence = description.sentence
        json = .object([
            "actor": .string(actor), "event": description.json, "index": .count(index), "outcome": .string("done"),
            "revision": .revision(commit.commit.revision), "time": .time(time),
        ]).with(self.origin.members)
    }

    init(_ refusal: RecordedRefusal, hash: String) throws {
        let names = refusal.triedNames
        source = .refusal(refusal)
        time = refusal.time
        actor = refusal.caller
        origin = refusal.origin
        kind = names.operation
        objects = names.objects
        subjects = names.subjects
        sentence = refusal.message
        json = try RefusalDescription(refusal, hash: hash).json.with(["outcome": .string("refused")])
    }
}

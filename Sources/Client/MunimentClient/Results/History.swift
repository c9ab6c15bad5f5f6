public import Primitives

/// A transaction in the history of a store.
public struct RecordedCommit: Hashable, Sendable, WireObject {
    public let revision: Revision
    public let time: Instant
    /// Who made it; nil for the store itself.
    public let actor: Name?
    public let events: [RecordedEvent]
    public let comment: String?
    public let requestID: String?
    /// The token or session of the request.
    public let credential: String?
    /// The hash of the log up to this commit; nil for a caller who may not see every commit.
    public let hash: String?

    init(members: JSONObject) throws {
        (revision, time, actor) = (try members.read("revision"), try members.read("time"), try members.read("actor"))
        (events, comment) = (try members.read("events"), try members.read("comment"))
        (requestID, credential, hash) = (try members.read("id"), try members.read("credential"), try members.read("hash"))
    }
}

/// An event of a commit.
public struct RecordedEvent: Hashable, Sendable, WireObject {
    /// The kind of the event, such as `AccessGranted`.
    public let kind: String
    /// All members, such as `subject`, `object` and `privileges`.
    public let members: JSONObject

    init(members: JSONObject) throws {
        self.members = members
        kind = try members.read("kind")
    }
}

/// A change of the access of a subscriber to an object.
public struct AccessNotice: Hashable, Sendable, WireObject {
    public let revision: Revision
    public let time: Instant
    /// The kind of the change, such as `shared` or `madeInaccessible`.
    public let kind: String
    public let object: Name
    public let wasAccessible: Bool
    /// Whether it is the subscriber's last notice of the revision.
    public let completesRevision: Bool
    public let gained: [String]
    public let lost: [String]

    init(members: JSONObject) throws {
        (revision, time, kind) = (try members.read("revision"), try members.read("time"), try members.read("kind"))
        (object, wasAccessible) = (try members.read("object"), try members.read("wasAccessible"))
        completesRevision = try members.read("completesRevision")
        (gained, lost) = (try members.read("gained") ?? [], try members.read("lost") ?? [])
    }
}

/// A change of an object's value, or the end of the feed of its changes.
public struct ObjectChange: Hashable, Sendable, WireObject {
    public let revision: Revision
    public let time: Instant
    /// `childAdded`, `childChanged`, `childRemoved` or `valueChanged`. The last event of a feed is `accessEnded` if the user may not read
    /// the object any longer, or `objectDeleted`.
    public let kind: String
    /// The name or the index of the child; nil for the value itself.
    public let child: String?
    /// The new value; nil if it was removed.
    public let value: JSONValue?
    /// Whether it is the last change of the revision.
    public let completesRevision: Bool

    /// Whether no change follows in this feed.
    public var isEnd: Bool { ["accessEnded", "objectDeleted"].contains(kind) }

    init(members: JSONObject) throws {
        (revision, time, kind) = (try members.read("revision"), try members.read("time"), try members.read("kind"))
        (child, value) = (try members.read("name"), members["value"])
        completesRevision = try members.read("completesRevision")
    }
}

/// A change of the objects that a query finds, or the end of its feed.
public struct QueryChange: Hashable, Sendable, WireObject {
    public let revision: Revision
    public let time: Instant
    /// `changed`; `reset` if the query must be run again. The last event of a feed is `accessEnded` if the user may not query the class any
    /// longer, or `queryRefused` if the query is refused for another reason.
    public let kind: String
    /// The objects that the query finds now.
    public let added: [Name]
    /// The objects that the query finds as before, with another value, parent or owner, or other access.
    public let changed: [Name]
    /// The objects that the query does not find any longer.
    public let removed: [Name]

    /// Whether no change follows in this feed.
    public var isEnd: Bool { ["accessEnded", "queryRefused"].contains(kind) }

    init(members: JSONObject) throws {
        (revision, time, kind) = (try members.read("revision"), try members.read("time"), try members.read("kind"))
        (added, changed) = (try members.read("added") ?? [], try members.read("changed") ?? [])
        removed = try members.read("removed") ?? []
    }
}

/// An event, or a refused command, in the audit log. A record that the caller may not see has only its time.
public struct AuditEntry: Hashable, Sendable, WireObject {
    public let time: Instant
    /// `done` or `refused`; nil for a record that the caller may not see.
    public let outcome: String?
    /// Who made the change; nil for the store itself, and for a refused command.
    public let actor: Name?
    public let revision: Revision?
    public let event: RecordedEvent?
    /// The caller of a refused command.
    public let caller: String?
    /// The reason why a command was refused.
    public let code: String?
    public let message: String?
    /// The hash of the log up to the commit, or of the refused commands up to this one; nil for a caller who may not see all of them.
    public let hash: String?
    /// All members, such as the refused command (`tried`).
    public let members: JSONObject

    init(members: JSONObject) throws {
        self.members = members
        (time, outcome, actor) = (try members.read("time"), try members.read("outcome"), try members.read("actor"))
        (revision, event, caller) = (try members.read("revision"), try members.read("event"), try members.read("caller"))
        (code, message, hash) = (try members.read("code"), try members.read("message"), try members.read("hash"))
    }
}

/// A time during which a subject had access.
public struct AccessSpan: Hashable, Sendable, WireObject {
    public let begin: Revision
    public let from: Instant
    /// The revision that ended the access; nil if it has not ended.
    public let end: Revision?
    public let until: Instant?
    public let isAsAdministrator: Bool
    /// Whether the access existed before the first moment of the query; `begin` and `from` are then that moment.
    public let existedBefore: Bool

    init(members: JSONObject) throws {
        (begin, from) = (try members.read("begin"), try members.read("from"))
        (end, until) = (try members.read("end"), try members.read("until"))
        isAsAdministrator = try members.read("asAdministrator") ?? false
        existedBefore = try members.read("existedBefore") ?? false
    }
}

/// When a subject had access to an object.
public struct SubjectAccessSpans: Hashable, Sendable, WireObject {
    public let subject: Name
    public let spans: [AccessSpan]

    init(members: JSONObject) throws {
        (subject, spans) = (try members.read("subject"), try members.read("spans"))
    }
}

/// A moment at which a subject gained or lost access to an object.
public struct AccessChange: Hashable, Sendable, WireObject {
    /// Whether the access began. It ended otherwise.
    public let isGained: Bool
    public let time: Instant
    /// The revision of the change; nil if access ended by time alone.
    public let revision: Revision?
    /// Who caused it; nil for the store itself.
    public let actor: Name?
    /// The events that caused it.
    public let events: [AuditEntry]

    init(members: JSONObject) throws {
        (isGained, time) = (try members.read("gained"), try members.read("time"))
        (revision, actor, events) = (try members.read("revision"), try members.read("actor"), try members.read("events"))
    }
}

/// A decision that the service has logged.
public struct LoggedDecision: Hashable, Sendable, WireObject {
    public let number: Int
    public let time: Instant
    public let isAllowed: Bool
    public let subject: String
    public let action: String
    public let resource: String
    public let revision: Revision

    init(members: JSONObject) throws {
        (number, time, isAllowed) = (try members.read("number"), try members.read("time"), try members.read("allowed"))
        (subject, action) = (try members.read("subject"), try members.read("action"))
        (resource, revision) = (try members.read("resource"), try members.read("revision"))
    }
}

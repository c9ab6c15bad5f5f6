package import Events
package import Muniment
package import Notices
internal import Permissions

/// A commit with descriptions of its events, for users and programs.
package struct CommitDescription {
    package let commit: Commit
    package let actor: String
    package let events: [EventDescription]
    package let origin: Origin
    /// The hash of the log up to the commit, for an audience that may see every commit.
    private let hash: String?

    /// Describes a commit with all its events.
    ///
    /// - Parameter described: the commit, from the log.
    package init(_ described: DescribedCommit) throws {
        let describer = EventDescriber(commit: described)
        try self.init(described, try described.commit.events.map(describer.describe), described.commit.origin, described.hash)
    }

    /// Describes a commit with the events that are about a name and visible to an audience.
    ///
    /// - Parameters:
    ///   - described: the commit, from the log.
    ///   - name: an object or a subject.
    ///   - audience: the audience.
    package init(_ described: DescribedCommit, about name: Name, for audience: Audience = .unrestricted) throws {
        let (events, origin) = try described.redacted(about: name, to: audience)
        try self.init(described, events, origin, audience == .unrestricted ? described.hash : nil)
    }

    private init(_ described: DescribedCommit, _ events: [EventDescription], _ origin: Origin, _ hash: String?) throws {
        commit = described.commit
        actor = commit.actor == .system ? "the store" : try described.name(commit.actor)
        (self.events, self.origin, self.hash) = (events, origin, hash)
    }

    package var json: JSONValue {
        let members: JSONObject = [
            "revision": .revision(commit.revision), "time": .time(commit.time),
            "actor": commit.actor == .system ? .null : .string(actor), "events": .array(events.map(\.json)),
        ]
        return .object(members).with(origin.members).with(JSONObject(hash: hash))
    }
}

extension Receipt {
    /// The result of a transaction: `revision` and `hash` are null if nothing changed. `notes` is present if
    /// there are any.
    package var json: JSONObject {
        var members: JSONObject = [
            "hash": hash.map { .string($0) } ?? .null, "head": .revision(head),
            "revision": revision.map(JSONValue.revision) ?? .null, "time": .time(time),
        ]
        if !notes.isEmpty { members["notes"] = .array(notes.map(\.json)) }
        return members
    }
}

extension ChangeNote {
    fileprivate var json: JSONValue {
        .object(["change": .count(change), "reason": .string(reason.rawValue), "message": .string(message)])
    }

    /// - Parameter json: the value that ``json`` returns.
    package init?(json: JSONValue) {
        guard case .integer(let number)? = json["change"], let change = Int(exactly: number),
            case .string(let text)? = json["reason"], let reason = Reason(rawValue: text),
            case .string(let message)? = json["message"]
        else { return nil }
        self.init(change: change, reason: reason, message: message)
    }
}

extension Notice {
    /// Returns the notice as JSON.
    ///
    /// - Parameter time: the commit time of the notice's revision.
    package func json(at time: Instant) -> JSONObject {
        var members: JSONObject = [
            "revision": .revision(revision), "time": .time(time), "kind": .string(kind.rawValue), "object": .name(object),
            "wasAccessible": .bool(wasAccessible), "completesRevision": .bool(completesRevision),
        ]
        if kind == .privilegesChanged {
            members["gained"] = .texts(gained)
            members["lost"] = .texts(lost)
        }
        return members
    }
}

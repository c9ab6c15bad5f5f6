package import Events
package import Muniment
package import Permissions

/// A commit with what its events say, for people and programs.
package struct CommitDescription {
    package let commit: Commit
    package let actor: String
    package let events: [EventDescription]

    /// - Parameter described: the commit, from the log.
    /// - Parameter name: what the reader is interested in: only the events that mention it are kept, or all where none does.
    package init(_ described: DescribedCommit, about name: Name? = nil) throws {
        commit = described.commit
        actor = commit.actor == .system ? "the store" : try described.name(commit.actor)
        let describer = EventDescriber(commit: described)
        let events = try commit.events.map(describer.describe)
        let mentions = name.map { name in events.filter { $0.mentions(name) } } ?? []
        self.events = mentions.isEmpty ? events : mentions
    }

    package var json: JSONValue {
        let members: JSONObject = [
            "revision": .revision(commit.revision), "time": .time(commit.time),
            "actor": commit.actor == .system ? .null : .string(actor), "events": .array(events.map(\.json)),
        ]
        return .object(members).with(commit.origin.members)
    }
}

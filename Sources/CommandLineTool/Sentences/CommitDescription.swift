import Events
import Muniment
import Permissions

/// A commit in words for people and in members for programs.
struct CommitDescription {
    private let commit: Commit
    private let actor: String
    private let events: [EventDescription]

    /// - Parameter name: what the reader is interested in: only the events that mention it are kept, or all where none does.
    init(_ described: DescribedCommit, about name: Name? = nil) throws {
        commit = described.commit
        actor = commit.actor == .system ? "the store" : try described.name(commit.actor)
        let describer = EventDescriber(commit: described)
        let events = try commit.events.map(describer.describe)
        let mentions = name.map { name in events.filter { $0.mentions(name) } } ?? []
        self.events = mentions.isEmpty ? events : mentions
    }

    /// When and by whom, and below it a sentence for each event.
    var lines: [String] {
        var first = "r\(commit.revision)  \(commit.time)  \(actor)"
        if let id = commit.origin.requestID { first += "  \(id)" }
        if let comment = commit.origin.comment { first += "  (\(comment))" }
        return [first] + events.map { "    " + $0.sentence }
    }

    var json: JSONValue {
        let members: JSONObject = [
            "revision": .revision(commit.revision), "time": .time(commit.time),
            "actor": commit.actor == .system ? .null : .string(actor), "events": .array(events.map(\.json)),
        ]
        return .object(members).with(commit.origin.members)
    }
}

extension Output {
    /// Prints a commit, as lines for people or as one line of JSON.
    func commit(_ description: CommitDescription, isJSON: Bool) throws {
        if isJSON { return try json(description.json) }
        for line in description.lines { try self.line(line) }
    }
}

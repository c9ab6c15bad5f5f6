import Events
import Muniment
import Wire

extension CommitDescription {
    /// The time and the actor, followed by a sentence for each event.
    var lines: [String] {
        var first = "r\(commit.revision)  \(commit.time)  \(actor)"
        first += commit.origin.note
        return [first] + events.map { "    " + $0.sentence }
    }
}

extension Output {
    /// Prints a commit as lines of text or as one line of JSON.
    func commit(_ description: CommitDescription, isJSON: Bool) throws {
        if isJSON { return try json(description.json) }
        for line in description.lines { try self.line(line) }
    }
}

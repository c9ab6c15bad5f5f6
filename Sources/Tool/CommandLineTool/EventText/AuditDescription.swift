import Events
import Muniment
import Permissions
import Wire

/// Results about access over time in text form.
extension AccessSpan {
    var line: String {
        var line = "r\(begin) \(from) – "
        line += end.map { "r\($0) " } ?? ""
        line += until.map { "\($0)" } ?? "the end"
        return line + (asAdministrator ? "  as administrator" : "")
    }
}

extension AccessTransition {
    /// The time and the actor, followed by a sentence for each event.
    var lines: [String] {
        let who = actor == Name.store.text ? "the store" : actor
        var first = (isGained ? "in   " : "out  ") + (revision.map { "r\($0)  " } ?? "") + "\(time)  \(who)"
        first += origin.note
        return [first] + events.map { "    " + $0.sentence }
    }
}

extension AccessReport.Role {
    fileprivate var line: String {
        let from = isThroughEveryone ? ["everyone"] : []
        let way = from + through
        return way.isEmpty ? role : "\(role)  through \(way.joined(separator: ", "))"
    }
}

extension AccessReport.Holding {
    fileprivate var line: String { "\(name)  \(privileges.joined(separator: ", "))" }
}

extension AccessReport {
    var lines: [String] {
        (isAdministrator ? ["administers the store"] : []) + roles.map(\.line)
            + (store.isEmpty ? [] : ["store  \(store.joined(separator: ", "))"]) + (classes + objects).map(\.line)
    }
}

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

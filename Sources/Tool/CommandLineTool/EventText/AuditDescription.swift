import Events
import Muniment
import Permissions
import Wire

/// Results about access over time as lines and as rows.
extension AccessSpan {
    func line(in zone: Zone) -> String {
        let start = (existedBefore ? "before " : "r\(begin) ") + zone.text(from)
        let line = until.map { "\(start) – \(end.map { "r\($0) " } ?? "")\(zone.text($0))" } ?? "since \(start)"
        return line + (asAdministrator ? "  as administrator" : "")
    }
}

extension SubjectAccess {
    static let columns = ["subject", "begin", "from", "end", "until", "asAdministrator"]

    func lines(in zone: Zone) -> [String] {
        spans.isEmpty ? ["\(subject)  never"] : spans.map { "\(subject)  \($0.line(in: zone))" }
    }

    /// A row for each span; a subject without one has a row without times.
    var rows: [[Cell]] {
        if spans.isEmpty { return [[.text(subject)] + Array(repeating: .text(nil), count: Self.columns.count - 1)] }
        return spans.map { span in
            [
                .text(subject), .revision(span.existedBefore ? nil : span.begin), .time(span.existedBefore ? nil : span.from),
                .revision(span.end), .time(span.until), .flag(span.asAdministrator),
            ]
        }
    }
}

extension AccessTransition {
    static let columns = ["gained", "revision", "time", "actor", "description", "request", "comment", "credential"]

    /// Returns the time and the actor, followed by a sentence for each event.
    func lines(in zone: Zone) -> [String] {
        let who = actor == Name.store.text ? "the store" : actor
        var first = (isGained ? "in   " : "out  ") + (revision.map { "r\($0)  " } ?? "") + "\(zone.text(time))  \(who)"
        first += origin.note
        return [first] + events.map { "    " + $0.sentence(in: zone) }
    }

    /// Returns a row for each event, or one without a description.
    func rows(in zone: Zone) -> [[Cell]] {
        let sentences: [String?] = events.isEmpty ? [nil] : events.map { $0.sentence(in: zone) }
        return sentences.map { sentence in
            [.flag(isGained), .revision(revision), .time(time), .text(actor), .text(sentence)] + origin.cells
        }
    }
}

extension AccessReport.Role {
    fileprivate var way: [String] { (isThroughEveryone ? ["everyone"] : []) + through }

    fileprivate var line: String { way.isEmpty ? role : "\(role)  through \(way.joined(separator: ", "))" }
}

extension AccessReport.Holding {
    fileprivate var line: String { "\(name)  \(privileges.joined(separator: ", "))" }
}

extension AccessReport {
    var lines: [String] {
        (isAdministrator ? ["administers the store"] : []) + roles.map(\.line)
            + (store.isEmpty ? [] : ["store  \(store.joined(separator: ", "))"]) + (classes + objects).map(\.line)
    }

    /// A row for the administration of the store, each role, and each level or object with its privileges.
    var table: Table {
        let administration: [[Cell]] = isAdministrator ? [[.text("administrator"), .text("store"), .list([]), .list([])]] : []
        let memberships: [[Cell]] = roles.map { [.text("role"), .text($0.role), .list([]), .list($0.way)] }
        let storeLevel: [[Cell]] = store.isEmpty ? [] : [[.text("store"), .text("store"), .list(store), .list([])]]
        let held = classes.map { ("class", $0) } + objects.map { ("object", $0) }
        let rows: [[Cell]] = held.map { [.text($0), .text($1.name), .list($1.privileges), .list([])] }
        return Table(["kind", "name", "privileges", "through"], administration + memberships + storeLevel + rows)
    }
}

extension CommitDescription {
    static let columns = ["revision", "time", "actor", "kind", "description", "request", "comment", "credential"]

    /// Returns the time and the actor, followed by a sentence for each event.
    func lines(in zone: Zone) -> [String] {
        ["r\(commit.revision)  \(zone.text(commit.time))  \(actor)" + origin.note]
            + events.map { "    " + zone.sentence($0.sentence, until: $0.members["until"]) }
    }

    /// Returns a row for each event.
    func rows(in zone: Zone) -> [[Cell]] {
        events.map { event in
            [
                .revision(commit.revision), .time(commit.time), .text(actor), .text(event.kind),
                .text(zone.sentence(event.sentence, until: event.members["until"])),
            ] + origin.cells
        }
    }
}

extension AuditRecord {
    func sentence(in zone: Zone) -> String { zone.sentence(sentence, until: json["event"]?["until"]) }

    func row(in zone: Zone) -> [Cell] { row(sentence: sentence(in: zone)) }
}

extension RefusalDescription {
    static let columns = ["number", "time", "caller", "code", "message", "tried", "request", "comment", "credential"]

    func row(of refusal: RecordedRefusal) -> [Cell] {
        [
            .number(refusal.number.rawValue), .time(refusal.time), .text(refusal.caller), .text(refusal.code),
            .text(refusal.message), .text(tried),
        ] + refusal.origin.cells
    }
}

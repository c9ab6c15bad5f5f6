import Events
import Histories
import Muniment
import Permissions
import Wire

extension Option {
    fileprivate static let draftCaller = Option(
        "as", value: "PRINCIPAL", "the caller of changes without one: a user, a thing or anonymous (default user:root)")
}

extension Command {
    static let whatIf = Command(
        "what-if", "show the access that subjects would gain and lose by changes, without making them", sentence: "FILE|-",
        options: [.draftCaller, .format, .json, .store],
        example: Example("what-if draft.jsonl", "user:bob  doc:plan  + update")
    ) { call in
        let file = try call.word("the file")
        try call.end()
        let caller = try call.caller
        let (draft, answer) = try call.withStore(.reading) { store in
            let draft = try DraftFile(file: file == "-" ? "/dev/stdin" : file, caller: caller, levels: try store.levels)
            let transactions = try draft.entries.map { entry in
                var transaction = entry.transaction
                transaction.changes = try store.replacingLevels(in: transaction.changes)
                return transaction
            }
            return (draft, try store.whatIf(transactions))
        }
        let refusals = zip(draft.entries, answer.refusals).compactMap { entry, refusal in
            refusal.map { (place: entry.line, refusal: $0) }
        }
        let format = try call.format()
        _ = try call.answer(
            .object(answer.json(refusals, place: "line")),
            lines: answer.differencesBesideEveryone.map(\.description) + refusals.map { "refused: line \($0), \($1)" },
            table: Table(
                ["subject", "object", "gained", "lost"],
                answer.differences.map { [.text($0.subject), .text($0.object), .list($0.gained), .list($0.lost)] }))
        if draft.entries.isEmpty { call.note("`\(file)` contains no change") } else { call.note(answer.summary) }
        if format != .json, !answer.isComplete {
            call.note("these are the first \(WhatIf.differenceLimit) differences; more exist")
        }
        if format != .json, format != .text { for (line, refusal) in refusals { call.note("refused: line \(line), \(refusal)") } }
        return refusals.isEmpty ? .success : .failure
    }
}

extension WhatIf {
    /// How many subjects gain and lose access, `everyone` being one of them.
    fileprivate var summary: String {
        func who(_ list: (Difference) -> [String]) -> String {
            let count = Set(differences.filter { !list($0).isEmpty }.map(\.subject)).count
            return count == 0 ? "nobody" : "\(count)"
        }
        return "\(who(\.gained)) would gain access, \(who(\.lost)) would lose access; nothing was changed"
    }

    /// The differences for text output, without users and things that have the same difference as everyone.
    fileprivate var differencesBesideEveryone: [Difference] {
        var ofEveryone: [Name: Difference] = [:]
        for difference in differences where difference.subject == Name.everyone.text {
            ofEveryone[Name(difference.object)] = difference
        }
        return differences.filter { difference in
            guard let same = ofEveryone[Name(difference.object)], Name(difference.subject).kind == .caller else { return true }
            return difference.gained != same.gained || difference.lost != same.lost
        }
    }
}

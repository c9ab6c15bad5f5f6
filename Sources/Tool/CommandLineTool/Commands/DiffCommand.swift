import Events
import Muniment
import Permissions
import Wire

extension Option {
    fileprivate static let earlier = Option("from", value: "REVISION|TIME", "the earlier point in time; a day means its start")
    fileprivate static let privileges = Option(
        "privilege", value: "PRIVILEGE[,PRIVILEGE…]", "only who gained or lost all of these privileges together")
    fileprivate static let any = Option("any", "with --privilege: who gained or lost one of them is enough")
    fileprivate static let later = Option(
        "to", value: "REVISION|TIME", "the later point in time; a day means its end (default: now)")
}

extension Command {
    static let diff = Command(
        "diff", "compare the access of a subject, or to an object, at two points in time",
        sentence: "NAME --from REVISION|TIME [--to REVISION|TIME]",
        options: [.earlier, .later, .privileges, .any, .className, .format, .utc, .json, .store],
        example: Example("diff user:ann --from 8 --to 9", "doc:plan  + read, update")
    ) { call in
        let name = try call.name("the name")
        try call.end()
        guard let earlier = try call.moment(.earlier) else {
            throw UsageError("the earlier point in time is missing; write `\(Option.earlier.usage)`")
        }
        let later = try call.lastMoment(.later) ?? .now
        let privileges = try call.options.value(of: .privileges, Values.privileges)
        let isAnyEnough = call.options.isSet(.any)
        guard privileges != nil || !isAnyEnough else {
            throw UsageError("--any belongs to --privilege; add `\(Option.privileges.usage)`")
        }
        let className = try call.options.value(of: .className, Values.className)
        let (differences, moments) = try call.withStore(.reading) { store in
            let wanted = try privileges.map { try call.privileges($0, of: store) }
            if let className { try store.read { _ = try $0.requireClass(className) } }
            do {
                let (all, moments) = try store.difference(of: name, from: earlier, to: later)
                let ofClass = all.filter { className == nil || Name($0.name).className == className }
                let found =
                    wanted.map { wanted in ofClass.compactMap { $0.restricted(to: wanted, needsAll: !isAnyEnough) } } ?? ofClass
                if found.isEmpty, try !store.read(at: later, { try call.noteUnknown($0, [name]) }) {
                    call.note("both moments have the same access; `muniment audit turnover` lists what changed between them")
                }
                return (found, moments)
            } catch is SpanError {
                throw UsageError("--to is earlier than --from; swap them")
            }
        }
        return try call.answer(
            .object(differences.json(of: name, moments)), lines: differences.map { $0.name + gainsAndLosses($0.gained, $0.lost) },
            table: Table(["name", "gained", "lost"], differences.map { [.text($0.name), .list($0.gained), .list($0.lost)] }))
    }
}

/// Returns gained and lost privileges for the end of a line.
func gainsAndLosses(_ gained: [String], _ lost: [String]) -> String {
    let parts = [("  + ", gained), ("  - ", lost)].filter { !$1.isEmpty }
    return parts.map { $0 + $1.joined(separator: ", ") }.joined()
}

import Events
import Histories
import Importers
import Muniment
import Permissions
import Wire

extension Option {
    fileprivate static let resume = Option(
        "resume", "of a history: skip the transactions of this file that the store already contains")
    fileprivate static let sourceFormat = Option(
        "from", value: SourceFormat.allCases.map(\.rawValue).joined(separator: "|"), "the format (default: a history)")
    fileprivate static let source = Option(
        "source", value: "NAME", "with --from: the name of the source, whose earlier facts this import replaces")
    fileprivate static let mapping = Option(
        "mapping", value: "FILE", "with --from: a JSON file that maps columns, types and privileges")
    fileprivate static let query = Option(
        "query", value: "SQL", "with --from sqlite: a SELECT whose rows are read, instead of the tables of the mapping")
    fileprivate static let dryRun = Option("dry-run", "with --from: print the changes without making them")
    fileprivate static let skipUnmapped = Option(
        "skip-unmapped", "with --from: import the rest if some lines cannot be mapped (default: import nothing)")
    fileprivate static let actor = Option(
        "as", value: "PRINCIPAL", "with --from: the administrator who makes the changes (default user:root)")
}

extension Command {
    static let importHistory = Command(
        "import", "import a history, or the access of another system, into a store, which is created if it does not exist",
        sentence: "FILE…",
        options: [.sourceFormat, .source, .mapping, .query, .dryRun, .skipUnmapped, .resume, .actor, .json, .store],
        example: Example(
            "import history.jsonl --store firm", "42 transactions, 89 events, revisions 1 to 42, 0.04 s, 2350 events/s")
    ) { call in
        if call.options[.sourceFormat] != nil { return try call.importSource() }
        let foreign: [Option] = [.source, .mapping, .query, .dryRun, .skipUnmapped, .actor]
        if let option = foreign.first(where: { call.options[$0] != nil }) {
            throw UsageError("`--\(option.name)` belongs to an import from another system; write `--from FORMAT`")
        }
        let file = try call.word("the file")
        try call.end()
        let directory = try call.directory
        let report = try ImportReport.make(
            importing: file, into: directory, resume: call.options.isSet(.resume), options: call.storeOptions)
        let code = try call.answer(report.json, lines: [report.line])
        if report.isOpenToEveryone { call.warnOfOpenStore(directory) }
        return code
    }

    static let compare = Command(
        "compare", "compare a store with the access of another system: lines with - are only there, with + only in the store",
        sentence: "FILE… --from FORMAT", options: [.sourceFormat, .mapping, .query, .at, .json, .store],
        example: Example("compare members.csv --from csv", "no differences in 1 question")
    ) { call in
        let facts = try call.facts()
        let comparison = try call.ask { try SourceComparison(facts, with: $0) }
        call.noteUnmapped(facts)
        let isSame = comparison.differences.isEmpty && facts.unmapped.isEmpty
        var lines = comparison.differences.map(\.description)
        if lines.isEmpty { lines = ["no differences in \(counted(comparison.questions, "question"))"] }
        if !facts.unmapped.isEmpty {
            call.note("not compared, since they cannot be mapped: \(counted(facts.unmapped.count, "part")) of the source")
        }
        return try call.answer(
            .object([
                "questions": .count(comparison.questions), "differences": .array(comparison.differences.map(\.json)),
                "unmapped": .array(facts.unmapped.map(\.json)),
            ]), lines: lines, isSame ? .success : .failure)
    }
}

extension Invocation {
    fileprivate mutating func facts() throws -> SourceFacts {
        let files = remainingWords()
        guard !files.isEmpty else { throw UsageError("the argument FILE is missing") }
        let names = SourceFormat.allCases.map(\.rawValue).joined(separator: ", ")
        let format: SourceFormat? = try options.choice(of: .sourceFormat, "is not a format; write one of \(names)")
        guard let format else { throw UsageError("the format is missing; write `--from FORMAT`") }
        var mapping = try options[.mapping].map { try ImportMapping(file: $0) } ?? ImportMapping()
        mapping.query = options[.query]
        guard mapping.query == nil || format == .sqlite else { throw UsageError("`--query` belongs to `--from sqlite`") }
        return try format.facts(in: files, mapping)
    }

    fileprivate func noteUnmapped(_ facts: SourceFacts) {
        for text in facts.notes { note(text) }
        for line in facts.unmapped { note("cannot be mapped: \(line)") }
    }

    fileprivate mutating func importSource() throws -> ExitCode {
        guard !options.isSet(.resume) else {
            throw UsageError("`--resume` belongs to a history; repeat the import without it to bring what is missing")
        }
        let isDry = options.isSet(.dryRun)
        guard let source = options[.source], !source.isEmpty else {
            throw UsageError(
                "the source has no name; write `--source NAME`, and the same name each time: an import replaces what earlier imports "
                    + "of this name brought")
        }
        let importer = SourceImporter(into: try directory, source: source, as: try caller, options: storeOptions)
        let facts = try importer.mappable(try facts())
        noteUnmapped(facts)
        let isIncomplete = !facts.unmapped.isEmpty && !options.isSet(.skipUnmapped)
        let isRefused = !isDry && isIncomplete
        let summary = isDry || isRefused ? try importer.plan(facts) : try importer.run(facts)
        for text in summary.plan.notes { note(text) }
        if isIncomplete {
            let result = isDry ? "the import would be refused" : "nothing was imported"
            note("\(result): correct the source, or skip \(counted(facts.unmapped.count, "line")) with --skip-unmapped")
        }
        var lines = isDry ? summary.plan.steps.flatMap(\.lines) : []
        if summary.plan.changeCount > 0 {
            let counts = "\(counted(summary.plan.changeCount, "change")) in \(counted(summary.plan.steps.count, "transaction"))"
            lines.append(counts + (isDry ? " would be made" : ", revision \(summary.revision ?? .genesis)"))
        } else {
            lines.append("nothing changed: the store agrees with the source")
        }
        var members: JSONObject = [
            "applied": .bool(!isDry && !isRefused), "steps": .array(summary.plan.steps.map(\.json)),
            "notes": .texts(summary.plan.notes), "unmapped": .array(facts.unmapped.map(\.json)),
        ]
        members["revision"] = summary.revision.map { .revision($0) }
        return try answer(.object(members), lines: isRefused ? [] : lines, isIncomplete ? .failure : .success)
    }
}

extension SourceFacts.Unmapped {
    fileprivate var json: JSONValue { .object(["place": .string(place), "reason": .string(reason)]) }
}

extension SourceComparison.Difference {
    fileprivate var json: JSONValue {
        var members: JSONObject = [
            "onlyIn": .string(side == .source ? "source" : "store"), "subject": .name(subject), "object": .name(object),
        ]
        members["privilege"] = privilege.map { .string($0) }
        return .object(members)
    }
}

extension ImportPlan.Step {
    fileprivate var json: JSONValue {
        var members: JSONObject = ["changes": .array(changes.map { $0.json })]
        members["time"] = time.map { .time($0) }
        return .object(members)
    }

    /// A line for each change, in the words of the tool's commands.
    fileprivate var lines: [String] {
        let prefix = time.map { "\($0)  " } ?? ""
        return changes.map { prefix + $0.sentence }
    }
}

extension Change {
    fileprivate var sentence: String {
        switch self {
        case .defineClass(let name, _): "class define \(name)"
        case .changeClass(let name, _): "class change \(name)"
        case .createObject(let object, let parent, _, _): "object create \(object)" + (parent.map { " --parent \($0)" } ?? "")
        case .moveObject(let object, let parent): "object move \(object) to \(parent?.text ?? "top")"
        case .deleteObject(let object, _): "object delete \(object)"
        case .grant(let subject, let object, let privileges, let until, _, _):
            "grant \(subject) \(privileges.joined(separator: ",")) on \(object)" + (until.map { " --until \($0)" } ?? "")
        case .revoke(let subject, let object, let privileges, _, _):
            "revoke \(subject) \((privileges ?? []).joined(separator: ",")) on \(object)"
        case .createRole(let role): "role create \(role)"
        case .deleteRole(let role): "role delete \(role)"
        case .addMember(let member, let role, _): "role add \(member) to \(role)"
        case .removeMember(let member, let role, _): "role remove \(member) from \(role)"
        default: operation
        }
    }
}

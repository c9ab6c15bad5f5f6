import Events
import Histories
import Muniment
import Permissions

extension Command {
    static let exportHistory = Command(
        "export", "write the log, or a part of it, as a history file; an import of the whole log creates an equal store",
        options: [.firstRevision, .lastRevision, .store],
        example: Example(
            "export --from 5 --to 5",
            """
            {"format":"permission-history/1","store":"open","administrator":"user:root"}
            {"time":"2026-01-31T10:01:00Z","actor":"user:root","changes":[{"op":"createRole","role":"editors"}]}
            """)
    ) { call in
        let from = try call.options.value(of: .firstRevision, Values.revision) ?? Revision(1)
        let last = try call.options.value(of: .lastRevision, Values.revision)
        let output = call.output
        _ = try call.withStore(.reading) { store in
            // A new store has only revision 0, so its export contains only the header.
            let span = try store.revisions(from: from == Revision(1) ? nil : .revision(from), to: last.map(Moment.revision))
            let to = Revision(span.upperBound - 1)
            return try HistoryExporter(store).export(from: from, to: to, write: output.json(text:))
        }
        return .success
    }

    static let ask = Command(
        "ask", "answer the questions in a file, and print each question with its answer", sentence: "FILE", options: [.store],
        example: Example(
            "ask questions.jsonl",
            #"{"ask":"check","subject":"user:ann","object":"doc:plan","privilege":"read","answer":true}"#)
    ) { call in
        let file = try call.word("the argument FILE")
        try call.end()
        let output = call.output
        _ = try call.withStore(.reading) { store in try QuestionFileAnswerer(store).answer(file: file, write: output.json(text:)) }
        return .success
    }

    static let scenario = Command(
        "scenario", "run scenarios, each in a new store, and print failed expectations", sentence: "FILE…",
        options: [.json], example: Example("scenario scenario.jsonl", "4 passed, 0 failed")
    ) { call in
        let files = call.remainingWords()
        guard !files.isEmpty else { throw UsageError("the argument FILE is missing") }
        var result = ScenarioResult()
        for (index, file) in files.enumerated() {
            ProgressBar.standard.show("running scenarios", done: UInt64(index), total: UInt64(files.count))
            let one = try ScenarioRunner().run(file: file)
            if !call.isJSON { for failure in one.failures { try call.output.line(failure.description) } }
            result = result + one
        }
        return try call.answer(result.json, lines: [result.description], result.failed == 0 ? .success : .failure)
    }
}

extension ScenarioResult {
    fileprivate var json: JSONValue {
        let list = failures.map { failure in
            JSONValue.object([
                "file": .string(failure.file), "line": .count(failure.line), "expected": .string(failure.expected),
                "actual": .string(failure.actual),
            ])
        }
        return .object(["passed": .count(passed), "failed": .count(failed), "failures": .array(list)])
    }
}

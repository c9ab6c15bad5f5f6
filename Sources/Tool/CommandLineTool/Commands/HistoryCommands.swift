import Events
import Muniment
import Permissions
import Wire

extension Command {
    private static let options: [Option] = [.firstMoment, .lastMoment, .limit, .reverse, .format, .utc, .json, .store]

    static let history = Command(
        "history", "show the events of an object, a principal or a role, oldest first", sentence: "[of] NAME", options: options,
        example: Example(
            "history of user:bob",
            """
            r4  2026-01-31T10:00:00Z  user:root
                user:bob was registered
            r6  2026-01-31T10:02:00Z  user:root
                user:bob became a member of role:editors
            r14  2026-01-31T10:05:00Z  user:root
                doc:plan was given to user:bob
                user:bob was granted query, read, update on doc:plan, as its owner
            """)
    ) { call in
        call.skip("of")
        let name = try call.name("the name")
        try call.end()
        return try call.printCommits(about: name)
    }

    static let log = Command(
        "log", "show all events, oldest first", options: options,
        example: Example("log --from 5 --to 5", "r5  2026-01-31T10:01:00Z  user:root\n    role:editors was created")
    ) { call in
        try call.printCommits(about: nil)
    }
}

extension Invocation {
    /// Prints the commits of a span.
    ///
    /// - Parameter name: prints only the events about this name; nil for all events.
    fileprivate func printCommits(about name: Name?) throws -> ExitCode {
        let (limit, isReverse) = (try options.value(of: .limit, Values.count) ?? .max, options.isSet(.reverse))
        var printer = try ListPrinter(self, columns: CommitDescription.columns)
        let zone = printer.zone
        let (next, isEmpty) = try withStore(.reading) { store in
            let span = try store.revisions(from: try moment(.firstMoment), to: try lastMoment(.lastMoment))
            let all =
                try name.map { AnyRandomAccessCollection(try store.revisions(of: $0, in: span)) } ?? AnyRandomAccessCollection(span)
            let chosen = isReverse ? all.suffix(limit) : all.prefix(limit)
            // The revisions of a name are not consecutive.
            let step = name == nil ? 100 : 1
            var left = chosen
            while !left.isEmpty {
                let part = isReverse ? left.suffix(step) : left.prefix(step)
                left = isReverse ? left.dropLast(step) : left.dropFirst(step)
                let commits = try store.commits(part, about: name)
                for commit in isReverse ? commits.reversed() : commits {
                    try printer.print(commit.json, lines: commit.lines(in: zone), rows: commit.rows(in: zone))
                }
            }
            return (isReverse ? all.dropLast(chosen.count).last : all.dropFirst(chosen.count).first, all.isEmpty)
        }
        try printer.end()
        if isEmpty { note("no commit matches the options") }
        if let next { note("more commits follow: continue with \(isReverse ? "--to" : "--from") \(next)") }
        return .success
    }
}

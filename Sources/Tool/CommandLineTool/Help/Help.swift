/// The texts of `muniment help`.
enum Help {
    /// What a reader of any command must know.
    static let notes = [
        "A name is user:…, thing:…, role:…, everyone, anonymous, store, class:… or CLASS:ID.",
        "A time is like 2026-01-31T10:00:00Z. A day like 2026-01-31 means its start, and its end after --to.",
        "Days, and times for people, are in the zone of the variable TZ, such as Europe/Berlin (default: UTC).",
    ]

    static let exitCodes = [
        "Exit codes: 0 yes or done, 1 no or refused, 2 invalid command line, 3 error of the store or service."
    ]

    /// The variables that the tool reads.
    static let environment = [
        ("MUNIMENT_STORE", "the folder of the store, for calls without --store"),
        ("PAGER", "the program that shows lists on a terminal (default: less); empty or cat for none"),
        ("NO_COLOR", "if set, text on a terminal has no colours"),
        ("TZ", "the zone of days in options and of times for people, such as Europe/Berlin (default: UTC)"),
    ]

    /// Returns the output of `muniment help`.
    ///
    /// - Parameter asked: the words of the command to explain; empty for the whole tool.
    static func lines(about asked: [String]) throws -> [String] {
        if asked.isEmpty { return overview }
        // Words after the command name are its arguments and are ignored.
        let command = try? CommandTable.command(in: asked).0
        let commands = try command.map { [$0] } ?? CommandTable.commands(named: asked)
        return Array(commands.map(page).joined(separator: [""]))
    }

    private static var overview: [String] {
        let width = CommandTable.commands.map(\.name.count).max() ?? 0
        let commands = CommandTable.sections.flatMap { section in
            ["", section.title] + section.commands.map { "  " + $0.name.padded(to: width) + "  " + $0.summary }
        }
        return ["muniment: a permission store with a full history of who could do what at any time.", ""]
            + ["usage: muniment COMMAND … [--store DIR]"] + commands + [""] + notes + exitCodes
            + ["`muniment help COMMAND` shows its options and an example."]
    }

    private static func page(of command: Command) -> [String] {
        let width = command.options.map(\.usage.count).max() ?? 0
        let options = command.options.map { "  " + $0.usage.padded(to: width) + "  " + $0.summary }
        let prints = command.example.prints.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
        return ["usage: \(command.usage)", "  \(command.summary)"] + (options.isEmpty ? [] : ["", "options:"] + options)
            + ["", "example:", "  $ muniment \(command.example.call)"] + prints
    }
}

extension String {
    /// Returns the text padded with blanks to a number of characters.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

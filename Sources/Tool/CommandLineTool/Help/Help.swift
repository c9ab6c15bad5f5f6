/// The output of `muniment help`.
struct Help {
    private let asked: [String]

    /// - Parameter asked: the words of the command to explain; empty for the whole tool.
    init(asked: [String]) { self.asked = asked }

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

    func write(to output: Output) throws {
        if asked.isEmpty { return try writeOverview(to: output) }
        // Words after the command name are its arguments and are ignored.
        let commands = (try? CommandTable.command(in: asked)).map { [$0.0] } ?? nil
        for (index, command) in try (commands ?? CommandTable.commands(named: asked)).enumerated() {
            if index > 0 { try output.line("") }
            try writePage(of: command, to: output)
        }
    }

    private func writeOverview(to output: Output) throws {
        let width = CommandTable.commands.map(\.name.count).max() ?? 0
        try output.line("muniment: a permission store with a full history of who could do what at any time.")
        try output.line("")
        try output.line("usage: muniment COMMAND … [--store DIR]")
        for section in CommandTable.sections {
            try output.line("")
            try output.line(section.title)
            for command in section.commands {
                try output.line("  " + command.name.padded(to: width) + "  " + command.summary)
            }
        }
        try output.line("")
        for note in Help.notes + Help.exitCodes { try output.line(note) }
        try output.line("`muniment help COMMAND` shows its options and an example.")
    }

    private func writePage(of command: Command, to output: Output) throws {
        try output.line("usage: \(command.usage)")
        try output.line("  \(command.summary)")
        if !command.options.isEmpty {
            try output.line("")
            try output.line("options:")
            let width = command.options.map(\.usage.count).max() ?? 0
            for option in command.options { try output.line("  " + option.usage.padded(to: width) + "  " + option.summary) }
        }
        try output.line("")
        try output.line("example:")
        try output.line("  $ muniment \(command.example.call)")
        for line in command.example.prints.split(separator: "\n", omittingEmptySubsequences: false) {
            try output.line("  \(line)")
        }
    }
}

extension String {
    /// Returns the text padded with blanks to a number of characters.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

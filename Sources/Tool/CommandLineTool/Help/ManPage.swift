import Foundation

/// A page of the manual in troff, with the macros of `man`. Its content is that of help.
struct ManPage {
    /// The file name, such as `muniment-role-add.1`.
    let fileName: String
    private(set) var lines: [String]

    /// All pages: that of the tool, and one for each command.
    static var all: [ManPage] { [ManPage()] + CommandTable.commands.map(ManPage.init) }

    /// The page of the tool.
    init() {
        self.init("muniment", "a permission store with a full history of who could do what at any time")
        add("SYNOPSIS", [Self.bold("muniment") + " " + Self.escaped("COMMAND … [--store DIR]")])
        add("DESCRIPTION", Help.notes.map(Self.escaped))
        lines.append(".SH COMMANDS")
        for section in CommandTable.sections {
            lines.append(".SS " + Self.escaped(section.title))
            for command in section.commands {
                lines += [".TP", Self.bold(command.name) + " " + Self.escaped(command.sentence), Self.escaped(command.summary)]
            }
        }
        lines.append(".SH ENVIRONMENT")
        for (name, meaning) in Help.environment { lines += [".TP", Self.bold(name), Self.escaped(meaning)] }
        add("EXIT STATUS", Help.exitCodes.map(Self.escaped))
        add("SEE ALSO", CommandTable.commands.map { Self.bold(Self.title($0.name)) + "(1)" }.separated(by: ","))
    }

    /// The page of a command.
    init(_ command: Command) {
        self.init(Self.title(command.name), command.summary)
        add("SYNOPSIS", [Self.bold("muniment " + command.name) + " " + Self.escaped(command.sentence)])
        if !command.options.isEmpty {
            lines.append(".SH OPTIONS")
            for option in command.options {
                let value = option.value.map { " \\fI" + Self.escaped($0) + "\\fR" } ?? ""
                lines += [".TP", Self.bold("--" + option.name) + value, Self.escaped(option.summary)]
            }
        }
        lines += [".SH EXAMPLE", ".nf", Self.escaped("$ muniment " + command.example.call)]
        lines += command.example.prints.split(separator: "\n", omittingEmptySubsequences: false).map { Self.escaped(String($0)) }
        lines.append(".fi")
        add("EXIT STATUS", Help.exitCodes.map(Self.escaped))
        add("SEE ALSO", [Self.bold("muniment") + "(1)"])
    }

    private init(_ title: String, _ summary: String) {
        fileName = title + ".1"
        lines = [
            ".TH \(Self.escaped(title.uppercased())) 1 \"\" \"muniment \(Tool.version)\" \"Muniment\"", ".SH NAME",
            Self.escaped(title) + " \\- " + Self.escaped(summary),
        ]
    }

    private mutating func add(_ heading: String, _ paragraphs: [String]) {
        lines.append(".SH " + heading)
        for (index, paragraph) in paragraphs.enumerated() { lines += (index > 0 ? [".br"] : []) + [paragraph] }
    }

    private static func title(_ command: String) -> String {
        (["muniment"] + command.split(separator: " ").map(String.init)).joined(separator: "-")
    }

    private static func bold(_ text: String) -> String { "\\fB" + escaped(text) + "\\fR" }

    /// Returns a text without meaning for troff: no escape sequences, no requests at its start, ASCII only.
    private static func escaped(_ text: String) -> String {
        let characters = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            default: scalar.isASCII ? String(scalar) : String(format: "\\[u%04X]", scalar.value)
            }
        }.joined()
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + characters : characters
    }
}

extension [String] {
    /// The texts, each but the last with a separator after it.
    fileprivate func separated(by separator: String) -> [String] {
        enumerated().map { $0 == count - 1 ? $1 : $1 + separator }
    }
}

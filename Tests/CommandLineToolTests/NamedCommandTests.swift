import Foundation
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("Documents name only commands and options that exist")
struct NamedCommandTests {
    private static let pages = ["README.md", "SECURITY.md", "Tools/muniment.service", "Tools/Dockerfile"]
    private static let folders = ["Docs", "Docs/Guides"]

    /// Returns the words after each `muniment` in the code of a page. A call ends at a character of the shell, or at the end of its code.
    private static func calls(in text: String) -> [[String]] {
        // Inline code, and lines of blocks with or without a prompt.
        let inline = text.matches(of: /`([^`\n]+)`/).map { String($0.1) }
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("$ ") || $0.hasPrefix("    ") || $0.hasPrefix("muniment ") }
        return (inline + lines.map(String.init)).flatMap { code -> [[String]] in
            code.matches(of: /(?:^|[\s\/(])muniment((?: [^|><;&()]*)+)/).map { match in
                match.1.split(separator: " ").map(String.init)
            }
        }.filter { $0.first?.first?.isLowercase ?? false || $0.first?.hasPrefix("--") ?? false }
    }

    /// Returns the fault of a call; nil if its command and all of its options exist.
    private static func problem(_ words: [String]) -> String? {
        // `muniment grant …` and `log move|leave` name commands with other words.
        guard let first = words.first, first != "help", !first.hasPrefix("--") else { return nil }
        guard let (command, rest) = try? CommandTable.command(in: words) else { return "unknown command" }
        let names = Set(command.options.map(\.name) + [Option.help.name])
        let options = rest.prefix { $0 != "--" }.filter { $0.hasPrefix("--") && $0.count > 2 }.map { word in
            String(word.dropFirst(2).prefix { $0.isLetter || $0 == "-" })
        }
        return options.first { !names.contains($0) }.map { "unknown option --\($0)" }
    }

    @Test("Every call of the tool in the README, the guides, the unit and the image names a command and options that exist")
    func calls() throws {
        var pages = Self.pages
        for folder in Self.folders {
            pages += try FileManager.default.contentsOfDirectory(atPath: "\(TestSettings.package)/\(folder)")
                // The format names texts that begin with `muniment`.
                .filter { $0.hasSuffix(".md") && $0 != "Format.md" }.map { "\(folder)/\($0)" }
        }
        var count = 0
        for page in pages.sorted() {
            let text = try String(contentsOfFile: "\(TestSettings.package)/\(page)", encoding: .utf8)
            for words in Self.calls(in: text) {
                count += 1
                let problem = Self.problem(words)
                #expect(problem == nil, "\(page): muniment \(words.joined(separator: " "))")
            }
        }
        #expect(count > 200)
    }

    @Test("A wrong command and a wrong option are found in every form of code")
    func wrong() {
        let text = """
            Text with `muniment class change role --object-acl required` and `muniment grand x`.
            $ muniment verify --stoer data | wc
                muniment ready --dta DIR
            """
        let found = Self.calls(in: text).compactMap(Self.problem)
        let expected = [
            "unknown option --object-acl", "unknown command", "unknown option --stoer", "unknown option --dta",
        ]
        #expect(found == expected)
    }
}

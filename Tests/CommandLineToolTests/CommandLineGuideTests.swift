import Foundation
import TestSupport
import Testing

@Suite("Docs/Guides/command-line.md")
struct CommandLineGuideTests {
    /// A fenced block of commands, each with its output.
    private struct Block {
        let range: Range<String.Index>
        let commands: [String]
    }

    private static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Docs/Guides/command-line.md")

    private func blocks(_ text: String) -> [Block] {
        text.matches(of: /```\n((?:\$ )[\s\S]*?)```\n/).map { match in
            let commands = match.1.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
            return Block(range: match.1.startIndex..<match.1.endIndex, commands: commands)
        }
    }

    @Test("The guide on the command line prints the documented output")
    func commands() throws {
        let text = try String(contentsOf: Self.path, encoding: .utf8)
        let blocks = blocks(text)
        #expect(blocks.count > 5)
        try BuiltTool.inFreshFolder { tool in
            let root = Self.path.deletingLastPathComponent().appending(path: "../..").standardizedFileURL.path
            try FileManager.default.createSymbolicLink(atPath: tool.folder.path + "/Docs", withDestinationPath: root + "/Docs")
            let mark = "-- end of a command --"
            let script = blocks.flatMap(\.commands).map { "\($0)\necho '\(mark)'\n" }.joined()
            try tool.write("muniment() { \"$muniment\" \"$@\"; }\nexec 2>&1\n" + script, to: "script")
            // CR LF of CSV is one character.
            let output = try tool.shell("/bin/sh script").output.replacingOccurrences(of: "\r\n", with: "\n")
            var printed = output.components(separatedBy: mark + "\n")[...]
            var actual = text
            for block in blocks.reversed() {
                let outputs = printed.dropLast().suffix(block.commands.count)
                printed = printed.dropLast(block.commands.count)
                let played = zip(block.commands, outputs).map { "$ \($0)\n\($1)" }.joined()
                #expect(String(text[block.range]) == played)
                actual.replaceSubrange(block.range, with: played)
            }
            // Writes the output of the tool into the guide.
            if ProcessInfo.processInfo.environment["MUNIMENT_WRITE_GUIDES"] != nil {
                try Data(actual.utf8).write(to: Self.path)
            }
        }
    }
}

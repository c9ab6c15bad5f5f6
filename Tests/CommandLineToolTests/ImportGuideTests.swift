import Foundation
import TestSupport
import Testing

@Suite("Guides on imports: each command prints the output in the guide")
struct ImportGuideTests {
    private static let guides = [
        "importing", "importing-csv", "importing-casbin", "importing-openfga", "importing-spicedb", "importing-github",
        "importing-keycloak",
    ]

    /// A fenced block: a file, if its language is followed by a name, or commands after `$ ` with their output.
    @Test("The guides on imports print the documented output", arguments: guides)
    func commands(guide: String) throws {
        let path = "\(TestSettings.package)/Docs/Guides/\(guide).md"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try BuiltTool.inFreshFolder { tool in
            var actual: [String] = []
            var count = 0
            var fence: (name: String?, lines: [String])?
            for line in text.components(separatedBy: "\n") {
                guard line.hasPrefix("```") else {
                    if fence == nil { actual.append(line) } else { fence?.lines.append(line) }
                    continue
                }
                guard let block = fence else {
                    fence = (line.split(separator: " ").dropFirst().first.map(String.init), [])
                    actual.append(line)
                    continue
                }
                if let name = block.name { try tool.write(block.lines.joined(separator: "\n") + "\n", to: name) }
                let calls = block.lines.filter { $0.hasPrefix("$ ") }
                count += calls.count
                if calls.isEmpty { actual += block.lines }
                for call in calls {
                    let result = try tool.runGuide("\(call.dropFirst(2)) 2>&1")
                    actual += [call] + result.output.split(separator: "\n").map(String.init)
                }
                actual.append(line)
                fence = nil
            }
            #expect(count >= 3)
            #expect(actual.joined(separator: "\n") == text)
            // Writes the tool's output into the guide.
            if ProcessInfo.processInfo.environment["MUNIMENT_WRITE_GUIDES"] != nil {
                try Data(actual.joined(separator: "\n").utf8).write(to: URL(filePath: path))
            }
        }
    }
}

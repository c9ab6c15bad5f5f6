import Foundation
import TestSupport
import Testing

/// The code of a guide, and the code that a test runs. Both must be equal.
enum GuideCode {
    /// Returns the Swift blocks of a guide, in order.
    static func blocks(ofGuide name: String) throws -> [String] {
        let text = try String(contentsOfFile: "\(TestSettings.package)/Docs/Guides/\(name).md", encoding: .utf8)
        return sections(of: text, from: "```swift", to: "```")
    }

    /// The code of a test file between the marks `// guide begins` and `// guide ends`, without its indentation.
    static func markedCode(inFile path: String) throws -> [String] {
        sections(of: try String(contentsOfFile: path, encoding: .utf8), from: "// guide begins", to: "// guide ends")
    }

    /// The lines between the begin and end lines of a section, without the indentation of the begin line.
    static func sections(of text: String, from begin: String, to end: String) -> [String] {
        var sections: [String] = []
        var lines: [Substring]?
        var indentation = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if lines == nil, trimmed == begin {
                lines = []
                indentation = String(line.prefix { $0 == " " })
            } else if let found = lines, trimmed == end {
                sections.append(found.joined(separator: "\n"))
                lines = nil
            } else {
                lines?.append(line.hasPrefix(indentation) ? line.dropFirst(indentation.count) : line)
            }
        }
        return sections
    }
}

@Suite("The code of the guides")
struct GuideCodeTests {
    @Test("Every guide that has Swift code is held against the code of a test file")
    func everyGuideIsTested() throws {
        let guides = try FileManager.default.contentsOfDirectory(atPath: TestSettings.package + "/Docs/Guides")
            .filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }
        // The guide for applications runs against a service, with the other tests of the client.
        let tests = try ["/Tests/Conformance/", "/Tests/MunimentClientTests/"].flatMap { folder in
            let enumerator = FileManager.default.enumerator(atPath: TestSettings.package + folder)
            return try (enumerator?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }
                .map { try GuideCode.markedCode(inFile: TestSettings.package + folder + $0) }
        }
        for guide in guides {
            let blocks = try GuideCode.blocks(ofGuide: guide)
            #expect(blocks.isEmpty || tests.contains(blocks), "Docs/Guides/\(guide).md has code that no test runs as it stands")
        }
        #expect(guides.contains("coming-from-firebase"))
    }

    @Test("A block in a guide and marked code in a test are found, without the indentation of their place")
    func sections() {
        let text =
            "a\n    // guide begins\n    let a = 1\n\n        .b()\n    // guide ends\n```swift\nlet a = 1\n\n    .b()\n```\n"
        #expect(GuideCode.sections(of: text, from: "// guide begins", to: "// guide ends") == ["let a = 1\n\n    .b()"])
        #expect(GuideCode.sections(of: text, from: "```swift", to: "```") == ["let a = 1\n\n    .b()"])
    }
}

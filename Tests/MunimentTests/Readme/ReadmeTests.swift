import Foundation
import TestSupport
import Testing

@Suite("The example of the README")
struct ReadmeTests {
    @Test("The example works: revoked access is visible at its revision, and the creator keeps its own")
    func exampleRuns() throws {
        try withTemporaryFolder { folder in
            let (before, after) = try sharePlan(in: folder + "/store")
            #expect(before == ["user:ann", "user:root"])
            #expect(after == ["user:root"])
        }
    }

    @Test("The README contains the example unchanged")
    func exampleIsInTheReadme() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let source = try String(contentsOf: folder.appending(path: "ReadmeSnippet.swift"), encoding: .utf8)
        let begin = try #require(source.range(of: "// README begins\n"))
        let end = try #require(source.range(of: "// README ends"))
        let snippet = source[begin.upperBound..<end.lowerBound]
        let package = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(snippet)```\n"))
    }
}

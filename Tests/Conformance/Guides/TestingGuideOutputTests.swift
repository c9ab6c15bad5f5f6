import Foundation
import Muniment
import MunimentTesting
import Permissions
import TestSupport
import Testing

@Suite("Output in Docs/Guides/testing-with-histories.md")
struct TestingGuideOutputTests {
    @Test("E12: The guide's differences and short history equal the actual output")
    func outputIsTheGuides() throws {
        let kept = sharing.leavingOut { $0.caller == "user:ann" && $0.changes.contains { $0.operation == "grant" } }
        let steps = try sharing.whatIfStepByStep(kept)
        #expect(steps.map { "\($0.entry) \($0.differences.map(\.description))" } == [#"3 ["user:ben  doc:plan  - read"]"#, "5 []"])
        let broken = #expect(throws: PropertyError.self) {
            try forAllHistories(200, after: sharing, drawnFrom: names, seed: 1) { step in
                try step.expect("user:eve", mayNot: "read", on: "doc:plan")
            }
        }
        let text = try String(contentsOfFile: TestSettings.package + "/Docs/Guides/testing-with-histories.md", encoding: .utf8)
        let printed = try #require(broken).description
        #expect(text.contains("```\n\(printed)```\n"), "\(printed)")
    }
}

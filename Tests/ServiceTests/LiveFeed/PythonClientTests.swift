import Credentials
import Events
import Foundation
import Muniment
import Notices
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("The live feed: clients in other languages")
struct PythonClientTests {
    @Test("The Python program of the guide gets every notice once, although it disconnects after every second one")
    func guideProgram() async throws {
        let guide = try String(contentsOfFile: "Docs/Guides/live-feed.md", encoding: .utf8)
        let start = try #require(guide.range(of: "```python\n")).upperBound
        let end = try #require(guide.range(of: "\n```", range: start..<guide.endIndex)).lowerBound
        let program = String(guide[start..<end])
        try await withListeners { fixture in
            let store = try fixture.prepared()
            for first in stride(from: 1, to: 40, by: 5) {
                try store.write((first..<(first + 5)).map { .grant("user:bob", on: Name("doc:\($0)"), ["read"]) })
            }
            let expected = try store.notices(for: "user:bob", after: .genesis, through: store.head.revision)
            #expect(expected.count == 40)
            let address = "http://127.0.0.1:\(try fixture.listen())/v1/stores/default/notices?for=user:bob"
            let result = try await ChildProcess(
                ["/usr/bin/python3", "-c", program, address, "\(expected.count)"],
                environment: ["TOKEN": try fixture.token(.ask), "PATH": "/usr/bin:/bin"]
            ).finish()
            #expect(result.exitCode == 0, "\(result.errors)")
            let lines = result.output.split(separator: "\n").map { $0.split(separator: " ") }
            #expect(Set(lines.map { $0[0] }).count == expected.count)
            #expect(
                lines.map { "\($0[1]) \($0[2])" }.sorted() == expected.map { "muniment.notice.\($0.kind) \($0.object)" }.sorted())
        }
    }
}

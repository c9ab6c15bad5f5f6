import Events
import Foundation
import Muniment
import Permissions
import Testing

@Suite("Sharing: many read while one writes")
struct SharingTests {
    @Test("A second writer is refused with the name of the process that holds the store; readers continue")
    func secondWriterIsRefused() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let store = try Store.open(at: tool.store, .writing)
            defer { try? store.close() }
            let refused = try tool.run("grant user:bob read on doc:plan")
            #expect(refused.code == 3)
            #expect(refused.output.isEmpty)
            #expect(refused.errors.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
            #expect(try tool.run("check user:bob read doc:plan").code == 1)
            try store.commit(Transaction("user:root", [.grant("user:bob", on: "doc:plan", ["read"])]))
            #expect(try tool.run("check user:bob read doc:plan").code == 0)
        }
    }

    @Test("A writer that is done leaves the store to the next")
    func writersFollow() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let store = try Store.open(at: tool.store, .writing)
            try store.close()
            try tool.make("grant user:bob read on doc:plan")
        }
    }

    @Test("A reader of the output that has seen enough ends the call quietly")
    func closedPipe() throws {
        try BuiltTool.inFreshFolder { tool in
            let store = try Store.create(at: tool.store, preset: .open, administrator: "user:root")
            // Far more than a pipe holds.
            let objects = (1...5000).map { Change.createObject(Name("doc:number-\($0)-of-many-with-a-long-name")) }
            try store.commit(Transaction("user:root", [.defineClass("doc")] + objects))
            try store.close()
            let result = try tool.shell("{ $muniment log; echo $? >code; } | head -n 1; cat code")
            #expect(result.lines.count == 2)
            #expect(result.lines.first?.hasPrefix("r0  ") == true)
            #expect(result.lines.last == "0")
            #expect(result.errors.isEmpty)
        }
    }

    @Test("Progress and escape sequences are not written to a standard error that is not a terminal")
    func noProgressWithoutTerminal() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            #expect(try tool.make("rebuild").errors.isEmpty)
            #expect(try tool.make("verify").errors.isEmpty)
        }
    }
}

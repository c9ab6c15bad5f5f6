import Events
import Foundation
import Muniment
import Permissions
import Testing

@Suite("Sharing: many readers and one writer")
struct SharingTests {
    @Test("A second writer is refused, and the error names the process that holds the store; readers continue")
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

    @Test("After a writer closes the store, another one can open it")
    func writersFollow() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let store = try Store.open(at: tool.store, .writing)
            try store.close()
            try tool.make("grant user:bob read on doc:plan")
        }
    }

    @Test("If the reader of the output closes the pipe, the call ends without an error")
    func closedPipe() throws {
        try BuiltTool.inFreshFolder { tool in
            let store = try Store.create(at: tool.store, preset: .open, administrator: "user:root")
            // Much more than a pipe can hold.
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

    @Test("Progress and escape sequences are not written if standard error is not a terminal")
    func noProgressWithoutTerminal() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            #expect(try tool.make("rebuild").errors.isEmpty)
            #expect(try tool.make("verify").errors.isEmpty)
        }
    }
}

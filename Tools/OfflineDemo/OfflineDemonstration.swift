import Foundation
import MunimentClient
import Primitives

/// The steps of the demonstration. Each prints the states of view, disk and service. It ends at the first broken promise.
struct OfflineDemonstration {
    let service: String
    let folder: String
    let administrator: String
    let ann: String
    let ben: String

    struct BrokenPromise: Error, CustomStringConvertible { let description: String }

    static let budget = "the secret budget"

    func run() async throws {
        let store = DemoStore(try ServiceConnection(ServiceAddress(service), tokens: FixedToken(administrator)))
        try await store.prepare()
        var ann = try DemoProcess("ann", service, folder, token: ann)
        let ben = try DemoProcess("ben", service, folder, token: ben)
        defer {
            ann.kill()
            ben.kill()
        }

        print("1. Both clients connect.")
        for client in [ann, ben] {
            _ = try client.ask("connect")
            try await client.wait("has what the service shows") { $0.isCurrent && $0.objects.count == 3 }
            try await show(client, store)
        }
        try check(try ann.files(contain: Self.budget), "the disk of Ann has the budget that she may read")

        print("2. Ann goes offline. She edits two objects that she may write, and one that she will have lost.")
        _ = try ann.ask("disconnect")
        _ = try ann.ask("write doc:plan a plan from the train")
        _ = try ann.ask("merge doc:notes a note from the train")
        _ = try ann.ask("merge doc:budget a budget from the train")
        _ = try ann.ask("merge doc:budget and on top of it")
        var view = try ann.view()
        try await show(ann, store)
        try check(view.text(of: "doc:plan", "text") == "a plan from the train", "the view has the edit at once")
        try check(view.pending == ["doc:budget", "doc:notes", "doc:plan"], "the view marks what is pending")
        try check(
            try ann.ask("may update doc:budget") == .string("yes"), "as of the revision that Ann has, she may write the budget")

        print("3. Meanwhile the administrator takes the budget away from her, and Ben edits the notes.")
        try await store.revoke("user:ann", on: "doc:budget")
        _ = try ben.ask("write doc:notes notes by Ben")
        try await ben.wait("has his edit confirmed") { $0.pending.isEmpty && $0.text(of: "doc:notes", "text") == "notes by Ben" }
        try await show(ben, store)

        print("4. Ann's process is killed, and starts again, still offline.")
        ann.kill()
        ann = try DemoProcess("ann", service, folder, token: self.ann)
        try check(try ann.view().objects == view.objects, "the view is the same as before")
        try await show(ann, store)

        print("5. Ann connects.")
        _ = try ann.ask("connect")
        try await ann.wait("has nothing pending") { $0.isCurrent && $0.pending.isEmpty && $0.ends.count == 4 }
        view = try ann.view()
        try await show(ann, store)
        for end in view.ends { print("   transaction \(end)") }
        try check(view.ends[0].contains("1 committed") && view.ends[1].contains("2 committed"), "what she may write is committed")
        try check(
            view.ends[2].contains("3 refused") && view.ends[3].contains("4 refused"),
            "the edit of the budget is refused, the edit on top of it with it, and both inputs are given back")
        try check(view.objects["doc:budget"] == nil, "the budget is not in the view")
        try check(try !ann.files(contain: Self.budget), "no file of Ann has the budget")
        try check(try ann.ask("may update doc:budget") != .string("yes"), "the replica no longer says that she may write it")
        try check(
            try await store.value(of: "doc:budget")["text"] == .string(Self.budget), "the service has the budget as it was")
        let notes = try await store.value(of: "doc:notes")
        try check(
            notes["text"] == .string("notes by Ben") && notes["note"] == .string("a note from the train"),
            "the service has the edits of both people in the notes")

        print("6. Ann's application shows her the refused input, and forgets it.")
        try check(try ann.files(contain: "a budget from the train"), "until then, her input is on her disk")
        _ = try ann.ask("forget")
        try check(try !ann.files(contain: "a budget from the train"), "then no file has it")

        print("7. Everything is at rest.")
        for client in [ann, ben] {
            try await client.wait("has what the service has") { $0.text(of: "doc:notes", "note") == "a note from the train" }
            try await show(client, store)
            for (name, object) in try client.view().objects {
                try check(
                    try await store.value(of: Name(name)) == object["value"], "\(client.name) has \(name) as the service has it")
            }
        }
    }

    private func check(_ isKept: Bool, _ promise: String) throws {
        guard isKept else { throw BrokenPromise(description: "not so: \(promise)") }
        print("   ok  \(promise)")
    }

    /// Prints the view of a client, the content of its files, and the state of the service.
    private func show(_ client: DemoProcess, _ store: DemoStore) async throws {
        let view = try client.view()
        print("   \(client.name) at revision \(view.revision), \(view.connection):")
        for name in ["doc:budget", "doc:notes", "doc:plan"] {
            let object = view.objects[name]
            let mark = object?["isPending"] == .bool(true) ? " (pending)" : ""
            let seen = try object.flatMap { $0["value"] }.map { try text($0) + mark } ?? "nothing"
            let stored = try await store.value(of: Name(name))
            let texts = stored["text"].flatMap { if case .string(let text) = $0 { text } else { nil } } ?? ""
            let disk = try client.files(contain: texts) ? "has the service's text" : "does not have the service's text"
            print("     \(name): view \(seen); disk \(disk); service \(try text(stored))")
        }
    }

    private func text(_ value: JSONValue) throws -> String { String(decoding: try JSONText.encode(value), as: UTF8.self) }
}

// The example of README.md, between the two marks below word for word. `ReadmeTests` compares and runs it.
// README begins
import Events
import Muniment
import Permissions

/// Grants access and takes it away again; answers who could read the plan before and after.
func sharePlan(in folder: String) throws -> (before: [String], after: [String]) {
    let store = try Store.create(at: folder, preset: .open, administrator: "user:root")
    defer { try? store.close() }

    let shared = try store.commit(
        Transaction(
            "user:root",
            [
                .defineClass("doc", ClassSettings(creatorPrivileges: ["read", "query", "update"])),
                .register("user:ann"),
                .createObject("doc:plan", value: .object(["title": .string("Bridge")])),
                .grant("user:ann", on: "doc:plan", ["read"]),
            ]))
    try store.commit(Transaction("user:root", [.revoke("user:ann", on: "doc:plan")]))

    let answer = try store.read { try $0.check("user:ann", ["read"], on: "doc:plan") }
    print(answer.isAllowed, answer.explanation)

    // The same store as it was: at a revision, or at any time.
    let before = try store.read(at: .revision(shared.head)) { try $0.subjects(with: ["read"], on: "doc:plan") }
    let after = try store.read { try $0.subjects(with: ["read"], on: "doc:plan") }
    return (before, after)
}
// README ends

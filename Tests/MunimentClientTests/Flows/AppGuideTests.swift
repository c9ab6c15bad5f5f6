// Keeps the imports of the guide together.
// swift-format-ignore-file: OrderedImports

// guide begins
import MunimentClient
import Observation
// guide ends
import Events
import Permissions
import ServiceSupport
import TestSupport
import Testing

// guide begins
@MainActor @Observable final class NotesModel {
    let user: AuthUser
    let store: StoreClient
    /// The notes that the user may read.
    let notes: LiveQuery
    /// What went wrong last, for the view.
    var message: String?

    init(user: AuthUser, store: StoreClient) {
        (self.user, self.store) = (user, store)
        notes = LiveQuery("note", order: ["title"], in: store)
    }

    func add(_ note: Name, title: String) async {
        await attempt { store throws(ServiceError) in try await store.create(note, .object(["title": .string(title)])) }
        await notes.refresh()
    }

    func share(_ note: Name, with other: Name, until end: Instant? = nil) async {
        await attempt { store throws(ServiceError) in
            // The revision of the list that the user sees: if another person has changed it since, this is a conflict.
            let seen = try await store.entries(of: note).revision
            try await store.share(note, with: other, ["read", "query"], until: end, expecting: seen)
        }
    }

    func rename(_ note: LiveObject, to title: String) async {
        do { try await note.patch(["title": .string(title)]) } catch { message = "\(error)" }
    }

    private func attempt(_ change: (StoreClient) async throws(ServiceError) -> Void) async {
        do throws(ServiceError) {
            try await change(store)
            message = nil
        } catch {
            switch error {
            // What was wrong, and what to do: both are sentences for people. `code` is for programs.
            case .problem(let problem) where problem.status == 403: message = "You may not do this. \(problem.detail)"
            case .unreachable: message = "You are offline. Nothing was changed."
            default: message = "\(error)"
            }
        }
    }
}
// guide ends

@Suite("Docs/Guides/swift-client.md", .timeLimit(.minutes(60)))
struct AppGuideTests {
    @Test("The code of the guide runs unchanged and does what the guide says")
    func codeRuns() async throws {
        try await withTemporaryFolder { folder in
            try await withClients { fixture in
                fixture.clock.goWithMachine()
                let bobsManager = fixture.device("phone").manager
                _ = try await bobsManager.signUp(with: EmailIdentityProvider(email: "bob@example.com", password: "a long password"))
                let bob = try await bobsManager.verify(try await fixture.code(to: "bob@example.com"))
                try await fixture.signUpAnn(on: fixture.device().manager)
                let all = ["read", "query", "update", "delete", "create", "setPermissions"]
                try fixture.commit(
                    .defineClass(
                        "note",
                        ClassSettings(creatorPrivileges: ["read", "query", "update", "setPermissions"], properties: ["title"])),
                    .grant("everyone", on: "store", all), .grant("everyone", on: "class:note", all))
                try await run(fixture.address.text, bob, bobsManager, folder)
            }
        }
    }

    @MainActor private func run(_ service: String, _ bob: AuthUser, _ bobsManager: AuthManager, _ folder: String) async throws {
        // guide begins
        let address = try ServiceAddress(service)
        let manager = AuthManager(AuthConfiguration(service: address, store: FileSessionStore(path: folder + "/session")))
        let ann = try await manager.signIn(with: EmailIdentityProvider(email: "ann@example.com", password: "a long password"))
        let store = StoreClient(ServiceConnection(address, tokens: manager))
        // guide ends

        // guide begins
        let model = NotesModel(user: ann, store: store)
        await model.add("note:plan", title: "Plan")
        print(model.notes.objects)  // ["note:plan"]

        await model.share("note:plan", with: bob.principal)
        print(model.message ?? "shared")  // shared
        // guide ends
        #expect(model.notes.objects == ["note:plan"] && model.message == nil)

        // guide begins
        let plan = LiveObject("note:plan", in: store)
        let running = Task { await plan.run() }  // in SwiftUI: `.task { await plan.run() }`
        await plan.refresh()
        await model.rename(plan, to: "The plan")
        print(plan.object?.value["title"] ?? .null)  // string("The plan")
        running.cancel()
        // guide ends
        #expect(plan.object?.value == .object(["title": .string("The plan")]) && plan.state == .current)

        let bobsStore = StoreClient(ServiceConnection(address, tokens: bobsManager))
        // guide begins
        let bobs = NotesModel(user: bob, store: bobsStore)
        let rights = LivePrivileges(of: bob.principal, on: "note:plan", in: bobsStore)
        await rights.refresh()
        print(rights.contains("read"), rights.contains("update"))  // true false
        await bobs.share("note:plan", with: "everyone")
        print(bobs.message ?? "")  // You may not do this. …
        // guide ends
        #expect(rights.privileges == ["query", "read"] && bobs.message?.hasPrefix("You may not do this. ") == true)

        // guide begins
        let answer = try await store.check(ann.principal, "update", on: "note:plan")
        print(answer.isAllowed, answer.reason)
        for try await subject in store.subjects(with: "read", on: "note:plan") { print(subject) }

        let read = try await store.object("note:plan")
        try await store.commit(
            [.patch("note:plan", ["title": .string("Bridge")], expecting: read.changed), .create("note:draft")],
            comment: "from the guide")
        for try await commit in store.history(of: "note:plan") { print(commit.revision, commit.comment ?? "") }
        // guide ends
        #expect(answer.isAllowed)

        // guide begins
        var position = "0"  // stored by the application: where to continue after a restart
        for try await event in bobsStore.noticeFeed(after: position) {
            position = event.id
            print(event.value.kind, event.value.object)  // shared note:plan
            if event.value.object == "note:plan" { break }
        }
        // guide ends
        #expect(position != "0")

        // guide begins
        do { try await store.write("note:plan", .null, expecting: read.changed) } catch {
            if let problem = error.problem, problem.kind == .preconditionFailed {
                print(problem.detail)  // `note:plan` was last changed by revision …, not …: read it again
                print(problem.remedy)
            }
        }
        // guide ends
    }
}

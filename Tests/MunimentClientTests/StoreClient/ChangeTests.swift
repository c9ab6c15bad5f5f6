import Credentials
import Events
import ServiceSupport
import Testing

@testable import MunimentClient

@Suite("Changes of a store client", .timeLimit(.minutes(60)))
struct ChangeTests {
    @Test("A transaction is made whole or not at all, and its problem names the refused change")
    func atomic() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            let error = await #expect(throws: ServiceError.self) {
                try await store.commit([.create("doc:plan"), .grant("user:nobody", ["read"], on: "doc:plan")])
            }
            let problem = try #require(error?.problem)
            #expect(problem.kind == .notFound && problem.code == "unknownPrincipal" && problem.change == 1)
            #expect(problem.status == 404 && problem.requestID != nil && problem.detail.contains("user:nobody"))
            #expect("\(problem)".contains(problem.remedy) && problem.remedy.hasPrefix("Check the names"))
            #expect(try await store.entries(of: "doc:plan").entries.isEmpty)
            #expect(try await store.commit([.register("user:ann")]).revision == nil)
        }
    }

    @Test("Changes can be made one by one")
    func each() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            let results = try await store.commitEach([.delete("doc:none"), .create("doc:plan")])
            guard case .refused("unknownObject", _) = results.first, case .committed(let receipt) = results.last else {
                throw Unexpected(value: "\(results)")
            }
            #expect(results.count == 2 && receipt.revision == receipt.head)
        }
    }

    @Test("A receipt has notes about the changes without effect")
    func ineffective() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            try await store.commit([.revoke(.everyone, on: "class:doc", ["update"])])
            #expect(try await store.share("doc:plan").notes.isEmpty)
            let receipt = try await store.commit([
                .grant("user:ann", ["read"], on: "doc:plan"), .grant("user:ann", ["update"], on: "doc:plan"),
            ])
            #expect(receipt.notes.map(\.change) == [1] && receipt.notes.map(\.reason) == ["classLevel"])
            #expect(receipt.notes.allSatisfy { $0.message.contains("class:doc") })
        }
    }

    @Test("R8: a receipt and an empty list tell a user about a class and an object that it may not read")
    func creators() async throws {
        try await withStore { store, service in
            #expect(try await store.prepare().notes.map(\.reason) == ["noCreatorPrivileges"])
            let tokens = FixedToken(try service.token(.act(as: "user:ann")))
            let address = try ServiceAddress("http://127.0.0.1:\(try service.listen())")
            let ann = StoreClient(ServiceConnection(address, tokens: tokens))
            let note = try await ann.commit([.create("doc:mine")]).notes.first
            #expect(note?.change == 0 && note?.reason == "unreadable" && note?.message.contains("`user:ann`") == true)
            let live = await LiveQuery("doc", in: ann)
            await live.refresh()
            #expect(await live.note?.reason == "noAccess")
            try await store.commit([.grant("user:ann", ["read"], on: "doc:mine")])
            var pages = ann.query("doc").pages.makeAsyncIterator()
            #expect(try await pages.next()?.note?.reason == "noQuery")
            try await store.commit([.grant("user:ann", ["query"], on: "doc:mine")])
            await live.refresh()
            #expect(await live.note == nil)
            #expect(await live.objects == ["doc:mine"])
        }
    }

    @Test("A what-if question makes nothing")
    func whatIf() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            try await store.share("doc:plan")
            let answer = try await store.whatIf([.grant("user:ann", ["read"], on: "doc:plan")])
            #expect(answer.differences.map(\.subject) == ["user:ann"] && answer.differences.map(\.gained) == [["read"]])
            let refused = try await store.whatIf([.delete("doc:plan")], as: "user:bob").refused
            #expect(refused.map(\.code) == ["noPrivilege"] && refused.map(\.transaction) == [0])
            #expect(try await !store.check("user:ann", "read", on: "doc:plan").isAllowed)
        }
    }

    @Test("Access is not changed after a change that the caller has not seen")
    func expectedRevision() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            try await store.share("doc:plan")
            let seen = try await store.entries(of: "doc:plan").revision
            try await store.share("doc:plan", with: "user:ann", ["read"], expecting: seen)
            let changes: [StoreChange] = [
                .grant("user:bob", ["update"], on: "doc:plan", expecting: seen),
                .setAccess(of: "user:bob", to: ["update"], on: "doc:plan", expecting: seen),
                .revoke("user:bob", on: "doc:plan", expecting: seen),
            ]
            for change in changes {
                let error = await #expect(throws: ServiceError.self) { try await store.commit([change]) }
                #expect(error?.problem?.kind == .conflict && error?.problem?.code == "conflict")
            }
            try await store.revoke(
                "user:bob", on: "doc:plan", ["query"], expecting: try await store.entries(of: "doc:plan").revision)
            #expect(try await store.privileges(of: "user:bob", on: "doc:plan").privileges == ["read"])
        }
    }

    @Test("An object is written only in the version that was read")
    func versions() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            let name: Name = "doc:a/b ü"
            try await store.create(name, .object(["pages": .integer(3)]), in: nil, owner: "user:ann")
            var error = await #expect(throws: ServiceError.self) { try await store.create(name, .null) }
            #expect(error?.problem?.kind == .preconditionFailed)
            let read = try await store.object(name)
            #expect(read.value == .object(["pages": .integer(3)]) && read.name == name)
            try await store.patch(name, ["title": .string("Plan")], expecting: read.changed)
            error = await #expect(throws: ServiceError.self) { try await store.write(name, .null, expecting: read.changed) }
            #expect(error?.problem?.kind == .preconditionFailed && error?.problem?.code == "conflict")
            #expect(try await store.object(name).value == .object(["pages": .integer(3), "title": .string("Plan")]))
            #expect(try await store.object(name, at: .revision(read.revision)).value == read.value)
            try await store.write(name, .null, expecting: nil)
            #expect(try await store.object(name).value == .null)
            try await store.delete(name, expecting: nil)
            error = await #expect(throws: ServiceError.self) { try await store.object(name) }
            #expect(error?.problem?.kind == .notFound)
        }
    }

    @Test("Every change of the description has a function, and the service accepts each")
    func allOperations() async throws {
        try await withStore { store, service in
            try await store.prepare()
            let changes: [StoreChange] = [
                .create("doc:a", in: nil), .create("doc:b", expectAbsent: true), .write("doc:a", .integer(1)),
                .patch("doc:a", ["x": .null]), .move("doc:b", to: "doc:a"), .setOwner(of: "doc:a", to: "user:ann"),
                .grant("user:bob", ["read"], on: "doc:a", isStrict: true),
                .setAccess(of: "user:bob", to: ["update"], on: "doc:a"),
                .revoke("user:bob", on: "doc:a", isStrict: true), .createRole("role:r"), .addMember("user:ann", to: "role:r"),
                .removeMember("user:ann", from: "role:r"), .definePermission("permission:p", of: "user:bob", ["read"]),
                .changePermission("permission:p", of: "user:bob", ["update"]), .attach("permission:p", to: "doc:a"),
                .detach("permission:p", from: "doc:a"), .deleteRole("role:r"), .register("user:dan"),
                .appointAdministrator("user:dan"), .dismissAdministrator("user:dan"), .defineClass("note"),
                .changeClass("note", ["inherits": .bool(true)]), .delete("doc:a"),
            ]
            try await store.commit(changes)
            let document = try await service.live().send("GET", "/openapi.json").json
            let schemas = document["components"]?["schemas"]
            guard case .object(let mapping)? = schemas?["Change"]?["discriminator"]?["mapping"] else {
                throw Unexpected(value: "the description has no changes")
            }
            #expect(Set(mapping.keys) == Set(changes.compactMap { $0.json.text("op") }))
        }
    }

    private struct Unexpected: Error { let value: String }
}

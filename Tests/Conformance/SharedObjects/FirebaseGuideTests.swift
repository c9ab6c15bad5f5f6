// guide begins
import Events
import Foundation
import Muniment
import MunimentRecipes
import Notices
import Permissions
// guide ends
import StoreSupport
import Testing

@Suite("Docs/Guides/coming-from-firebase.md", .timeLimit(.minutes(60)))
struct FirebaseGuideTests {
    @Test("The code of the guide runs unchanged and gives the documented results")
    func codeRuns() async throws {
        // guide begins
        // A new store, which begins locked, in a new folder: for trying this out.
        let folder = NSTemporaryDirectory() + UUID().uuidString
        let store = try Store.create(at: folder + "/store")
        // guide ends
        let fixture = StoreFixture(of: store, at: folder + "/store")
        defer { fixture.closeAndRemove(folder) }

        // guide begins
        // Once, as the store's administrator: what the static security rules were for.
        try await SharedObjects.define(class: "note", in: store, as: "user:root")

        // Bob and Ann sign in, each in an application of their own.
        let bobs = SharedObjects(in: store, class: "note")
        try await bobs.setCurrentUser("user:bob")
        let notes = SharedObjects(in: store, class: "note")
        try await notes.setCurrentUser("user:ann")
        // guide ends
        #expect(notes.currentUser == "user:ann")

        // guide begins
        let list: JSONValue = .object(["title": .string("Shopping"), "lines": .object(["bread": .integer(1)])])
        let saved = try await notes.save(list, id: "list", isPublic: false, users: ["user:bob"])

        do {
            try await notes.save(list, id: "list", users: ["user:zoe"])
        } catch let error as SaveError {
            // Everything that is wrong, not only the first thing: the id is taken, and nobody knows a user:zoe.
            for reason in error.errors { print(reason.code, reason.message) }
        }
        // guide ends
        let errors = try await saveErrors { try await notes.save(list, id: "list", users: ["user:zoe"]) }
        #expect(errors.map(\.code) == [.alreadyExists, .unknownPrincipal])

        // guide begins
        try await bobs.overwrite("list", with: .object(["title": .string("Shopping"), "lines": .object([:])]))
        try await notes.setPublic("list", true)
        try await notes.removeUser("user:bob", from: "list")

        // Bob reads on, since the list is public, and edits no more.
        let read = try bobs.fetch("list")
        do { try await bobs.overwrite("list", with: .null) } catch let refusal as Refusal { print(refusal) }
        // guide ends
        #expect(read["lines"] == .object([:]))
        #expect(try notes.fetch("list") == read)

        // guide begins
        try await notes.addUser("user:bob", to: "list")
        for try await object in try bobs.fetchAllSharedWithMe() {
            print(object.id, object.value, "\(Int(object.progress * 100)) %")
        }
        for try await object in try bobs.fetchAllPublic() { print(object.id) }
        // guide ends
        #expect(try bobs.fetchAllSharedWithMe().count == 1)
        #expect(try bobs.fetchAllPublic().count == 1)

        // guide begins
        let lines = try bobs.observe("lines", of: "list")
        let observer = Task {
            var added: [String] = []
            do {
                for try await case .childAdded(let name, _) in lines.map(\.kind) { added.append(name) }
            } catch ObservationError.accessEnded(let revision) {
                added.append("no longer shared with me since revision \(revision)")
            }
            return added
        }
        try await notes.overwrite(
            "list", with: .object(["title": .string("Shopping"), "lines": .object(["milk": .integer(2)])]))
        try await notes.setPublic("list", false)
        try await notes.removeUser("user:bob", from: "list")
        for line in try await observer.value { print(line) }
        // guide ends
        let lost = try fixture.head
        #expect(try await observer.value == ["milk", "no longer shared with me since revision \(lost)"])

        // guide begins
        let notices = try bobs.notices(after: saved.head)
        let inbox = Task {
            var lines: [String] = []
            for try await notice in notices {
                lines.append("\(notice.kind): new \(notice.newlyAccessible), known \(notice.previouslyAccessible)")
                if notice.kind == .deleted { break }
            }
            return lines
        }
        try await notes.save(.object(["title": .string("Party")]), id: "party", isPublic: true, users: ["user:bob"])
        try await store.commit(Transaction("user:ann", [.deleteObject("note:party")]))
        for line in try await inbox.value { print(line) }
        // madePublic: new [], known ["list"]
        // unshared: new [], known ["list"]
        // shared: new [], known ["list"]
        // madePrivate: new [], known ["list"]
        // madeInaccessible: new [], known ["list"]
        // madePublic: new ["party"], known []
        // shared: new ["party"], known []
        // deleted: new [], known ["party"]
        // guide ends
        #expect(
            try await inbox.value == [
                #"madePublic: new [], known ["list"]"#, #"unshared: new [], known ["list"]"#, #"shared: new [], known ["list"]"#,
                #"madePrivate: new [], known ["list"]"#, #"madeInaccessible: new [], known ["list"]"#,
                #"madePublic: new ["party"], known []"#, #"shared: new ["party"], known []"#, #"deleted: new [], known ["party"]"#,
            ])

        // guide begins
        // A role as a specified user: every member of it is one.
        try await store.commit(
            Transaction("user:root", [.createRole("role:family"), .addMember("user:bob", to: "role:family")]))
        try await notes.addUser("role:family", to: "list")

        // Less than a specified user has: Cleo may read until a time, and nothing more.
        let cleos = SharedObjects(in: store, class: "note")
        try await cleos.setCurrentUser("user:cleo")
        let end = try Instant("2999-01-01T00:00:00Z")
        try await store.commit(Transaction("user:ann", [.grant("user:cleo", on: "note:list", ["read", "query"], until: end)]))

        // A question about everything that Bob may read, answered by the store.
        let isShopping = Condition.compare("title", .equal, .string("Shopping"))
        let shopping = try store.read { try $0.list(class: "note", where: isShopping, as: "user:bob") }

        // As it was: who could read the list when it was saved.
        let atFirst = try store.read(at: .revision(saved.head)) { try $0.subjects(with: ["read"], on: "note:list") }
        // guide ends
        #expect(try fixture.privileges("user:bob", "note:list") == SharedObjects.specifiedUserPrivileges.sorted())
        #expect(try cleos.fetch("list")["lines"]?["milk"] == .integer(2))
        #expect(shopping == ["note:list"])
        #expect(atFirst == ["user:ann", "user:bob"])
    }

    @Test("The guide's code equals the code of this test")
    func codeIsTheGuides() throws {
        let blocks = try GuideCode.blocks(ofGuide: "coming-from-firebase")
        #expect(blocks == (try GuideCode.markedCode(inFile: #filePath)))
        #expect(blocks.count > 3)
    }
}

// guide begins
import Events
import Foundation
import Muniment
import MunimentRecipes
import Permissions
// guide ends
import StoreSupport
import Testing

@Suite("Docs/Guides/coming-from-kii.md")
struct KiiGuideTests {
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
        // Once, as the store's administrator: a bucket belongs to the user who defines it, and user:owner may define some.
        try await Bucket.prepare(store, as: "user:root", owners: ["user:owner"])

        // The scope's owner defines a bucket in which every signed-in user may create objects and query.
        try await Bucket("post").define(in: store, as: "user:owner")
        // guide ends

        // guide begins
        let created = try await store.commit(
            Transaction("user:ann", [.createObject("post:1", value: .object(["title": .string("Bridge")]))]))

        var acl = EntryList(of: "post:1", in: store, as: "user:ann")
        acl.put(.everyone, .read)
        try await acl.save()
        // guide ends
        #expect(try fixture.actions("user:bob") == .read)

        // guide begins
        // Whom an entry can be for: a user, a group's members, a thing, any authenticated user, an anonymous caller.
        try await store.commit(
            Transaction(
                "user:root",
                [
                    .register("user:bob"), .register("thing:camera"), .createRole("role:staff"),
                    .addMember("user:bob", to: "role:staff"),
                ]))
        var more = EntryList(of: "post:1", in: store, as: "user:ann")
        more.put("user:bob", .read)
        more.put("role:staff", [.read, .write])
        more.put("thing:camera", .write)
        more.put(.anonymous, .read)

        // What is prepared is a list of the client's; taking an entry out of it touches nothing else.
        more.remove(EntryList.Entry(.anonymous, privileges: ["read"]))
        try await more.save()
        // guide ends
        #expect(try fixture.actions("user:bob") == [.read, .write])
        #expect(try fixture.actions("thing:camera") == [.read, .write])
        #expect(try fixture.actions("anonymous") == [])

        // guide begins
        // To take an entry off the object, put it with `grant: false`.
        var removal = EntryList(of: "post:1", in: store, as: "user:ann")
        removal.put(.everyone, .read, grant: false)
        try await removal.save()
        // guide ends
        #expect(try fixture.actions("user:never-seen") == [])

        // guide begins
        for entry in try EntryList(of: "post:1", in: store, as: "user:ann").list() {
            print(entry.subject, entry.actions, entry.isDefault ? "by default" : "", entry.isPermanent ? "for good" : "")
        }
        // guide ends
        let listed = try EntryList(of: "post:1", in: store, as: "user:ann").list()
        #expect(
            listed.map(\.subject) == ["role:staff", "thing:camera", "user:ann", "user:bob", "everyone", "user:owner"])
        #expect(listed.map(\.isDefault) == [false, false, true, false, true, true])

        // guide begins
        do { try await more.save() } catch let refused as EntryList.EntryError {
            // Running it a second time is an error that names the entry; nothing was changed.
            print(refused.entry, refused.reason.code, refused.reason.message)
        }
        // Where it may run any number of times:
        try await more.save(repetition: .isAllowed)
        // guide ends
        let again = try await refusedEntry { try await more.save() }
        #expect(again?.reason.code == .alreadyExists)
        #expect(again?.entry.subject == "user:bob")

        // guide begins
        more.put("user:nobody", .read)
        more.put(.everyone, .read)
        let outcome = try await more.save(.oneByOne)
        for failure in outcome.failed { print(failure.entry, failure.reason.code) }

        // After a part was saved: leave out what is there, mend what was wrong, and save the rest.
        var rest = try more.withoutRepetitions()
        rest.remove(EntryList.Entry("user:nobody", privileges: ["read"]))
        try await rest.save()
        // guide ends
        #expect(outcome.succeeded.map(\.subject) == ["everyone"])
        #expect(
            outcome.failed.map(\.reason.code)
                == [.alreadyExists, .alreadyExists, .alreadyExists, .alreadyExists, .unknownPrincipal])
        #expect(rest.changes.isEmpty)

        // guide begins
        var mine = EntryList(of: "post:1", in: store, as: "user:ann")
        mine.put("user:ann", .read, grant: false)
        do { try await mine.save() } catch let refused as EntryList.EntryError {
            print(refused.reason.code)  // permanentEntry: the creator's, and the scope owner's, cannot be removed
        }
        // guide ends
        #expect(try await refusedEntry { try await mine.save() }?.reason.code == .permanentEntry)

        // guide begins
        // bucketActionReadObjects: an entry on the bucket itself. A subject with it reads every object in it.
        var bucket = EntryList(of: Bucket("post").object, in: store, as: "user:owner")
        bucket.put(.anonymous, bucket: .readObjects)
        try await bucket.save()
        // guide ends
        #expect(try fixture.actions("anonymous") == .read)

        // guide begins
        // Until a time only, and nobody has to think of taking it back.
        let end = try Instant("2999-01-01T00:00:00Z")
        try await store.commit(Transaction("user:ann", [.grant("thing:camera", on: "post:1", ["read"], until: end)]))

        // Who may write it, and who could at an earlier moment?
        let writers = try store.read { try $0.subjects(with: ["update", "delete"], on: "post:1") }
        let earlier = try store.read(at: .revision(created.head)) { try $0.subjects(with: ["update", "delete"], on: "post:1") }
        // guide ends
        #expect(writers == ["thing:camera", "user:ann", "user:bob", "user:owner"])
        #expect(earlier == ["user:ann", "user:owner"])
        #expect(try fixture.actions("thing:camera") == [.read, .write])
    }

    @Test("The guide's code equals the code of this test")
    func codeIsTheGuides() throws {
        let blocks = try GuideCode.blocks(ofGuide: "coming-from-kii")
        #expect(blocks == (try GuideCode.markedCode(inFile: #filePath)))
        #expect(blocks.count > 3)
    }
}

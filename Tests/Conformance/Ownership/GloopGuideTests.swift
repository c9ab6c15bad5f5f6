// guide begins
import Events
import Foundation
import Muniment
import MunimentRecipes
import Permissions
// guide ends
import StoreSupport
import Testing

@Suite("Docs/Guides/coming-from-gloop.md")
struct GloopGuideTests {
    @Test("The code of the guide, with the document's examples, runs unchanged and gives the documented results")
    func codeRuns() async throws {
        // guide begins
        // A new store, which begins locked, in a new folder: for trying this out.
        let folder = NSTemporaryDirectory() + UUID().uuidString
        let store = try Store.create(at: folder + "/store")
        // guide ends
        let fixture = StoreFixture(of: store, at: folder + "/store")
        defer { fixture.closeAndRemove(folder) }

        // guide begins
        // Once, as the store's administrator.
        try await Ownership.define(classes: ["dog"], in: store, as: "user:root")

        // The current user: made when the application first runs, and the same from then on.
        let me = try CurrentUser(keptIn: folder + "/current-user")
        let mine = try await Ownership(in: store, as: me)

        // Two other users, as they come to the store from devices of their own.
        let first = try await Ownership(in: store, as: "user:2bdb0830-3250-4d43-a4c8-8ead3be44a88")
        let second = try await Ownership(in: store, as: "user:847d9117-cfaf-4c16-b45b-5781acfd1151")
        // guide ends
        #expect(mine.user == me.name)

        // guide begins
        let dog = try await mine.create("dog:rex", .object(["name": .string("Rex")]))
        for line in try dog.acl.lines() { print(line.subject, line.permissions) }
        // user:…    query | read | write | writeACL | writeOwner
        // everyone

        try await dog.acl.add("user:2bdb0830-3250-4d43-a4c8-8ead3be44a88", [.query, .read, .write])
        for line in try dog.acl.lines() { print(line.subject, line.permissions) }
        // user:…    query | read | write | writeACL | writeOwner
        // everyone
        // user:2bdb0830-3250-4d43-a4c8-8ead3be44a88    query | read | write
        // guide ends
        #expect(
            try dog.acl.lines().map { [$0.subject.text, $0.permissions.description] } == [
                [me.name.text, "query | read | write | writeACL | writeOwner"], ["everyone", ""],
                ["user:2bdb0830-3250-4d43-a4c8-8ead3be44a88", "query | read | write"],
            ])
        #expect(try first.object("dog:rex").fetch() == .object(["name": .string("Rex")]))

        // guide begins
        let group = try await mine.createGroup(of: [
            "user:2bdb0830-3250-4d43-a4c8-8ead3be44a88", "user:847d9117-cfaf-4c16-b45b-5781acfd1151",
        ])
        let another = try await mine.create("dog:max", .object(["name": .string("Max")]))
        try await another.acl.add(group.name, [.query, .read, .write])
        // guide ends
        for user in [first, second] {
            #expect(try user.object("dog:max").fetch() == .object(["name": .string("Max")]))
            #expect(try user.list(class: "dog").contains("dog:max"))
            #expect(try await refusalCode { try await user.object("dog:max").write(.object(["name": .string("Max")])) } == nil)
        }

        // guide begins
        // The group gives its members permission to change the group itself.
        try await group.acl.add(group.name, [.query, .read, .write])

        // Now either of the two can add others to the group.
        let third = try await Ownership(in: store, as: "user:00c5ff1c-e5a5-4ef7-bf5e-7c1d0b7d6a11")
        try await first.group(group.name).add(third.user)

        // But neither can give others that permission, as they have no write-ACL.
        let fourth = try await Ownership(in: store, as: "user:7d2c1b50-0f0e-4b7a-9a55-5f8f1f9a2b22")
        do {
            try await second.group(group.name).acl.add(fourth.user, [.query, .read, .write])
        } catch let refusal as Refusal {
            print(refusal.code)  // noPrivilege
        }
        // guide ends
        #expect(try group.members().count == 3)
        #expect(try await refusalCode { try await second.group(group.name).acl.add(fourth.user, .write) } == .noPrivilege)
        #expect(try await refusalCode { try await fourth.group(group.name).add(fourth.user) } == .noPrivilege)

        // guide begins
        // A group can own, and be in another group, as a user can.
        try await another.changeOwner(to: group.name)
        try await another.acl.remove(me.name)
        let everybody = try await mine.createGroup(of: [group.name, me.name], id: "everybody")
        try await dog.acl.add(everybody.name, .read)

        // Read without query: fetched by its name, and in no listing.
        let listed = try third.list(class: "dog")
        let fetched = try third.object("dog:rex").fetch()
        // guide ends
        #expect(listed == ["dog:max"])
        #expect(fetched == .object(["name": .string("Rex")]))
        #expect(try second.object("dog:max").owner == group.name)
        #expect(try await refusalCode { _ = try mine.object("dog:max").fetch() } == .noPrivilege)
    }

    @Test("The guide's code equals the code of this test")
    func codeIsTheGuides() throws {
        let blocks = try GuideCode.blocks(ofGuide: "coming-from-gloop")
        #expect(blocks == (try GuideCode.markedCode(inFile: #filePath)))
        #expect(blocks.count > 3)
    }
}

// guide begins
import Events
import Foundation
import Muniment
import Notices
import Permissions
// guide ends
import StoreSupport
import Testing

@Suite("Docs/Guides/notices.md", .timeLimit(.minutes(60)))
struct NoticesGuideTests {
    @Test("The code of the guide runs unchanged and gives the documented results")
    func codeRuns() async throws {
        // guide begins
        // A new store, which begins open, in a new folder: for trying this out.
        let folder = NSTemporaryDirectory() + UUID().uuidString
        let store = try Store.create(at: folder + "/store", preset: .open)

        // Documents that pass on what their folder gives, a team, and Bob.
        let begun = try await store.commit(
            Transaction(
                "user:root",
                [
                    .defineClass("doc", ClassSettings(inherits: .everything, creatorPrivileges: ["read", "query", "update"])),
                    .register("user:bob"), .createRole("role:team"),
                    .createObject("doc:plans"), .createObject("doc:bridge", parent: "doc:plans"),
                    .createObject("doc:tower", parent: "doc:plans"), .createObject("doc:news"),
                ]))
        // guide ends
        let fixture = StoreFixture(of: store, at: folder + "/store")
        defer { fixture.closeAndRemove(folder) }

        // guide begins
        // The folder is the team's, and Bob joins it; the news is everyone's; and then Bob may write it.
        try await store.commit(
            Transaction("user:root", [.grant("role:team", on: "doc:plans", ["read"]), .addMember("user:bob", to: "role:team")]))
        try await store.commit(Transaction("user:root", [.grant(.everyone, on: "doc:news", ["read"])]))
        let shared = try await store.commit(Transaction("user:root", [.grant("user:bob", on: "doc:news", ["read", "update"])]))

        for notice in try store.notices(for: "user:bob", after: begun.head, through: shared.head) {
            print(notice.revision, notice.kind, notice.object, notice.gained)
        }
        // 2 shared doc:bridge []
        // 2 shared doc:plans []
        // 2 shared doc:tower []
        // 3 madePublic doc:news []
        // 4 privilegesChanged doc:news ["update"]
        // 4 shared doc:news []
        // guide ends
        let told = try store.notices(for: "user:bob", after: begun.head, through: shared.head)
        #expect(
            told.map { "\($0.revision) \($0.kind) \($0.object) \($0.gained)" } == [
                "2 shared doc:bridge []", "2 shared doc:plans []", "2 shared doc:tower []", "3 madePublic doc:news []",
                #"4 privilegesChanged doc:news ["update"]"#, "4 shared doc:news []",
            ])

        // guide begins
        let feed = try store.notices(for: "user:bob", after: shared.head)
        let inbox = Task {
            var lines: [String] = []
            for try await notice in feed {
                lines.append("\(notice.kind) \(notice.object), gained \(notice.gained), lost \(notice.lost)")
                if lines.count == 3 { break }
            }
            return lines
        }
        try await store.commit(Transaction("user:root", [.deleteObject("doc:tower")]))
        let soon = systemClock().advanced(byMicroseconds: 2_000_000)
        try await store.commit(Transaction("user:root", [.grant("user:bob", on: "doc:bridge", ["update"], until: soon)]))
        for line in try await inbox.value { print(line) }
        // deleted doc:tower, gained [], lost []
        // privilegesChanged doc:bridge, gained ["update"], lost []
        // privilegesChanged doc:bridge, gained [], lost ["update"]
        // guide ends
        #expect(
            try await inbox.value == [
                "deleted doc:tower, gained [], lost []", #"privilegesChanged doc:bridge, gained ["update"], lost []"#,
                #"privilegesChanged doc:bridge, gained [], lost ["update"]"#,
            ])
        #expect(try store.time(of: Revision(7)) == soon)

        // guide begins
        // What Bob could read when the store was new, and from there on by what he is told.
        var readable = Set(try store.read(at: .revision(begun.head)) { try $0.objects(for: "user:bob", with: ["read"]) })
        var handled = begun.head
        for try await notice in try store.notices(for: "user:bob", after: handled) {
            switch notice.kind {
            case .madeInaccessible, .deleted: readable.remove(notice.object.text)
            case .madePublic, .madePrivate, .shared, .unshared, .privilegesChanged: readable.insert(notice.object.text)
            }
            if notice.completesRevision { handled = notice.revision }
            if handled.rawValue == 7 { break }
        }
        print(readable.sorted())  // ["doc:bridge", "doc:news", "doc:plans"]
        // guide ends
        #expect(readable.sorted() == ["doc:bridge", "doc:news", "doc:plans"])
        #expect(handled == (try fixture.head))

        // guide begins
        try store.close()
        // guide ends
    }

    @Test("The guide's code equals the code of this test")
    func codeIsTheGuides() throws {
        let blocks = try GuideCode.blocks(ofGuide: "notices")
        #expect(blocks == (try GuideCode.markedCode(inFile: #filePath)))
        #expect(blocks.count > 3)
    }
}

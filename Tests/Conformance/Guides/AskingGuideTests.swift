// guide begins
import Events
import Foundation
import Muniment
import Permissions
// guide ends
import StoreSupport
import Testing

@Suite("Docs/Guides/queries-and-observers.md", .timeLimit(.minutes(60)))
struct AskingGuideTests {
    @Test("The code of the guide runs unchanged and gives the documented results")
    func codeRuns() async throws {
        // guide begins
        // A new store, which begins open, in a new folder: for trying this out.
        let folder = NSTemporaryDirectory() + UUID().uuidString
        let store = try Store.create(at: folder + "/store", preset: .open)

        // A class of books. Ann may read and query three of the four.
        func book(_ name: Name, _ title: String, _ year: Int64) -> Change {
            .createObject(name, value: .object(["title": .string(title), "year": .integer(year)]))
        }
        let begun = try await store.commit(
            Transaction(
                "user:root",
                [
                    .defineClass(
                        "book", ClassSettings(creatorPrivileges: ["read", "query", "update"], properties: ["title", "year"])),
                    .register("user:ann"),
                    book("book:ash", "Ash", 1990), book("book:beech", "Beech", 2005), book("book:birch", "Birch", 2005),
                    book("book:elm", "Elm", 2020),
                ]))
        let shared = try await store.commit(
            Transaction(
                "user:root",
                [
                    .grant("user:ann", on: "book:ash", ["read", "query"]), .grant("user:ann", on: "book:beech", ["read", "query"]),
                    .grant("user:ann", on: "book:birch", ["read", "query"]),
                ]))
        // guide ends
        let fixture = StoreFixture(of: store, at: folder + "/store")
        defer { fixture.closeAndRemove(folder) }

        // guide begins
        let sinceTwoThousand = Condition.compare("year", .atLeast, .integer(2000))
        let query = Query("book", where: sinceTwoThousand, order: [.descending("year"), .ascending("title")], limit: 1)
        let page = try store.query(query, as: "user:ann")
        print(page.objects)  // ["book:beech"]: the elm is newer, and not Ann's to read
        print(page.revision, page.examined, page.next != nil)
        // guide ends
        #expect(page.objects == ["book:beech"])
        #expect(page.revision == shared.head)

        // guide begins
        // A cursor is text, so that another application can ask for the next page.
        if let text = page.next?.description {
            let second = try store.query(query, as: "user:ann", after: try QueryCursor(text))
            print(second.objects, second.next == nil)  // ["book:birch"] true
        }

        // Or every page, one after another.
        for try await page in store.pages(of: query, as: "user:ann") { print(page.objects) }
        // guide ends
        var paged: [[String]] = []
        for try await page in store.pages(of: query, as: "user:ann") { paged.append(page.objects) }
        #expect(paged == [["book:beech"], ["book:birch"]])

        // guide begins
        // Conditions: comparisons, beginnings of texts, and both of these joined.
        let ashOrBirch = Condition.any([.compare("title", .equal, .string("Ash")), .hasPrefix("title", "Bi")])
        let old = Condition.all([ashOrBirch, .compare("year", .less, .integer(2000))])
        print(try store.query(Query("book", where: old), as: "user:ann").objects)  // ["book:ash"]

        // In the past: at a revision, or at any time. Ann had nothing when the books were made.
        print(try store.query(Query("book"), as: "user:ann", at: .revision(begun.head)).objects)  // []
        print(try store.query(Query("book"), as: "user:ann", at: .revision(shared.head)).objects.count)  // 3

        // A property that the class does not name is refused. `changeClass` with a longer list names it, also for existing objects.
        let thick = Query("book", where: .compare("pages", .atLeast, .integer(300)))
        do { _ = try store.query(thick, as: "user:ann") } catch let refusal as Refusal {
            print(refusal.code, refusal.message)  // malformed, with the property and what to do
        }
        // guide ends
        #expect(try store.query(Query("book", where: old), as: "user:ann").objects == ["book:ash"])
        #expect(try store.query(Query("book"), as: "user:ann", at: .revision(begun.head)).objects == [])
        #expect(try store.query(Query("book"), as: "user:ann", at: .revision(shared.head)).objects.count == 3)
        #expect(throws: Refusal.self) { _ = try store.query(thick, as: "user:ann") }

        // guide begins
        let changes = try store.observe("book:beech", at: "title", as: "user:ann", since: shared.head)
        let watcher = Task {
            var seen: [String] = []
            do {
                for try await change in changes {
                    if case .valueChanged(_, .string(let title)?) = change.kind { seen.append("\(change.actor): \(title)") }
                }
            } catch let end as ObservationError {
                seen.append(end.description)
            }
            return seen
        }
        try await store.commit(
            Transaction("user:root", [.writeObject("book:beech", .merge(.object(["title": .string("Beeches")])))]))
        try await store.commit(Transaction("user:root", [.revoke("user:ann", on: "book:beech")]))
        for line in try await watcher.value { print(line) }
        // user:root: Beeches
        // the caller may not read the object at revision 4: observe from a later revision with read access
        // guide ends
        #expect(try await watcher.value == ["user:root: Beeches", ObservationError.accessEnded(at: Revision(4)).description])

        // guide begins
        let idle = Task {
            for try await change in try store.observe("book:birch", as: "user:ann") { print(change.kind) }
            return "cancelled"
        }
        idle.cancel()
        print(try await idle.value)  // cancelled
        // guide ends
        #expect(try await idle.value == "cancelled")

        // guide begins
        func attempt(_ transaction: Transaction) async throws {
            do { try await store.commit(transaction) } catch let refusal as Refusal {
                print(refusal.code, refusal.message)
            }
        }
        try await attempt(Transaction("user:ann", [.deleteObject("book:elm")]))
        // noPrivilege, with the privilege that is missing and where

        try store.refusals { refusal, hash in
            print(refusal.number, refusal.time, refusal.caller, refusal.code, refusal.tried?.json ?? "")
        }
        // 1 … user:ann noPrivilege {"op":"deleteObject","object":"book:elm"}
        print(try store.refusalCount)  // 1
        // guide ends
        let refused = try fixture.refusals()
        #expect(refused.map(\.code) == ["noPrivilege"])
        #expect(refused.first?.tried?.json == #"{"op":"deleteObject","object":"book:elm"}"#)

        // guide begins
        try store.close()
        // guide ends
    }

    @Test("The guide's code equals the code of this test")
    func codeIsTheGuides() throws {
        let blocks = try GuideCode.blocks(ofGuide: "queries-and-observers")
        #expect(blocks == (try GuideCode.markedCode(inFile: #filePath)))
        #expect(blocks.count > 3)
    }
}

// guide begins
import Events
import Foundation
import Muniment
import Permissions
// guide ends
import StoreSupport
import Testing

@Suite("Docs/Guides/audit.md")
struct AuditGuideTests {
    @Test("E10: The code of the guide runs unchanged and gives the documented results")
    func codeRuns() throws {
        // guide begins
        // A new store in a new folder: for trying this out.
        let folder = NSTemporaryDirectory() + UUID().uuidString
        let store = try Store.create(at: folder + "/store", preset: .locked)
        func commit(_ caller: Name, _ changes: Change..., because comment: String? = nil) throws {
            try store.commit(Transaction(caller, changes, origin: Origin(requestID: UUID().uuidString, comment: comment)))
        }

        // Ann keeps the records; Bob is on the staff for a while.
        try commit(
            "user:root", .defineClass("record", ClassSettings(creatorPrivileges: ["read", "update", "setPermissions"])),
            .register("user:ann"), .register("user:bob"), .createRole("role:staff"),
            .grant(.everyone, on: .store, ["read", "update", "setPermissions"]),
            .grant(.everyone, on: "class:record", ["read", "update", "setPermissions"]))
        try commit("user:root", .createObject("record:7", owner: "user:ann"), .grant("role:staff", on: "record:7", ["read"]))
        try commit("user:root", .addMember("user:bob", to: "role:staff"), because: "joined in May")
        do { try commit("user:bob", .grant("user:bob", on: "record:7", ["update"])) } catch let refusal as Refusal {
            print(refusal.code)  // noPrivilege
        }
        try commit("user:root", .removeMember("user:bob", from: "role:staff"), because: "left in July")
        // guide ends
        let fixture = StoreFixture(of: store, at: folder + "/store")
        defer { fixture.closeAndRemove(folder) }

        // guide begins
        // Everything that concerns Bob: what gave or took something from him, and what he tried for himself.
        let page = try store.audit(AuditFilter(subject: "user:bob"), limit: 100)
        for record in page.records {
            print(record.time, record.actor, record.isDone ? "did" : "was refused", record.kind ?? "", record.origin.comment ?? "")
        }
        // … user:root did MemberAdded joined in May
        // … user:bob was refused grant
        // … user:root did MemberRemoved left in July
        // guide ends
        #expect(page.records.map(\.kind) == ["MemberAdded", "grant", "MemberRemoved"])
        #expect(page.records.map(\.isDone) == [true, false, true])
        #expect(page.records.map(\.origin.comment) == ["joined in May", nil, "left in July"])

        // guide begins
        // Filters hold together, and each record says itself in a sentence.
        var filter = AuditFilter(actor: "user:root", object: "role:staff", from: .revision(Revision(2)), outcome: .done)
        filter.order = .newestFirst
        for record in try store.audit(filter, limit: 10).records { print(record.sentence) }
        // user:bob is no longer a member of role:staff
        // user:bob became a member of role:staff
        // guide ends
        #expect(
            try store.audit(filter, limit: 10).records.map(\.sentence) == [
                "user:bob is no longer a member of role:staff", "user:bob became a member of role:staff",
            ])

        // guide begins
        // Page by page, and the export: one JSON object a line.
        var lines: [String] = []
        var cursor: AuditCursor?
        while true {
            let page = try store.audit(after: cursor, limit: 3)
            for record in page.records {
                var line = JSONWriter()
                line.write(record.json)
                lines.append(line.text)
            }
            cursor = page.cursor
            if page.isLast { break }
        }
        // Later records follow on the last page, each once.
        let kept = cursor?.description ?? ""
        try commit("user:ann", .grant("user:bob", on: "record:7", ["read"]))
        let since = try store.audit(after: try AuditCursor(kept), limit: 3)
        print(since.records.map(\.sentence))  // ["user:bob was granted read on record:7"]
        // guide ends
        #expect(since.records.map(\.sentence) == ["user:bob was granted read on record:7"])
        #expect(try lines.count == store.audit(limit: 1000).records.count - 1)

        // guide begins
        // Who could read the record at any time, and from when to when?
        for access in try store.accessSpans(with: ["read"], on: "record:7") {
            for span in access.spans { print(access.subject, span.begin, span.end.map { "\($0)" } ?? "still") }
        }
        // user:ann 2 still
        // user:bob 3 4
        // user:bob 5 still
        // user:root 2 still
        // guide ends
        let spans = try store.accessSpans(with: ["read"], on: "record:7")
        #expect(spans.map(\.subject) == ["user:ann", "user:bob", "user:root"])
        #expect(spans[1].spans.map(\.begin.rawValue) == [3, 5] && spans[1].spans.map(\.end?.rawValue) == [4, nil])

        // guide begins
        // When and how did Bob get in, and out again?
        for transition in try store.accessTransitions(of: "user:bob", with: ["read"], on: "record:7") {
            print(transition.isGained ? "in" : "out", transition.time, transition.actor, transition.events.map(\.sentence))
        }
        // in … user:root ["user:bob became a member of role:staff"]
        // out … user:root ["user:bob is no longer a member of role:staff"]
        // in … user:ann ["user:bob was granted read on record:7"]

        // What did he have then?
        let report = try store.read(at: .revision(Revision(3))) { try $0.accessReport(of: "user:bob") }
        print(report.roles.map(\.role), report.objects.map { "\($0.name): \($0.privileges)" })
        // ["role:staff"] ["record:7: [\"read\"]"]
        // guide ends
        #expect(
            try store.accessTransitions(of: "user:bob", with: ["read"], on: "record:7").map { $0.events.map(\.sentence) } == [
                ["user:bob became a member of role:staff"], ["user:bob is no longer a member of role:staff"],
                ["user:bob was granted read on record:7"],
            ])
        #expect(report.roles.map(\.role) == ["role:staff"])
        #expect(report.objects.map(\.privileges) == [["read"]])
    }
}

import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Audit: pages and cursors")
struct AuditCursorTests {
    /// Some events of several commits, and refused commands between them.
    private func fill(_ fixture: StoreFixture) throws {
        try fixture.commit(.defineClass("doc"), .register("user:ann"), .register("user:bob"))
        for number in 0..<4 {
            fixture.clock.advance(seconds: 60)
            let doc = Name("doc:\(number)")
            try fixture.commit(.createObject(doc), .grant("user:ann", on: doc, ["read"]))
            _ = try fixture.refusal(.grant("user:bob", on: doc, ["read"]), as: "user:ann")
            if number % 2 == 0 { _ = try fixture.refusal(.deleteObject(doc), as: "user:bob") }
        }
    }

    @Test("E10: pages have no gaps and no repetitions while commits and refusals are written")
    func stableWhileCommitsGoOn() throws {
        try withStore(.locked) { (fixture) throws in
            try fill(fixture)
            var seen: [AuditRecord] = []
            var cursor: AuditCursor?
            var added = 0
            while true {
                let page = try fixture.store.audit(after: cursor, limit: 1)
                seen += page.records
                cursor = page.cursor
                if page.isLast { break }
                guard added < 8 else { continue }
                added += 1
                // Alternately adds a commit or a refusal after each record of a page.
                if added % 2 == 0 {
                    try fixture.commit(.register(Name("user:new\(added)")))
                } else {
                    _ = try fixture.refusal(.deleteObject("doc:1"), as: "user:bob")
                }
            }
            let whole = try fixture.store.records(AuditFilter(), limit: 1000)
            #expect(seen == whole)
            #expect(whole.count { !$0.isDone } == 10)
        }
    }

    @Test("E10: a list can be continued after any record, in both orders, even after the store is reopened")
    func takenUpAnywhere() throws {
        try withStore(.locked) { (fixture) throws in
            try fill(fixture)
            for order in [AuditFilter.Order.oldestFirst, .newestFirst] {
                let filter = AuditFilter(order: order)
                let whole = try fixture.store.records(filter, limit: 1000)
                let texts = try (1..<whole.count).map { try fixture.store.audit(filter, limit: $0).cursor.description }
                // A list that begins with the newest record does not include later records.
                fixture.clock.advance(seconds: 1)
                try fixture.commit(.register(Name("user:later\(texts.count)")))
                try fixture.reopen()
                for (index, text) in texts.enumerated() {
                    let rest = try fixture.store.audit(filter, after: AuditCursor(text), limit: 1000)
                    let later = order == .oldestFirst ? 1 : 0
                    #expect(rest.records.dropLast(later) == whole[(index + 1)...], "behind record \(index)")
                    #expect(rest.records.count == whole.count - index - 1 + later)
                }
            }
        }
    }

    @Test("E10: after the last page, the cursor returns only records written since then")
    func whatCameSince() throws {
        try withStore(.locked) { (fixture) throws in
            try fill(fixture)
            let filter = AuditFilter(subject: "user:ann")
            let page = try fixture.store.audit(filter, limit: 1000)
            #expect(page.isLast)
            #expect(try fixture.store.audit(filter, after: page.cursor, limit: 10).records.isEmpty)
            _ = try fixture.refusal(.revoke("user:ann", on: "doc:1"), as: "user:bob")
            try fixture.commit(.revoke("user:ann", on: "doc:1"), .revoke("user:bob", on: "doc:1"))
            let since = try fixture.store.audit(filter, after: page.cursor, limit: 10)
            #expect(since.records.map(\.kind) == ["revoke", "AccessRevoked"])
        }
    }

    @Test("E10: a cursor is refused if any part of it was changed, or if it is from another filter, order or store")
    func strangeCursors() throws {
        try withStore(.locked) { (fixture) throws in
            try fill(fixture)
            let filter = AuditFilter(outcome: .done)
            let cursor = try fixture.store.audit(filter, limit: 3).cursor
            let text = cursor.description
            #expect(try AuditCursor(text) == cursor)
            for index in text.utf8.indices {
                for replacement in "AB-!" where text[index] != replacement {
                    let changed = String(text[..<index]) + String(replacement) + text[text.index(after: index)...]
                    #expect(throws: Refusal.self) { try AuditCursor(changed) }
                }
            }
            for length in 0..<text.count { #expect(throws: Refusal.self) { try AuditCursor(String(text.prefix(length))) } }
            for other in [AuditFilter(), AuditFilter(outcome: .refused), AuditFilter(outcome: .done, order: .newestFirst)] {
                #expect(throws: Refusal.self) { try fixture.store.audit(other, after: cursor, limit: 3) }
            }
            try withStore(.locked) { (other) throws in
                // Creates the same store at the same time, then a different history.
                try other.commit(.defineClass("doc"), .register("user:ann"), .register("user:eve"))
                for number in 0..<9 { try other.commit(.register(Name("user:\(number)"))) }
                #expect(throws: Refusal.self) { try other.store.audit(filter, after: cursor, limit: 3) }
            }
        }
    }

    @Test("E10: the limits of a span are part of it, by revision and by time; a refusal counts with the revision before it")
    func bounds() throws {
        try withStore(.locked) { (fixture) throws in
            try fill(fixture)
            let whole = try fixture.store.records(AuditFilter(), limit: 1000)
            let time = try fixture.store.time(of: Revision(3))
            let atThree = whole.filter { $0.time == time }
            #expect(atThree.map(\.kind) == ["ObjectCreated", "AccessGranted", "grant"])
            for filter in [
                AuditFilter(from: .time(time), to: .time(time)),
                AuditFilter(from: .revision(Revision(3)), to: .revision(Revision(3))),
            ] {
                #expect(try fixture.store.records(filter, limit: 2) == atThree)
            }
            let before = AuditFilter(to: .time(time.advanced(byMicroseconds: -1)))
            let after = AuditFilter(from: .time(time.advanced(byMicroseconds: 1)))
            #expect(try fixture.store.records(before, limit: 3) + atThree + fixture.store.records(after, limit: 3) == whole)
            #expect(throws: Refusal.self) {
                try fixture.store.audit(AuditFilter(from: .revision(Revision(4)), to: .revision(Revision(3))), limit: 1)
            }
            #expect(throws: StoreError.noSuchRevision(Revision(99), head: try fixture.head)) {
                try fixture.store.audit(AuditFilter(from: .revision(Revision(99))), limit: 1)
            }
        }
    }

    @Test("E10: an unknown kind, an ill-formed name and a page size of 0 are refused")
    func malformed() throws {
        try withStore(.locked) { (fixture) throws in
            let filters = [AuditFilter(kinds: ["Granted"]), AuditFilter(object: "nothing"), AuditFilter(subject: "user:")]
            for filter in filters { #expect(throws: Refusal.self) { try fixture.store.audit(filter, limit: 10) } }
            for limit in [0, -1, Limits.recordsPerPage + 1] {
                #expect(throws: Refusal.self) { try fixture.store.audit(limit: limit) }
            }
            #expect(try fixture.store.audit(AuditFilter(kinds: AuditFilter.allKinds), limit: 10).records.count == 3)
        }
    }
}

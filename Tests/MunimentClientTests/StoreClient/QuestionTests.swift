import Events
import ServiceSupport
import TestSupport
import Testing

@testable import MunimentClient

@Suite("Questions of a store client", .timeLimit(.minutes(60)))
struct QuestionTests {
    @Test("A check answers now, and at a revision or a time of the past, with its reason")
    func checks() async throws {
        try await withStore { store, service in
            let before = try await store.prepare()
            service.clock.advance(seconds: 60)
            let receipt = try await store.share("doc:plan")
            let now = try await store.check("user:bob", "read", on: "doc:plan")
            #expect(now.isAllowed && now.revision == receipt.revision && now.reason.contains("give user:bob read"))
            #expect(try await !store.check("user:bob", "read", on: "doc:plan", at: .revision(before.head)).isAllowed)
            #expect(try await !store.check("user:bob", "read", on: "doc:plan", at: .time(before.time)).isAllowed)
            #expect(try await store.check("user:bob", ["read", "query"], on: "doc:plan", at: .atLeast(receipt.head)).isAllowed)
            #expect(try await !store.check("user:bob", ["read", "update"], on: "doc:plan").isAllowed)
            #expect(try await store.privileges(of: "user:bob", on: "doc:plan").privileges == ["query", "read"])
        }
    }

    @Test("Several checks are one request, and an invalid one is denied with its error")
    func batch() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            let revision = try await store.share("doc:plan").head
            let decisions = try await store.check([
                AccessCheck("user:bob", "read", on: "doc:plan"), AccessCheck("user:ann", "read", on: "doc:plan"),
                AccessCheck("user:bob", "", on: "doc:plan"),
            ])
            #expect(decisions.map(\.isAllowed) == [true, false, false])
            #expect(decisions.map { $0.error == nil } == [true, true, false])
            let check = AccessCheck("user:bob", "read", on: "doc:plan")
            #expect(try await store.check([check], at: .revision(Revision(revision.rawValue - 1))).map(\.isAllowed) == [false])
            #expect(try await store.check([]).isEmpty)
        }
    }

    @Test("A loop over a list requests page after page, all about the moment of the first")
    func lists() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            let objects: [Name] = ["doc:0", "doc:1", "doc:2", "doc:3", "doc:4"]
            try await store.share("doc:0", "doc:1", "doc:2", "doc:3", "doc:4")
            var found: [Name] = []
            for try await object in store.objects(of: "user:bob", with: "read", class: "doc", pageSize: 2) {
                if found.isEmpty { try await store.share("doc:new") }
                found.append(object)
            }
            #expect(found == objects)
            var pages: [ListingPage<Name>] = []
            for try await page in store.objects(of: "user:bob", with: "read", pageSize: 4).pages { pages.append(page) }
            #expect(pages.map(\.items.count) == [4, 2] && Set(pages.map(\.revision)).count == 1)
            #expect(try await store.subjects(with: "read", on: "doc:0").collected() == ["user:bob", "user:root"])
            let bobs = StoreClient(store.connection, actor: "user:bob")
            let long = bobs.query("doc", where: ["pages": .object([">": .integer(2)])], order: ["-pages"], pageSize: 1)
            #expect(try await long.collected() == ["doc:4", "doc:3"])
            let earlier = store.objects(of: "user:bob", with: "read", at: .revision(pages[0].revision ?? .genesis), pageSize: 1)
            #expect(try await earlier.collected().count == 6)
        }
    }

    @Test("Entries, members, administrators, names and rights are read")
    func names() async throws {
        try await withStore { store, service in
            try await store.prepare()
            let until = service.clock.now.advanced(bySeconds: 3_600)
            try await store.commit([
                .createRole("role:editors"), .addMember("user:ann", to: "role:editors"), .create("doc:plan"),
                .grant("role:editors", ["read"], on: "doc:plan", until: until),
            ])
            let list = try await store.entries(of: "doc:plan")
            #expect(list.entries.map(\.subject) == ["role:editors"] && list.entries[0].privileges == ["read"])
            #expect(list.entries[0].until == until)
            #expect(try await store.statistics().revision == list.revision)
            #expect(try await store.members(of: "role:editors").collected() == ["user:ann"])
            #expect(try await store.administrators() == ["user:root"])
            #expect(try await store.names(prefix: "user:", pageSize: 1).collected() == ["user:ann", "user:bob", "user:root"])
            let report = try await store.report(of: "user:ann")
            #expect(report.roles == ["role:editors"] && report.className == "user")
            #expect(try await store.upcomingEnds().map(\.until) == [until])
            #expect(try await store.callerRights().right == "administer")
            let access = try await store.accessReport(of: "user:ann")
            #expect(
                access.isKnown && access.roles.map(\.role).contains("role:editors") && access.objects.map(\.name) == ["doc:plan"])
        }
    }

    @Test("An explanation has the paths of an access, and for a denial the changes that would allow it")
    func explanation() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            try await store.share("doc:plan")
            let allowed = try await store.explain("user:bob", ["read"], on: "doc:plan")
            let level = try #require(allowed.levels.first { $0.level == "object" })
            #expect(level.paths.first?.steps.last?.fact == "entry" && allowed.isAllowed)
            let denied = try await store.explain("user:ann", ["read"], on: "doc:plan")
            #expect(denied.outcomes.first?.decidedBy == "object")
            #expect(denied.proposals.contains([.grant("user:ann", ["read"], on: "doc:plan")]))
            #expect(try await store.explain("user:ann", ["read"], on: "doc:plan", withProposals: false).proposals.isEmpty)
            #expect(try await store.explain("user:root", ["read"], on: "doc:plan").appointment != nil)
            let checks = [AccessCheck("user:bob", "read", on: "doc:plan"), AccessCheck("user:ann", "read", on: "doc:plan")]
            #expect(try await store.explain(checks) == [allowed, denied])
            #expect(try await store.explain(checks, withProposals: false)[1].proposals.isEmpty)
            #expect(try await store.explain([]).isEmpty)
        }
    }

    @Test("History, differences, notices, audit and export are read")
    func history() async throws {
        try await withStore { store, _ in
            let before = try await store.prepare()
            let receipt = try await store.share("doc:plan")
            try await store.commit([.write("doc:plan", .object(["pages": .integer(9)]))], comment: "longer")
            let commits = try await store.history(of: "doc:plan", pageSize: 1).collected()
            #expect(commits.flatMap(\.events).map(\.kind) == ["ObjectCreated", "AccessGranted", "ObjectWritten"])
            #expect(commits[1].comment == "longer" && commits[1].events[0].members["value"] == .object(["pages": .integer(9)]))
            let notices = try await store.notices(for: "user:bob", after: .genesis, pageSize: 1).collected()
            #expect(notices.map(\.object) == ["doc:plan"] && notices[0].kind == "shared" && notices[0].revision == receipt.revision)
            let differences = try await store.differences(of: "user:bob", from: .revision(before.head)).collected()
            #expect(differences.map(\.name) == ["doc:plan"] && differences[0].gained == ["query", "read"])

            let bobs = StoreClient(store.connection, actor: "user:bob")
            await #expect(throws: ServiceError.self) { try await bobs.commit([.delete("doc:plan")]) }
            var filter = AuditRequest()
            filter.outcome = "refused"
            let refused = try await store.audit(filter).collected()
            #expect(refused.map(\.caller) == ["user:bob"] && refused[0].code == "noPrivilege")
            filter = AuditRequest()
            (filter.object, filter.kinds, filter.isNewestFirst) = ("doc:plan", ["AccessGranted", "ObjectWritten"], true)
            let done = try await store.audit(filter, pageSize: 1).collected()
            #expect(done.compactMap(\.event?.kind) == ["ObjectWritten", "AccessGranted"])
            let spans = try await store.accessSpans(with: "read", on: "doc:plan", pageSize: 1).collected()
            #expect(spans.first { $0.subject == "user:bob" }?.spans.map(\.begin) == [receipt.head])
            let changes = try await store.accessChanges(of: "user:bob", with: "read", on: "doc:plan", pageSize: 1).collected()
            #expect(changes.map(\.isGained) == [true] && changes[0].actor == "user:root")
            #expect(try await store.activity(parts: 4).commits.reduce(0, +) == 3)
            let lines = String(decoding: try await store.export(from: receipt.head), as: UTF8.self).split(separator: "\n")
            #expect(lines.count == 3 && lines[0].contains("permission-history/1"))
            #expect(try await store.verify().isSound)
        }
    }

    @Test("Stores are listed, created and locked")
    func stores() async throws {
        try await withStore { store, _ in
            try await store.connection.createStore("second", preset: "open")
            #expect(try await store.connection.stores() == ["default", "second"])
            let error = await #expect(throws: ServiceError.self) { try await store.connection.createStore("second") }
            #expect(error?.problem?.kind == .conflict)
            let second = StoreClient(store.connection, store: "second", actor: "user:root")
            #expect(try await second.lock(members: ["user:root"]).revision != nil)
        }
    }

    @Test("Logged decisions are listed")
    func decisions() async throws {
        try await withStore { store, service in
            try await store.prepare()
            let error = await #expect(throws: ServiceError.self) { try await store.decisions().collected() }
            #expect(error?.problem?.kind == .notFound)
        }
    }
}

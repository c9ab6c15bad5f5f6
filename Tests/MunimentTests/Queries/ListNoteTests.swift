import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("An empty list tells its caller the reason, and the grant that would help")
struct ListNoteTests {
    /// A store that lets everyone query the class `doc`, with two documents of an administrator.
    private func withDocuments(_ body: (StoreFixture) throws -> Void) throws {
        try withStore(.locked) { fixture in
            try fixture.commit(
                .defineClass("doc", ClassSettings(creatorPrivileges: ["read", "query"], properties: ["pages"])),
                .register("user:ann"), .grant("everyone", on: "store", ["read", "query"]),
                .grant("everyone", on: "class:doc", ["query"]), .createObject("doc:1", value: .object(["pages": .integer(1)])),
                .createObject("doc:2", value: .object(["pages": .integer(2)])))
            try body(fixture)
        }
    }

    private func note(_ fixture: StoreFixture, of caller: Name = "user:ann", pages: Int64? = nil, at moment: Moment = .now) throws
        -> ListNote?
    {
        let condition = pages.map { Condition.compare("pages", .equal, .integer($0)) }
        return try fixture.store.read(at: moment) { try $0.note(onEmpty: Query("doc", where: condition), as: caller) }
    }

    @Test("R16: a level that gives no read is named with the grant on it, the store before the class")
    func levels() throws {
        try withDocuments { fixture in
            let atClass = try #require(try note(fixture))
            #expect(atClass.reason == .classLevel && atClass.message.hasSuffix("Grant read on `class:doc`"))
            try fixture.commit(.setAccess("everyone", on: "store", ["query"]))
            let atStore = try #require(try note(fixture))
            #expect(atStore.reason == .storeLevel && atStore.message.hasSuffix("Grant read on `store`"))
            #expect(try note(fixture, of: "user:root") == nil)
        }
    }

    /// Lets Ann read the first document, and not query it.
    private func letRead(_ fixture: StoreFixture) throws {
        try fixture.commit(.grant("everyone", on: "class:doc", ["read"]), .grant("user:ann", on: "doc:1", ["read"]))
    }

    @Test("G8: a caller who may read matching objects and not query them is told to get query")
    func query() throws {
        try withDocuments { fixture in
            try letRead(fixture)
            let found = try #require(try note(fixture))
            #expect(found.reason == .noQuery && found.message.hasSuffix("Grant query on the objects"))
            #expect(try note(fixture, pages: 1)?.reason == .noQuery)
            try fixture.commit(.grant("user:ann", on: "doc:1", ["query"]))
            #expect(try fixture.store.query(Query("doc"), as: "user:ann").objects == ["doc:1"])
        }
    }

    @Test("E15: the note is the same whether the class has objects that the caller may not read, or none")
    func hidden() throws {
        try withDocuments { fixture in
            try letRead(fixture)
            let matching = try #require(try note(fixture, pages: 2))
            #expect(try matching.reason == .noAccess && matching == note(fixture, pages: 3))
            try fixture.commit(.revoke("user:ann", on: "doc:1"))
            let all = try #require(try note(fixture))
            try fixture.commit(.deleteObject("doc:1"), .deleteObject("doc:2"))
            #expect(try all.reason == .noAccess && all == note(fixture))
        }
    }

    @Test("E15: for a moment of the past, a caller is told about the levels only")
    func past() throws {
        try withDocuments { fixture in
            try letRead(fixture)
            let head = try fixture.head
            func told(_ moment: Moment) throws -> ListNote.Reason? {
                let audience = Audience.caller("user:ann", at: fixture.clock.now)
                return try fixture.store.note(onEmpty: Query("doc"), as: "user:ann", at: moment, for: audience)?.reason
            }
            #expect(try told(.now) == .noQuery && told(.revision(head)) == nil)
            #expect(try told(.revision(Revision(head.rawValue - 1))) == .classLevel)
            #expect(try note(fixture, at: .revision(head))?.reason == .noQuery)
        }
    }

    @Test("A caller with access to all objects of the class gets no note")
    func open() throws {
        try withDocuments { fixture in
            try fixture.commit(
                .changeClass("doc", ClassSettings(objectACL: ObjectACL.none)), .deleteObject("doc:1"), .deleteObject("doc:2"))
            #expect(try note(fixture)?.reason == .classLevel)
            try fixture.commit(.grant("everyone", on: "class:doc", ["read"]))
            #expect(try note(fixture) == nil)
            try fixture.commit(.changeClass("doc", ClassSettings(objectACL: .required, composition: .widening)))
            #expect(try note(fixture) == nil)
            try fixture.commit(.revoke("everyone", on: "class:doc", ["read"]))
            #expect(try note(fixture)?.reason == .noAccess)
        }
    }

    @Test("The refusal of a list names the store if the store denies the query")
    func refusal() throws {
        try withDocuments { fixture in
            func message() -> String? {
                do { _ = try note(fixture) } catch { return (error as? Refusal)?.message }
                return nil
            }
            try fixture.commit(.revoke("everyone", on: "class:doc"))
            #expect(message() == "`user:ann` lacks `query` on `class:doc`")
            try fixture.commit(.revoke("everyone", on: "store"))
            #expect(message() == "`user:ann` lacks `query` on `class:doc`, since `store` does not give it")
        }
    }
}

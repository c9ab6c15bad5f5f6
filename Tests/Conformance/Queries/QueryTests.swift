import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Queries over the objects that the caller may access, and privileges beyond one level")
struct QueryTests {
    /// A library of books that signed-in users may query. Ann may read some of them: directly, through a role, or through a shelf.
    private func withLibrary(_ body: (StoreFixture) throws -> Void) throws {
        try withStore(.open) { (fixture) throws in
            var books = ClassSettings(inherits: .everything)
            books.properties = ["title", "year"]
            try fixture.commit(
                .defineClass("shelf"), .defineClass("book", books), .createRole("role:readers"), .register("user:ann"),
                .register("user:bob"), .addMember("user:ann", to: "role:readers"), .createObject("shelf:open"))
            try fixture.commit(
                book("ash", "Ash", 1990), book("beech", "Beech", 2005), book("birch", "Birch", 2005), book("cedar", "Cedar", 2010),
                book("elm", "Elm", 2020, on: "shelf:open"), .createObject("book:blank"))
            try fixture.commit(
                .grant("user:ann", on: "book:ash", ["read", "query"]), .grant("role:readers", on: "book:beech", ["read", "query"]),
                .grant("user:ann", on: "book:birch", ["read", "query"]), .grant("user:ann", on: "shelf:open", ["read", "query"]),
                .grant("user:ann", on: "book:cedar", ["read"]), .grant("user:ann", on: "book:blank", ["read", "query"]))
            try body(fixture)
        }
    }

    private func book(_ id: String, _ title: String, _ year: Int64, on shelf: Name? = nil) -> Change {
        .createObject(
            Name("book:" + id), parent: shelf, value: .object(["title": .string(title), "year": .integer(year)]))
    }

    private func find(
        _ fixture: StoreFixture, _ condition: Condition?, order: [Query.Order] = [], as caller: Name = "user:ann"
    ) throws -> [String] {
        let page = try fixture.store.query(Query("book", where: condition, order: order), as: caller)
        #expect(page.next == nil)
        return page.objects
    }

    @Test("F15: equality, ranges, prefixes, and, or: a query finds all matches that the caller may read and query")
    func conditions() throws {
        try withLibrary { (fixture) throws in
            #expect(try find(fixture, nil) == ["book:ash", "book:beech", "book:birch", "book:elm", "book:blank"])
            #expect(try find(fixture, .compare("year", .equal, .integer(2005))) == ["book:beech", "book:birch"])
            #expect(try find(fixture, .compare("year", .equal, .number(2005))) == ["book:beech", "book:birch"])
            #expect(try find(fixture, .compare("year", .less, .number(2004.5))) == ["book:ash"])
            #expect(try find(fixture, .compare("year", .greater, .integer(2005))) == ["book:elm"])
            #expect(try find(fixture, .compare("year", .equal, .null)) == ["book:blank"])
            #expect(try find(fixture, .hasPrefix("title", "B")) == ["book:beech", "book:birch"])
            let both = Condition.all([.compare("year", .atLeast, .integer(2005)), .hasPrefix("title", "Be")])
            #expect(try find(fixture, both) == ["book:beech"])
            let either = Condition.any([.compare("title", .equal, .string("Elm")), .compare("year", .atMost, .integer(1990))])
            #expect(try find(fixture, either) == ["book:ash", "book:elm"])
            #expect(try find(fixture, .compare("title", .greater, .integer(0))) == [])
            #expect(try find(fixture, nil, as: "user:bob") == [])
        }
    }

    @Test("F15: a query orders by one or more properties, ascending or descending")
    func order() throws {
        try withLibrary { (fixture) throws in
            let years = ["book:blank", "book:ash", "book:beech", "book:birch", "book:elm"]
            #expect(try find(fixture, nil, order: [.ascending("year")]) == years)
            #expect(try find(fixture, nil, order: [.descending("year")]) == years.reversed())
            let newestByTitle = ["book:elm", "book:beech", "book:birch", "book:ash", "book:blank"]
            #expect(try find(fixture, nil, order: [.descending("year"), .ascending("title")]) == newestByTitle)
        }
    }

    @Test(
        "F15: objects with the same first property are ordered by the second one, in any number", arguments: [0, 1, 1_025, 2_500])
    func largeGroup(count: Int) throws {
        try withStore(.open) { (fixture) throws in
            var settings = ClassSettings()
            settings.properties = ["status", "date"]
            try fixture.commit(.defineClass("note", settings))
            let notes = (0..<count).map { number in
                Change.createObject(Name("note:\(number)"), value: .object(["date": .integer(Int64(number * 7 % count))]))
            }
            if !notes.isEmpty { try fixture.store.commit(Transaction("user:root", notes)) }
            for (limit, order) in [(1, Query.Order.ascending("date")), (64, .descending("date")), (100, .ascending("date"))] {
                let query = Query("note", order: [.ascending("status"), order], limit: limit)
                let expected = (0..<count).sorted { ($0 * 7 % count < $1 * 7 % count) != order.isDescending }.prefix(limit)
                #expect(try fixture.store.query(query, as: "user:root").objects == expected.map { "note:\($0)" })
            }
        }
    }

    @Test("F15: the pages of a query have the revision of the first page, and the last page is marked")
    func pages() async throws {
        try withLibrary { (fixture) throws in
            let query = Query("book", order: [.ascending("year")], limit: 2)
            let first = try fixture.store.query(query, as: "user:ann")
            #expect(first.objects == ["book:blank", "book:ash"])
            try fixture.commit(
                .deleteObject("book:beech"), .revoke("user:ann", on: "book:birch"), book("oak", "Oak", 1995),
                .grant("user:ann", on: "book:oak", ["read", "query"]))
            let second = try fixture.store.query(query, as: "user:ann", after: QueryCursor(try #require(first.next).description))
            #expect(second.objects == ["book:beech", "book:birch"])
            #expect(second.revision == first.revision)
            let third = try fixture.store.query(query, as: "user:ann", after: try #require(second.next))
            #expect(third.objects == ["book:elm"])
            #expect(third.next == nil)
            #expect(try find(fixture, nil, order: [.ascending("year")]) == ["book:blank", "book:ash", "book:oak", "book:elm"])
        }
    }

    @Test("F15: a sequence of all pages contains each object once")
    func sequence() async throws {
        try await withStore(.open) { (fixture: StoreFixture) async throws in
            var settings = ClassSettings()
            settings.properties = ["year"]
            try fixture.commit(.defineClass("book", settings))
            for year in 0..<25 { try fixture.commit(book("\(year)", "", Int64(year % 7))) }
            var found: [String] = []
            for try await page in fixture.store.pages(of: Query("book", order: [.ascending("year")], limit: 4), as: "user:root") {
                #expect(page.objects.count <= 4)
                found += page.objects
            }
            #expect(found.count == 25)
            #expect(Set(found).count == 25)
        }
    }

    @Test("F15: a cursor is valid only for its query and its caller, and an invalid cursor is refused")
    func cursors() throws {
        try withLibrary { (fixture) throws in
            let query = Query("book", order: [.ascending("year")], limit: 1)
            let cursor = try #require(try fixture.store.query(query, as: "user:ann").next)
            func code(_ query: Query, _ caller: Name, _ cursor: QueryCursor) throws -> Refusal.Code? {
                do {
                    _ = try fixture.store.query(query, as: caller, after: cursor)
                    return nil
                } catch let refusal as Refusal { return refusal.code }
            }
            #expect(try code(query, "user:ann", cursor) == nil)
            #expect(try code(query, "user:bob", cursor) == .malformed)
            #expect(try code(Query("book", order: [.descending("year")], limit: 1), "user:ann", cursor) == .malformed)
            #expect(try code(Query("book", order: [.ascending("year")], limit: 3), "user:ann", cursor) == nil)
            for text in ["", "x", String(cursor.description.dropLast()), cursor.description + "A", "é"] {
                #expect(throws: Refusal.self) { try QueryCursor(text) }
            }
        }
    }

    @Test("F15: a property that the class does not name is refused; after it is named, existing values are found")
    func properties() throws {
        try withLibrary { (fixture) throws in
            try fixture.commit(.writeObject("book:ash", .merge(.object(["pages": .integer(300)]))))
            let thick = Condition.compare("pages", .atLeast, .integer(200))
            func refusal() throws -> Refusal? {
                do { _ = try find(fixture, thick) } catch let refusal as Refusal { return refusal }
                return nil
            }
            #expect(try refusal()?.code == .malformed)
            #expect(try refusal()?.message.contains("`pages`") == true)
            var settings = ClassSettings()
            settings.properties = ["pages", "title"]
            try fixture.commit(.changeClass("book", settings))
            #expect(try find(fixture, thick) == ["book:ash"])
            settings.properties = ["title"]
            try fixture.commit(.changeClass("book", settings))
            #expect(try refusal()?.code == .malformed)
            let before = Revision(try fixture.head.rawValue - 1)
            let page = try fixture.store.query(Query("book", where: thick), as: "user:ann", at: .revision(before))
            #expect(page.objects == ["book:ash"])
        }
    }

    @Test("F15: a query needs query on the class, and has limits")
    func refusals() throws {
        try withLibrary { (fixture) throws in
            try fixture.commit(.revoke(.everyone, on: "class:book", ["query"]))
            func code(_ query: Query, as caller: Name) throws -> Refusal.Code? {
                do { _ = try fixture.store.query(query, as: caller) } catch let refusal as Refusal { return refusal.code }
                return nil
            }
            #expect(try code(Query("book"), as: "user:ann") == .noPrivilege)
            #expect(try code(Query("book"), as: .anonymous) == .notAuthenticated)
            #expect(try code(Query("none"), as: "user:ann") == .unknownClass)
            #expect(try code(Query("book", limit: 0), as: "user:root") == .malformed)
            #expect(try code(Query("book", limit: .max), as: "user:root") == .tooLarge)
            #expect(try code(Query("book", limit: Limits.objectsPerPage), as: "user:root") == nil)
            for number in [Double.nan, .infinity, -.infinity] {
                let odd = Condition.any([.compare("year", .less, .number(number))])
                #expect(try code(Query("book", where: odd), as: "user:root") == .malformed)
            }
            #expect(try code(Query("book", order: [.ascending("year"), .descending("year")]), as: "user:root") == .malformed)
            var deep = Condition.compare("year", .equal, .null)
            for _ in 0..<Limits.depthOfConditions { deep = .all([deep]) }
            #expect(try code(Query("book", where: deep), as: "user:root") == .tooLarge)
            let many = Array(repeating: Condition.compare("year", .equal, .null), count: Limits.conditionsPerQuery)
            #expect(try code(Query("book", where: .any(many)), as: "user:root") == .tooLarge)
        }
    }

    @Test("F15: a query does not scan objects that the caller may not access: its cost depends on the accessible ones")
    func cost() throws {
        try withStore(.open) { (fixture) throws in
            var settings = ClassSettings()
            settings.properties = ["year"]
            try fixture.commit(.defineClass("book", settings), .register("user:ann"))
            let importer = try fixture.store.importer()
            for batch in 0..<20 {
                try importer.add(
                    Transaction("user:root", (0..<1000).map { book("\(batch * 1000 + $0)", "", Int64($0)) }, authority: .importer))
            }
            let few: [Change] = (0..<5).map { .grant("user:ann", on: Name("book:\(19_990 + $0)"), ["read", "query"]) }
            try importer.add(Transaction("user:root", few, authority: .importer))
            try importer.finish()
            let mine = try fixture.store.query(Query("book", order: [.ascending("year")]), as: "user:ann")
            #expect(mine.objects.count == 5)
            #expect(mine.examined < 2500)
            let narrow = Query("book", where: .compare("year", .equal, .integer(7)), order: [.ascending("year")])
            let one = try fixture.store.query(narrow, as: "user:root")
            #expect(one.objects.count == 20)
            #expect(one.examined <= 40)
        }
    }

    @Test("F15: a query with several conditions examines about as many objects as the rarest one allows, in any order")
    func severalConditions() throws {
        try withStore(.open) { (fixture) throws in
            var settings = ClassSettings()
            settings.properties = ["year", "title"]
            try fixture.commit(.defineClass("book", settings), .register("user:ann"))
            let importer = try fixture.store.importer()
            for batch in 0..<20 {
                let numbers = batch * 1000..<batch * 1000 + 1000
                try importer.add(
                    Transaction(
                        "user:root", numbers.map { book("\($0)", "A story", Int64($0 / 10)) }, authority: .importer))
            }
            try importer.finish()
            let rare = Condition.compare("year", .equal, .integer(1999))
            let frequent = Condition.hasPrefix("title", "A")
            for conditions in [[rare, frequent], [frequent, rare]] {
                for order in [Query.Order.descending("year"), .ascending("title"), .descending("title")] {
                    let query = Query("book", where: .all(conditions), order: [order])
                    let page = try fixture.store.query(query, as: "user:root")
                    #expect(page.objects.count == 10)
                    #expect(page.examined < 2500)
                }
            }
        }
    }

    @Test("F15: custom privileges and roles at several levels: the right to delete is separate from the right to edit")
    func customPrivileges() throws {
        try withStore(.open) { (fixture) throws in
            var settings = ClassSettings()
            settings.privileges = ["publish"]
            try fixture.commit(
                .defineClass("post", settings), .createRole("role:editors"), .createRole("role:publishers"),
                .register("user:ann"), .register("user:bob"), .addMember("user:ann", to: "role:editors"),
                .addMember("user:bob", to: "role:publishers"), .createObject("post:1", value: .null),
                .grant("role:editors", on: "post:1", ["read", "update"]),
                .grant("role:publishers", on: "post:1", ["read", "delete", "publish"]))
            #expect(try fixture.privileges("user:ann", "post:1") == ["read", "update"])
            #expect(try fixture.privileges("user:bob", "post:1") == ["delete", "publish", "read"])
            #expect(try fixture.refusal(.deleteObject("post:1"), as: "user:ann")?.code == .noPrivilege)
            #expect(try fixture.refusal(.writeObject("post:1", .value(.null)), as: "user:bob")?.code == .noPrivilege)
            #expect(try fixture.refusal(.deleteObject("post:1"), as: "user:bob") == nil)
        }
    }
}

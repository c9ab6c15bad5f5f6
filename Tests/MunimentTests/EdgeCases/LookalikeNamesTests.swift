import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Similar property names are distinguished by their bytes, from the write to the query")
struct LookalikeNamesTests {
    /// The letter `é` as one code point and as two.
    private static let (one, two) = ("\u{E9}", "e\u{301}")

    private func prepare(_ fixture: StoreFixture) throws {
        try fixture.commit(
            .defineClass("doc", ClassSettings(privileges: [], properties: [Self.one, Self.two])), .register("user:ann"),
            .createObject("doc:1", value: .object([Self.one: .integer(1), Self.two: .integer(2)])),
            .createObject("doc:2", value: .object([Self.one: .integer(2), Self.two: .integer(1)])),
            .createObject("doc:3", value: .object([Self.two: .object([Self.one: .null])])))
    }

    private func find(_ condition: Condition?, order: [Query.Order] = [], _ fixture: StoreFixture) throws -> [String] {
        try fixture.store.read {
            try $0.query(Query("doc", where: condition, order: order), as: "user:root").objects
        }
    }

    @Test("A value has both members, a patch changes only the named one, and the log contains the bytes")
    func values() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(.writeObject("doc:1", .merge(.object([Self.two: .null, "x": .object([Self.one: .integer(1)])]))))
            try fixture.commit(.writeObject("doc:1", .merge(.object(["x": .object([Self.two: .integer(2)])]))))
            for _ in 0..<2 {
                let value = try fixture.store.read { try $0.value(of: "doc:1", as: "user:root") }
                #expect(
                    value == .object([Self.one: .integer(1), "x": .object([Self.one: .integer(1), Self.two: .integer(2)])]))
                try fixture.reopenWithoutIndex()
            }
            guard case .objectWritten(let event)? = try fixture.commits().last?.events.last else { return #expect(Bool(false)) }
            #expect(event.value == Array("{\"x\":{\"e\u{301}\":2,\"\u{E9}\":1},\"\u{E9}\":1}".utf8))
        }
    }

    @Test("A write that changes only the spelling of a name is a change")
    func otherSpelling() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1", value: .object([Self.one: .string(Self.one)])))
            let head = try fixture.head
            try fixture.commit(.writeObject("doc:1", .value(.object([Self.one: .string(Self.one)]))))
            #expect(try fixture.head == head)
            try fixture.commit(.writeObject("doc:1", .value(.object([Self.two: .string(Self.one)]))))
            try fixture.commit(.writeObject("doc:1", .value(.object([Self.two: .string(Self.two)]))))
            #expect(try fixture.head == head.next.next)
        }
    }

    @Test("Conditions and orders apply to exactly one of the properties, with and without the index")
    func queries() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            for _ in 0..<2 {
                #expect(try find(.compare(Self.one, .equal, .integer(1)), fixture) == ["doc:1"])
                #expect(try find(.compare(Self.two, .equal, .integer(1)), fixture) == ["doc:2"])
                #expect(
                    try find(.all([.compare(Self.one, .equal, .integer(2)), .compare(Self.two, .equal, .integer(2))]), fixture)
                        == [])
                #expect(
                    try find(.any([.compare(Self.one, .less, .integer(2)), .compare(Self.two, .less, .integer(2))]), fixture)
                        == ["doc:1", "doc:2"])
                #expect(try find(nil, order: [.ascending(Self.one)], fixture) == ["doc:3", "doc:1", "doc:2"])
                #expect(try find(nil, order: [.ascending(Self.two)], fixture) == ["doc:2", "doc:1", "doc:3"])
                #expect(
                    try find(nil, order: [.ascending(Self.two), .ascending(Self.one)], fixture) == ["doc:2", "doc:1", "doc:3"])
                #expect(try find(.compare(Self.two, .equal, .object([Self.one: .null])), fixture) == ["doc:3"])
                #expect(try find(.compare(Self.two, .equal, .object([Self.two: .null])), fixture) == [])
                try fixture.reopenWithoutIndex()
            }
        }
    }

    @Test("After a class replaces one property by the other, queries find only the new one")
    func classes() throws {
        try withStore(.open) { (fixture) throws in
            try prepare(fixture)
            try fixture.commit(.changeClass("doc", ClassSettings(properties: [Self.one])))
            let head = try fixture.head
            try fixture.commit(.changeClass("doc", ClassSettings(properties: [Self.two])))
            #expect(try fixture.head == head.next)
            #expect(try find(.compare(Self.two, .equal, .integer(1)), fixture) == ["doc:2"])
            let refusal = #expect(throws: Refusal.self) { try find(.compare(Self.one, .equal, .integer(1)), fixture) }
            #expect(refusal?.code == .malformed)
        }
    }

    @Test("A path leads to the member with the same bytes")
    func paths() {
        let (before, after): (JSONValue, JSONValue) = (
            .object([Self.one: .integer(1), Self.two: .integer(2)]), .object([Self.one: .integer(1), Self.two: .integer(3)])
        )
        #expect(before.value(at: [Self.two]) == .integer(2))
        #expect(JSONPath([Self.one]) != JSONPath([Self.two]))
        #expect(after.value(at: JSONPath(Self.two)) == .integer(3))
    }
}

import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Queries over the objects that a caller may access")
struct RandomQueryTests {
    static let runs = max(4, TestSettings.historyCount / 10)

    @Test(
        "F15: at any revision a query finds the same objects as a check of every object, page by page, each once",
        arguments: 0..<UInt64(runs))
    func comparison(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 80_000 &+ number
        try withStore { fixture in
            var run = QueryRun(seed: seed, fixture: fixture)
            try run.build(steps: 60)
            for _ in 0..<40 { try run.compare() }
            try fixture.reopenWithoutIndex()
            for _ in 0..<10 { try run.compare() }
            let report = try fixture.whileClosed { try Store.verify(at: fixture.path) }
            #expect(report.problems == [], "seed \(seed)")
        }
    }
}

/// A store with random objects and grants, for random queries.
struct QueryRun {
    let seed: UInt64
    let fixture: StoreFixture
    private var random: SplitMix64

    private let users: [Name] = ["user:ann", "user:ben", "user:root", "user:nobody", "anonymous"]
    private let properties = ["year", "title", "tags"]
    private var declared = ["year", "title"]
    private var count = 0

    init(seed: UInt64, fixture: StoreFixture) {
        self.seed = seed
        self.fixture = fixture
        random = SplitMix64(seed: seed)
    }

    mutating func build(steps: Int) throws {
        var settings = ClassSettings()
        settings.properties = declared
        settings.inherits = random.chance(percent: 50) ? .everything : nil
        settings.objectACL = random.chance(percent: 20) ? ObjectACL.none : .required
        settings.readThroughLinks = random.chance(percent: 20)
        settings.composition = random.chance(percent: 20) ? .widening : .narrowing
        var folders = ClassSettings()
        folders.inherits = .everything
        let open: [Change] = [.store, .class("doc"), .class("folder")].map {
            .grant(.everyone, on: $0, ["read", "query", "update"])
        }
        try fixture.commit(
            .defineClass("folder", folders), .defineClass("doc", settings), .createRole("role:team"), .createRole("role:all"),
            .register("user:ann"), .register("user:ben"), .addMember("user:ann", to: "role:team"),
            .addMember("role:team", to: "role:all"), .createObject("folder:1"), open[0], open[1], open[2])
        for _ in 0..<steps { _ = try fixture.refusal(of: (0..<random.number(1...4)).map { _ in change() }) }
    }

    private mutating func change() -> Change {
        switch random.number(0...99) {
        case 0..<35:
            count += 1
            let parent: Name? = random.one(of: [nil, nil, "folder:1", Name("doc:\(random.number(1...max(1, count)))")])
            return .createObject(Name("doc:\(count)"), parent: parent, value: value())
        case 35..<50: return .writeObject(document(), random.chance(percent: 50) ? .value(value()) : .merge(value()))
        case 50..<75: return .grant(subject(), on: target(), random.some(1...3, of: ["read", "query", "update"]))
        case 75..<83: return .revoke(subject(), on: target())
        case 83..<90: return .deleteObject(document())
        case 90..<93: return .moveObject(document(), parent: random.one(of: [nil, "folder:1", document()]))
        case 93..<96: return .createObject(document(), value: value())
        default:
            declared = random.some(0...3, of: properties)
            var settings = ClassSettings()
            settings.properties = declared
            return .changeClass("doc", settings)
        }
    }

    private mutating func document() -> Name { Name("doc:\(random.number(1...max(1, count)))") }
    private mutating func target() -> Name { random.one(of: [document(), document(), document(), "folder:1"]) }
    private mutating func subject() -> Name {
        random.one(of: ["user:ann", "user:ben", "role:team", "role:all", .everyone, .anonymous])
    }

    private mutating func value() -> JSONValue {
        var members: JSONObject = [:]
        for property in properties where random.chance(percent: 75) { members[property] = scalar() }
        if random.chance(percent: 20) { members["link"] = .object(["$ref": .string(document().text)]) }
        return .object(members)
    }

    private mutating func scalar() -> JSONValue {
        switch random.number(0...11) {
        case 0...4: .integer(Int64(random.number(2018...2024)))
        case 5: .number(Double(random.number(4036...4048)) / 2)
        case 6...8: .string(random.one(of: ["Ash", "Ashes", "Beech", "Birch", "", "Ash\0"]))
        case 9: .string(String(repeating: "y", count: 210) + random.one(of: ["", "a", "b"]))
        case 10: .array([.integer(1)])
        default: random.one(of: [.null, .bool(true), .bool(false)])
        }
    }

    private mutating func condition(_ depth: Int) -> Condition {
        let property = random.one(of: declared.isEmpty ? ["year"] : declared)
        switch random.number(0...(depth > 0 ? 8 : 5)) {
        case 0...3: return .compare(property, random.one(of: Condition.Comparison.allCases), scalar())
        case 4, 5: return .hasPrefix(property, random.one(of: ["A", "Ash", "B", "", String(repeating: "y", count: 205)]))
        case 6, 7: return .all((0..<random.number(1...3)).map { _ in condition(depth - 1) })
        default: return .any((0..<random.number(1...3)).map { _ in condition(depth - 1) })
        }
    }

    mutating func compare() throws {
        let head = try fixture.head.rawValue
        let revision = Revision(random.chance(percent: 50) ? head : UInt64(random.number(1...Int(head))))
        try fixture.store.read(at: .revision(revision)) { snapshot in
            // A query can name only the fields that the class has at that revision.
            declared = try snapshot.propertiesNamed(among: properties, asking: "user:root")
            var query = Query("doc", where: declared.isEmpty || random.chance(percent: 20) ? nil : condition(2))
            query.order = random.some(0...2, of: declared).map { random.chance(percent: 50) ? .ascending($0) : .descending($0) }
            query.limit = random.one(of: [nil, 1, 2, 3, 7, 100])
            let caller = random.one(of: users)
            guard caller != .anonymous else {
                #expect(throws: Refusal.self) { try snapshot.query(query, as: caller) }
                return
            }
            let expected = try snapshot.lookingAtEverything(query, as: caller, among: count)
            let found = try snapshot.allPages(of: query, as: caller)
            #expect(found == expected, "seed \(seed), revision \(revision), \(caller): \(query)")
        }
    }
}

extension Snapshot {
    fileprivate func propertiesNamed(among properties: [String], asking caller: Name) throws -> [String] {
        try properties.filter { property in
            do {
                _ = try query(Query("doc", order: [.ascending(property)]), as: caller)
                return true
            } catch let refusal as Refusal where refusal.code == .malformed {
                return false
            }
        }
    }

    /// Returns the expected result of a query, in order, by a check of every possible object.
    fileprivate func lookingAtEverything(_ query: Query, as caller: Name, among count: Int) throws -> [String] {
        var found: [(name: Name, keys: [JSONValue], number: UInt64)] = []
        for index in 1...max(1, count) {
            let name = Name("doc:\(index)")
            guard try check(caller, ["read", "query"], on: name).isAllowed else { continue }
            let value = try value(of: name, as: "user:root")
            guard query.condition?.matches(value) ?? true, let number = try objectID(name)?.rawValue else { continue }
            found.append((name, query.order.map { value[$0.property] ?? .null }, number))
        }
        return found.sorted { left, right in
            for (index, order) in query.order.enumerated() {
                let (a, b) = (left.keys[index].rank, right.keys[index].rank)
                if a != b { return (a < b) != order.isDescending }
            }
            return (left.number < right.number) != (query.order.first?.isDescending ?? false)
        }.map(\.name.text)
    }

    fileprivate func allPages(of query: Query, as caller: Name) throws -> [String] {
        var page = try self.query(query, as: caller)
        var found = page.objects
        while let cursor = page.next {
            #expect(page.objects.count == query.limit)
            // Converts the cursor to text and back, as a service does.
            page = try self.query(query, as: caller, after: QueryCursor(cursor.description))
            found += page.objects
        }
        return found
    }
}

/// The position of a value in the sort order, computed without the keys of the index.
private struct Rank: Comparable {
    let kind: Int
    let number: Double
    let text: [UInt8]

    static func < (left: Rank, right: Rank) -> Bool {
        if left.kind != right.kind { return left.kind < right.kind }
        if left.number != right.number { return left.number < right.number }
        return left.text.lexicographicallyPrecedes(right.text)
    }
}

extension JSONValue {
    fileprivate var rank: Rank {
        switch self {
        case .null: Rank(kind: 0, number: 0, text: [])
        case .bool(let value): Rank(kind: 1, number: value ? 1 : 0, text: [])
        case .integer(let value): Rank(kind: 2, number: Double(value), text: [])
        case .number(let value): Rank(kind: 2, number: value, text: [])
        case .string(let text): Rank(kind: 3, number: 0, text: Array(text.utf8.prefix(200)) + (text.utf8.count > 200 ? [0] : []))
        case .array: Rank(kind: 4, number: 0, text: [])
        case .object: Rank(kind: 5, number: 0, text: [])
        }
    }
}

import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Limits: the largest permitted input is accepted, one more is refused as tooLarge")
struct LimitTests {
    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private func check(_ preparation: Change..., fits: Change, exceeds: Change) throws {
        try withStore { (fixture) throws in
            #expect(try fixture.refusal(of: [.defineClass("doc")] + preparation) == nil)
            #expect(try fixture.refusal(fits) == nil)
            let head = try fixture.head
            #expect(try fixture.refusal(exceeds)?.code == .tooLarge)
            #expect(try fixture.head == head)
        }
    }

    @Test("An id has at most idBytes bytes, counted in UTF-8")
    func idBytes() throws {
        let (fits, exceeds) = (text(Limits.idBytes), text(Limits.idBytes + 1))
        try check(fits: .createObject(Name("doc:" + fits)), exceeds: .createObject(Name("doc:" + exceeds)))
        try check(fits: .createRole(.role(fits)), exceeds: .createRole(.role(exceeds)))
        try check(fits: .register(Name("user:" + fits)), exceeds: .register(Name("user:" + exceeds)))
        let umlauts = String(repeating: "ü", count: Limits.idBytes / 2)
        try check(fits: .createObject(Name("doc:" + umlauts)), exceeds: .createObject(Name("doc:" + umlauts + "x")))
    }

    @Test("Names at the limit are distinguished and found again, even after a rebuild of the index")
    func longNames() throws {
        try withStore { (fixture) throws in
            let names = ["a", "b"].map { Name("doc:" + text(Limits.idBytes - 1) + $0) }
            try fixture.commit(
                .defineClass("doc"), .createObject(names[0], value: .integer(0)), .createObject(names[1], value: .integer(1)))
            try fixture.reopenWithoutIndex()
            for (number, name) in names.enumerated() {
                #expect(try fixture.store.read { try $0.value(of: name, as: "user:root") } == .integer(Int64(number)))
            }
            #expect(try fixture.store.read { try $0.objects(for: "user:root", with: ["read"]) } == names.map(\.text))
        }
    }

    @Test("The name of a class has at most classNameBytes bytes, that of a privilege or property symbolBytes")
    func symbols() throws {
        let size = Limits.classNameBytes
        try check(fits: .defineClass(text(size)), exceeds: .defineClass(text(size + 1)))
        let (fits, exceeds) = ([text(Limits.symbolBytes)], [text(Limits.symbolBytes + 1)])
        try check(
            fits: .changeClass("doc", ClassSettings(privileges: fits)),
            exceeds: .changeClass("doc", ClassSettings(privileges: exceeds)))
        try check(
            fits: .changeClass("doc", ClassSettings(properties: fits)),
            exceeds: .changeClass("doc", ClassSettings(properties: exceeds)))
    }

    @Test("A store has at most 24 custom privileges, a class names at most propertiesPerClass properties")
    func counts() throws {
        let privileges = (0...Privileges.customLimit).map { "privilege \($0)" }
        try check(
            fits: .changeClass("doc", ClassSettings(privileges: Array(privileges.dropLast()))),
            exceeds: .defineClass("box", ClassSettings(privileges: Array(privileges.suffix(1)))))
        let properties = (0...Limits.propertiesPerClass).map { "property \($0)" }
        try check(
            fits: .changeClass("doc", ClassSettings(properties: Array(properties.dropLast()))),
            exceeds: .changeClass("doc", ClassSettings(properties: properties)))
    }

    @Test("All 32 privileges can be granted, revoked one by one, and can expire")
    func allPrivileges() throws {
        try withStore(.open) { (fixture) throws in
            let custom = (0..<Privileges.customLimit).map { "privilege \($0)" }
            let all = (Privileges.builtInNames + custom).sorted()
            try fixture.commit(
                .defineClass("doc", ClassSettings(privileges: custom)), .createObject("doc:1"), .register("user:ann"))
            try fixture.commit(.grant("user:ann", on: "doc:1", all, until: .newYear.later(seconds: 10)))
            #expect(try fixture.privileges("user:ann", "doc:1") == all)
            try fixture.commit(.revoke("user:ann", on: "doc:1", ["read"]), .grant("user:ann", on: "doc:1", ["query"]))
            #expect(try fixture.privileges("user:ann", "doc:1") == all.filter { $0 != "read" })
            fixture.clock.advance(seconds: 10)
            try fixture.commit(.createRole("role:r"))
            #expect(try fixture.privileges("user:ann", "doc:1") == ["query"])
        }
    }

    @Test("A value has at most valueBytes bytes as JSON, valueDepth levels and linksPerValue links")
    func values() throws {
        func write(_ value: JSONValue) -> Change { .writeObject("doc:1", .value(value)) }
        func nested(_ depth: Int) -> JSONValue { (0..<depth).reduce(.null) { value, _ in .array([value]) } }
        func links(_ count: Int) -> JSONValue { .array((0..<count).map { .object(["$ref": .string("doc:\($0)")]) }) }
        let bytes = Limits.valueBytes - 2
        try check(.createObject("doc:1"), fits: write(.string(text(bytes))), exceeds: write(.string(text(bytes + 1))))
        try check(.createObject("doc:1"), fits: write(nested(Limits.valueDepth)), exceeds: write(nested(Limits.valueDepth + 1)))
        try check(.createObject("doc:1"), fits: write(links(Limits.linksPerValue)), exceeds: write(links(Limits.linksPerValue + 1)))
    }

    @Test("A patch cannot make a value larger than the limit")
    func patches() throws {
        try withStore { (fixture) throws in
            let half = JSONValue.string(text(Limits.valueBytes * 2 / 3))
            try fixture.commit(.defineClass("doc"), .createObject("doc:1", value: .object(["a": half])))
            #expect(try fixture.refusal(.writeObject("doc:1", .merge(.object(["b": half]))))?.code == .tooLarge)
            #expect(try fixture.refusal(.writeObject("doc:1", .merge(.object(["a": .null, "b": half])))) == nil)
        }
    }

    @Test("A transaction has at most changesPerTransaction changes and bytesPerCommit bytes of values")
    func transactions() throws {
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"))
            let changes = [Change](repeating: .register("user:ann"), count: Limits.changesPerTransaction + 1)
            #expect(try fixture.refusal(of: changes)?.code == .tooLarge)
            #expect(try fixture.refusal(of: changes.dropLast()) == nil)
            let value = JSONValue.string(text(Limits.valueBytes - 2))
            let large = (0...Limits.bytesPerCommit / Limits.valueBytes).map { Change.createObject(Name("doc:\($0)"), value: value) }
            let refusal = try fixture.refusal(of: large)
            #expect(refusal?.code == .tooLarge)
            #expect(refusal?.change == large.count - 1)
            #expect(try fixture.head == Revision(2))
        }
    }

    @Test("An object has at most depthOfParents ancestors, for every way to create or move it")
    func depth() throws {
        try withStore { (fixture) throws in
            var changes: [Change] = [.defineClass("doc"), .createObject("doc:0"), .createObject("doc:beside")]
            for number in 1...Limits.depthOfParents {
                changes.append(.createObject(Name("doc:\(number)"), parent: Name("doc:\(number - 1)")))
            }
            #expect(try fixture.refusal(of: changes) == nil)
            let deepest = Name("doc:\(Limits.depthOfParents)")
            #expect(try fixture.refusal(.createObject("doc:more", parent: deepest))?.code == .tooLarge)
            #expect(try fixture.refusal(.moveObject("doc:beside", parent: deepest))?.code == .tooLarge)
            try fixture.commit(.grant(.everyone, on: "doc:0", ["read"]), .changeClass("doc", ClassSettings(inherits: .everything)))
            try fixture.commit(
                .grant(.everyone, on: .store, ["read"]), .grant(.everyone, on: .class("doc"), ["read"]))
            #expect(try fixture.may("user:ann", "read", deepest))
        }
    }

    @Test("An object has at most permissionsPerObject permissions attached")
    func attachments() throws {
        try withStore { (fixture) throws in
            let permissions = (0...Limits.permissionsPerObject).map { Name.permission("\($0)") }
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            #expect(try fixture.refusal(of: permissions.map { .definePermission($0, subject: .everyone, ["read"]) }) == nil)
            let attachments = permissions.map { Change.attachPermission($0, to: "doc:1") }
            #expect(try fixture.refusal(of: attachments)?.change == Limits.permissionsPerObject)
            #expect(try fixture.refusal(of: attachments.dropLast()) == nil)
        }
    }

    @Test("A value far beyond the limits is refused, wherever its bytes are")
    func hugeValues() throws {
        let long = JSONValue.string(text(2 << 20))
        let values: [JSONValue] = [
            long, .array([.integer(1), long]), .object([text(2 << 20): .null]), .object(["a": .array([.object(["b": long])])]),
            .array(Array(repeating: .null, count: Limits.valueBytes)), .array(Array(repeating: .string(text(1000)), count: 2000)),
        ]
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            for value in values { #expect(try fixture.refusal(.writeObject("doc:1", .value(value)))?.code == .tooLarge) }
            let escaped = JSONValue.string(String(repeating: "\u{1}", count: Limits.valueBytes / 6))
            #expect(try fixture.refusal(.writeObject("doc:1", .value(.array([escaped, .null]))))?.code == .tooLarge)
            #expect(try fixture.refusal(.writeObject("doc:1", .value(escaped))) == nil)
        }
    }

    @Test("A request id, an idempotency key and a comment have at most originBytes bytes")
    func origins() throws {
        try withStore { (fixture) throws in
            let (fits, exceeds) = (text(Limits.originBytes), text(Limits.originBytes + 1))
            for origin in [Origin(requestID: exceeds), Origin(idempotencyKey: exceeds), Origin(comment: exceeds)] {
                #expect(try fixture.refusal(.createRole("role:r"), origin: origin)?.code == .tooLarge)
            }
            let origin = Origin(requestID: fits, idempotencyKey: fits, comment: fits)
            #expect(try fixture.refusal(.createRole("role:r"), origin: origin) == nil)
        }
    }
}

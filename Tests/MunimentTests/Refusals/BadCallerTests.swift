import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Invalid callers and callers without privileges")
struct BadCallerTests {
    /// Invalid callers.
    private static let callers: [(name: Name, code: Refusal.Code)] = [
        ("role:r", .malformed), (.everyone, .malformed), (.store, .malformed), ("doc:1", .malformed), ("user:", .malformed),
        ("nobody", .malformed), ("", .malformed), ("user:a\u{0}b", .malformed), ("class:doc", .malformed),
        ("permission:p", .malformed),
        (Name("user:" + String(repeating: "x", count: 513)), .tooLarge),
    ]

    @Test(
        "F1: an invalid caller is refused for every change, and the given name is recorded", arguments: callers
    )
    func impossibleCaller(caller: Name, code: Refusal.Code) throws {
        try withStore(.open) { (fixture) throws in
            #expect(try fixture.refusal(of: World.preparation) == nil)
            let answers = try World.answers(fixture.store)
            let refusal = try fixture.refusal(.createRole("role:new"), as: caller)
            #expect(refusal?.code == code)
            #expect(refusal?.change == nil)
            #expect(refusal?.message.contains("`\(caller.excerpt)`") == true)
            #expect(try World.answers(fixture.store) == answers)
            let records = try fixture.refusals()
            #expect(records.map(\.caller) == [caller.text.prefix(utf8Bytes: Limits.refusedCallerBytes)])
            #expect(records.map(\.code) == [code.rawValue])
            #expect(records.map(\.tried?.json) == [#"{"op":"createRole","role":"role:new"}"#])
        }
    }

    @Test("A store cannot be created with an invalid administrator")
    func impossibleAdministrator() throws {
        try withTemporaryFolder { folder in
            for name: Name in ["role:r", .everyone, "", "user:", "doc:1"] {
                #expect(throws: Refusal.self) { try Store.create(at: folder + "/store", administrator: name) }
                #expect(!Store.exists(at: folder + "/store"))
            }
        }
    }

    /// Every command. An administrator could run each of them in ``World``.
    private static let commands: [Change] = [
        .defineClass("new"), .changeClass("doc", ClassSettings(composition: .widening)), .createObject("doc:new"),
        .writeObject("doc:1", .value(.null)), .moveObject("doc:leaf", parent: "doc:1"),
        .setOwner("doc:leaf", owner: "user:ann"), .grant("user:ann", on: "doc:leaf", ["update"]),
        .setAccess("user:ann", on: "doc:1", ["update"]), .revoke("user:ann", on: "doc:1"), .createRole("role:new"),
        .addMember("user:ben", to: "role:outer"), .deleteRole("role:outer"), .removeMember("user:ann", from: "role:r"),
        .register("user:new"), .definePermission("permission:new", subject: "user:ann", ["read"]),
        .changePermission("permission:p", subject: "user:ann", ["read"]), .attachPermission("permission:p", to: "doc:1"),
        .detachPermission("permission:p", from: "doc:mid"), .deleteObject("doc:leaf"), .appointAdministrator("user:ann"),
        .dismissAdministrator("thing:door"),
    ]

    @Test("The list contains every command, and an administrator may run all of them")
    func administrator() throws {
        #expect(Set(Self.commands.map(\.operation)).count == 21)
        try withStore { (fixture) throws in
            #expect(try fixture.refusal(of: World.preparation + [.appointAdministrator("thing:door")]) == nil)
            for command in Self.commands { #expect(try fixture.commit(command).revision != nil, "\(command)") }
            #expect(try fixture.store.refusalCount == 0)
        }
    }

    /// Callers without privileges, and the error code of each.
    private static let powerless: [(caller: Name, code: Refusal.Code)] = [
        (.anonymous, .notAuthenticated), ("user:ben", .noPrivilege), ("user:new", .noPrivilege), ("thing:new", .noPrivilege),
    ]

    @Test("E9: every command of a caller without the privilege is refused, with the missing privilege", arguments: powerless)
    func powerlessCaller(caller: Name, code: Refusal.Code) throws {
        try withStore { (fixture) throws in
            #expect(try fixture.refusal(of: World.preparation + [.appointAdministrator("thing:door")]) == nil)
            var isFirst = true
            var answers: [String] = []
            for (number, command) in Self.commands.enumerated() {
                let refusal = try fixture.refusal(command, as: caller)
                let isAppointment = command.operation.hasSuffix("Administrator")
                #expect(refusal?.code == (isAppointment ? .notAdministrator : code), "\(command)")
                #expect(refusal?.message.contains("`") == true)
                // A refused command leaves only the first connection of the caller.
                if isFirst { answers = try World.answers(fixture.store) }
                isFirst = false
                #expect(try World.answers(fixture.store) == answers, "\(command)")
                let record = try #require(try fixture.refusals(from: RefusalNumber(UInt64(number + 1))).first)
                #expect((record.caller, record.code) == (caller.text, refusal?.code.rawValue))
                #expect(record.tried?.json.contains("\"op\":\"\(command.operation)\"") == true)
            }
            #expect(try fixture.head == Revision(caller == .anonymous || caller == "user:ben" ? 1 : 2))
            #expect(try fixture.store.refusalCount == 21)
        }
    }

    @Test("E9: callers cannot grant privileges that they lack, and the attempt is recorded")
    func aboveOwnLevel() throws {
        try withStore { (fixture) throws in
            #expect(try fixture.refusal(of: World.preparation) == nil)
            try fixture.commit(
                .grant("user:ann", on: .store, ["setPermissions", "update"]), .grant("user:ann", on: "doc:1", ["setPermissions"]),
                .grant("user:ann", on: .class("doc"), ["setPermissions", "update"]),
                .definePermission("permission:q", subject: "user:ben", ["delete"]))
            let answers = try World.answers(fixture.store)
            let attempts: [Change] = [
                .grant("user:ben", on: "doc:1", ["delete"]), .setAccess("user:ben", on: "doc:1", ["read", "delete"]),
                .attachPermission("permission:q", to: "doc:1"),
            ]
            for attempt in attempts {
                let refusal = try fixture.refusal(attempt, as: "user:ann")
                #expect(refusal?.code == .aboveOwnLevel)
                #expect(refusal?.message.contains("`delete` on `doc:1`") == true)
            }
            #expect(try World.answers(fixture.store) == answers)
            #expect(try fixture.refusals().map(\.code) == attempts.map { _ in "aboveOwnLevel" })
        }
    }
}

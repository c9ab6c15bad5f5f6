import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Invalid input is refused with its code, is recorded, and changes nothing")
struct BadInputTests {
    /// The maximum length of a message, for a quoted text of any length.
    private static let messageBytes = 1024

    @Test(
        "E9: each row is refused with its code, quotes the text, changes no answer, and is recorded",
        arguments: BadInputTable.allCases)
    func refused(table: BadInputTable) throws {
        try withStore { (fixture) throws in
            #expect(try fixture.refusal(of: World.preparation) == nil)
            let answers = try World.answers(fixture.store)
            for (number, row) in table.rows.enumerated() {
                let refusal = try #require(try fixture.refusal(row.change), "\(row.summary)")
                #expect(refusal.code == row.code, "\(row.summary)")
                #expect(refusal.change == 0, "\(row.summary)")
                #expect(refusal.message.contains("`\(Name(row.quoted).excerpt)`"), "\(row.summary): \(refusal.message)")
                #expect(refusal.message.utf8.count <= Self.messageBytes, "\(row.summary)")
                try checkRecord(of: row, refusal, RefusalNumber(UInt64(number + 1)), in: fixture)
            }
            #expect(try World.answers(fixture.store) == answers)
            try fixture.reopenWithoutIndex()
            #expect(try World.answers(fixture.store) == answers)
            #expect(try fixture.store.refusalCount == UInt64(table.rows.count))
        }
    }

    /// Checks that the last recorded refusal is this one, and that nothing else changed.
    private func checkRecord(
        of row: BadInput, _ refusal: Refusal, _ number: RefusalNumber, in fixture: StoreFixture
    ) throws {
        #expect(try fixture.head == Revision(1), "\(row.summary)")
        let records = try fixture.refusals(from: number)
        #expect(records.count == 1, "\(row.summary)")
        let record = try #require(records.first)
        #expect(record.number == number)
        #expect(record.caller == "user:root")
        #expect(record.code == row.code.rawValue, "\(row.summary)")
        #expect(record.message == refusal.message, "\(row.summary)")
        #expect((record.change, record.changeCount) == (0, 1))
        #expect((record.head, record.time) == (Revision(1), .newYear))
        let tried = try #require(record.tried)
        let json = row.json
        #expect(tried.json == json.prefix(utf8Bytes: Limits.triedChangeBytes), "\(row.summary)")
        #expect(tried.whole?.byteCount == (json.utf8.count > Limits.triedChangeBytes ? UInt64(json.utf8.count) : nil))
    }

    @Test("E2: each row, after a valid change in the same transaction, rolls that change back", arguments: BadInputTable.allCases)
    func takenBack(table: BadInputTable) throws {
        try withStore { (fixture) throws in
            #expect(try fixture.refusal(of: World.preparation) == nil)
            let answers = try World.answers(fixture.store)
            for row in table.rows {
                let refusal = try fixture.refusal(
                    .createRole("role:new"), .grant("thing:door", on: "doc:leaf", ["read"]), row.change)
                #expect(refusal?.code == row.code, "\(row.summary)")
                #expect(refusal?.change == 2, "\(row.summary)")
            }
            #expect(try World.answers(fixture.store) == answers)
        }
    }

    @Test("The tables have rows for every command, and most codes")
    func tablesAreComplete() {
        let rows = BadInputTable.allCases.flatMap(\.rows)
        #expect(Set(rows.map(\.change.operation)).count == 21)
        // The other codes depend on the caller, on the transaction, or on limits that need many changes.
        let elsewhere: Set<Refusal.Code> = [
            .notAuthenticated, .noPrivilege, .aboveOwnLevel, .notAdministrator, .keyReused, .tooMuchWork,
        ]
        #expect(Set(rows.map(\.code)) == Set(Refusal.Code.allCases).subtracting(elsewhere))
    }

    /// Unusual but valid input. It is applied or changes nothing, and no refusal is recorded.
    private static let innocent: [Change] = [
        .grant("user:ann", on: "doc:1", []), .grant("user:ann", on: "doc:1", ["read", "read"]),
        .setAccess("user:ben", on: "doc:1", []),
        .revoke("user:ben", on: "doc:1"), .revoke("user:ann", on: "doc:1", []), .addMember("user:ann", to: "role:r"),
        .removeMember("user:ben", from: "role:r"), .register("user:ann"), .changeClass("doc", ClassSettings()),
        .moveObject("doc:mid", parent: "doc:1"), .writeObject("doc:1", .merge(.object([:]))), .appointAdministrator("user:root"),
        .dismissAdministrator("user:ann"), .attachPermission("permission:p", to: "doc:mid"),
        .detachPermission("permission:p", from: "doc:1"), .changePermission("permission:p", subject: "user:ann", ["update"]),
    ]

    @Test("A change that is already in effect, or that is empty, creates no revision and no refusal")
    func nothingToDo() throws {
        try withStore { (fixture) throws in
            #expect(try fixture.refusal(of: World.preparation) == nil)
            let answers = try World.answers(fixture.store)
            for change in Self.innocent { #expect(try fixture.commit(change).revision == nil, "\(change)") }
            #expect(try World.answers(fixture.store) == answers)
            #expect(try fixture.store.refusalCount == 0)
        }
    }
}

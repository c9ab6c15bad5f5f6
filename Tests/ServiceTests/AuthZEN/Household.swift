import Events
import Muniment
import Permissions
import ServiceSupport
import StoreSupport
import Testing

/// A shared list of chores. The application's action names are aliases. Housemates see every chore and tick their own. The landlady
/// ticks and drops all chores. A lodger only sees them.
enum Household {
    static let settingUp: [Change] = [
        .grant(.everyone, on: .store, Privileges.builtInNames),
        .defineClass(
            "chore",
            ClassSettings(
                inherits: .everything, privileges: ["sign"],
                aliases: [
                    .init("may_see", for: ["read"]), .init("may_tick", for: ["update"]), .init("may_drop", for: ["delete"]),
                    .init("may_redo", for: ["update", "delete"]),
                ])),
        .changeClass("store", ClassSettings(privileges: ["sign"])), .changeClass("class", ClassSettings(privileges: ["sign"])),
        .changeClass("user", ClassSettings(aliases: [.init("may_visit", for: ["read"])])),
        .grant(.everyone, on: .store, ["sign"]), .grant(.everyone, on: "class:chore", ["read", "update", "delete", "sign"]),
        .grant(.everyone, on: "class:user", ["read"]), .grant(.everyone, on: "class:class", ["read"]),
        .grant(.everyone, on: "class:store", ["read"]),
        .register("user:ann"), .register("user:ben"), .register("user:lia"), .register("user:max"), .register("thing:oven"),
        .createRole("role:housemates"), .createRole("role:house"), .addMember("role:housemates", to: "role:house"),
        .addMember("user:ann", to: "role:housemates"), .addMember("user:ben", to: "role:housemates"),
        .addMember("user:lia", to: "role:house"),
        .createObject("chore:list"), .createObject("chore:dishes", parent: "chore:list"),
        .createObject("chore:stairs", parent: "chore:list"),
        .grant("role:house", on: "chore:list", ["read"]), .grant("user:max", on: "chore:list", ["read", "update", "delete"]),
        .grant("user:ann", on: "chore:dishes", ["update"]), .grant("user:ben", on: "chore:stairs", ["update"]),
        .createObject("chore:notice"), .grant(.everyone, on: "chore:notice", ["read"]),
        .createObject("chore:bell"), .grant(.anonymous, on: "chore:bell", ["read"]),
    ]

    /// Sets up a store of a service over HTTP.
    static func settleIn(_ fixture: ServiceFixture, store: String) async throws {
        var writer = JSONWriter()
        writer.writeList(settingUp) { $1.write(into: &$0) }
        let answer = try await fixture.direct.send(
            "POST", "/v1/stores/\(store)/transactions", token: try fixture.administrator(),
            json: "{\"as\":\"user:root\",\"do\":\(writer.text)}")
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// Makes a store of the household. Anonymous callers may also use their privileges at the store and class levels.
    static func with(_ body: (StoreFixture) throws -> Void) throws {
        try withStore { fixture in
            try fixture.store.commit(Transaction("user:root", settingUp))
            try fixture.commit(.grant(.anonymous, on: .store, ["read"]), .grant(.anonymous, on: "class:chore", ["read"]))
            try body(fixture)
        }
    }
}

import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

/// One cell of the document's three tables: a privilege at a level, enabled or disabled, and its meaning.
struct Cell: Sendable, CustomTestStringConvertible {
    typealias Story = @Sendable (PermissionTable) throws -> Void

    let level: PermissionLevel
    let privilege: String
    let isEnabled: Bool
    /// The document's text, in Muniment's terms.
    let meaning: String
    /// The permitted and the refused actions, in a store that gives everything else to `role:my-role`.
    let story: Story

    var testDescription: String { "\(privilege) \(isEnabled ? "ENABLED" : "DISABLED"): \(meaning)" }

    /// Creates a store. The role has everything at all levels, except this privilege at the level that disables it.
    func check() throws {
        try withStore { fixture in
            let table = try PermissionTable(fixture)
            if !isEnabled { try table.take(privilege, at: level) }
            try story(table)
        }
    }
}

/// A store with a role, `role:my-role`, and its member `user:ann`. The role has everything at the store level, on the class
/// `Person` and on the object `Person:1`. `user:bob` has nothing.
struct PermissionTable {
    let fixture: StoreFixture

    static let person = PermissionLevel.class("Person")
    static let object = PermissionLevel.object("Person:1")

    init(_ fixture: StoreFixture) throws {
        self.fixture = fixture
        let upper: [Name] = [.store, "class:store", "class:class", "class:Person"]
        try fixture.commit(
            .defineClass("Person", ClassSettings(properties: ["name"])), .register("user:ann"), .register("user:bob"),
            .createRole("role:my-role"), .addMember("user:ann", to: "role:my-role"),
            .createObject("Person:1", value: .object(["name": .string("Ada")])))
        for level in upper + ["Person:1"] { try fixture.commit(.grant("role:my-role", on: level, Privileges.builtInNames)) }
    }

    /// Removes a privilege of the role at a level.
    func take(_ privileges: String..., at level: PermissionLevel) throws {
        try fixture.commit(.revoke("role:my-role", on: level.name, privileges))
    }

    /// Gives the role a privilege at a level.
    func give(_ privilege: String, at level: PermissionLevel) throws {
        try fixture.commit(.grant("role:my-role", on: level.name, [privilege]))
    }

    /// Returns why some changes of a member of the role are refused, or nil if they are not.
    func refusal(_ changes: Change...) throws -> Refusal.Code? { try fixture.refusal(of: changes, as: "user:ann")?.code }

    /// Whether a member of the role can read an object's value.
    func canRead(_ object: Name = "Person:1") throws -> Bool {
        do {
            _ = try fixture.store.read { try $0.value(of: object, as: "user:ann") }
            return true
        } catch let refusal as Refusal where refusal.code == .noPrivilege {
            return false
        }
    }

    /// The result of a class query by a member of the role; nil if it is refused.
    func query(_ className: String = "Person") throws -> [String]? {
        do { return try fixture.store.read { try $0.list(class: className, as: "user:ann") } } catch let refusal as Refusal
            where refusal.code == .noPrivilege
        {
            return nil
        }
    }

    static let write = Change.writeObject("Person:1", .merge(.object(["name": .string("Eve")])))
    static let create = Change.createObject("Person:2", value: .object(["name": .string("Bea")]))
    static let share = Change.grant("user:bob", on: "Person:1", ["read"])
    static let shareClass = Change.grant("user:bob", on: "class:Person", ["read"])
    static let shareStore = Change.grant("user:bob", on: .store, ["read"])
    static let addClass = Change.defineClass("Dog")
    static let addProperty = Change.changeClass("Person", ClassSettings(properties: ["name", "age"]))
}

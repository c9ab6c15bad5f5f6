import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Roles and levels: the table of the store level")
struct StoreLevelTableTests {
    @Test("R5: At the store level each privilege has the effect in the document's table", arguments: cells)
    func cell(_ cell: Cell) throws { try cell.check() }

    private static func on(_ privilege: String, _ meaning: String, _ story: @escaping Cell.Story)
        -> Cell
    {
        Cell(level: .store, privilege: privilege, isEnabled: true, meaning: meaning, story: story)
    }

    private static func off(_ privilege: String, _ meaning: String, _ story: @escaping Cell.Story)
        -> Cell
    {
        Cell(level: .store, privilege: privilege, isEnabled: false, meaning: meaning, story: story)
    }

    static let cells: [Cell] = [
        on("create", "N/A: by itself it creates nothing; the class has to give it too") { table throws in
            #expect(try table.refusal(PermissionTable.create) == nil)
            try table.take("create", at: PermissionTable.person)
            #expect(try table.refusal(.createObject("Person:3")) == .noPrivilege)
        },
        off("create", "N/A: only required for what the class gives") { table throws in
            #expect(try table.refusal(PermissionTable.create) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.write) == nil)
        },
        on("read", "the role can see the store; seeing a class is up to the class") { table throws in
            #expect(try table.canRead())
            try table.take("read", at: PermissionTable.person)
            #expect(try !table.canRead())
            #expect(try table.fixture.may("user:ann", "read", .store))
        },
        off("read", "the role cannot see anything in the store") { table throws in
            #expect(try !table.canRead())
            #expect(try table.query() == [])
            for object: Name in [.store, "class:Person", "class:class", "Person:1"] {
                #expect(try !table.fixture.may("user:ann", "read", object), "\(object)")
            }
        },
        on("update", "the role can change objects; schema and permissions have privileges of their own") { table throws in
            #expect(try table.refusal(PermissionTable.write) == nil)
            try table.take("modifySchema", "setPermissions", at: .store)
            #expect(try table.refusal(.writeObject("Person:1", .value(.string("again")))) == nil)
            #expect(try table.refusal(PermissionTable.addClass) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.share) == .noPrivilege)
        },
        // A store level without update also removes create and delete: no object can change.
        off("update", "the role cannot change anything: the store is read-only") { table throws in
            #expect(try table.canRead())
            #expect(try table.refusal(PermissionTable.write) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.create) == .noPrivilege)
            #expect(try table.refusal(.deleteObject("Person:1")) == .noPrivilege)
            let held = try table.fixture.privileges("user:ann", "Person:1")
            #expect(held == ["modifySchema", "query", "read", "setOwner", "setPermissions"])
        },
        on("delete", "N/A: by itself it deletes nothing; the object has to give it too") { table throws in
            try table.take("delete", at: PermissionTable.object)
            #expect(try table.refusal(.deleteObject("Person:1")) == .noPrivilege)
            try table.give("delete", at: PermissionTable.object)
            #expect(try table.refusal(.deleteObject("Person:1")) == nil)
        },
        off("delete", "N/A: only required for what the object gives") { table throws in
            #expect(try table.refusal(.deleteObject("Person:1")) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.write) == nil)
        },
        on("query", "N/A: by itself it queries nothing; the class has to give it too") { table throws in
            #expect(try table.query() == ["Person:1"])
            try table.take("query", at: PermissionTable.person)
            #expect(try table.query() == nil)
        },
        off("query", "N/A: only required for what the class gives") { table throws in
            #expect(try table.query() == nil)
            #expect(try table.canRead())
        },
        on("setPermissions", "the role can set store-level permissions, never higher than its own") { table throws in
            #expect(try table.refusal(PermissionTable.shareStore) == nil)
            try table.take("delete", at: .store)
            #expect(try table.refusal(.grant("user:bob", on: .store, ["delete"])) == .aboveOwnLevel)
            #expect(try table.refusal(.grant("user:bob", on: .store, ["update"])) == nil)
        },
        off("setPermissions", "the role cannot set or change store-level permissions") { table throws in
            #expect(try table.refusal(PermissionTable.shareStore) == .noPrivilege)
            #expect(try table.refusal(.revoke("role:my-role", on: .store, ["read"])) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.write) == nil)
        },
        on("modifySchema", "the role can add classes, but not properties, which are up to the class") { table throws in
            #expect(try table.refusal(PermissionTable.addClass) == nil)
            try table.take("modifySchema", at: PermissionTable.person)
            #expect(try table.refusal(PermissionTable.addProperty) == .noPrivilege)
        },
        off("modifySchema", "the role cannot modify the schema in the entire store") { table throws in
            #expect(try table.refusal(PermissionTable.addClass) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.addProperty) == .noPrivilege)
        },
    ]
}

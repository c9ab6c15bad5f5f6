import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Roles and levels: the table of the object level")
struct ObjectLevelTableTests {
    @Test("R5: At the object level each privilege has the effect in the document's table", arguments: cells)
    func cell(_ cell: Cell) throws { try cell.check() }

    private static func on(_ privilege: String, _ meaning: String, _ story: @escaping Cell.Story)
        -> Cell
    {
        Cell(level: PermissionTable.object, privilege: privilege, isEnabled: true, meaning: meaning, story: story)
    }

    private static func off(_ privilege: String, _ meaning: String, _ story: @escaping Cell.Story)
        -> Cell
    {
        Cell(level: PermissionTable.object, privilege: privilege, isEnabled: false, meaning: meaning, story: story)
    }

    static let cells: [Cell] = [
        on("create", "N/A: it creates nothing where the class does not give it") { table throws in
            try table.take("create", at: PermissionTable.person)
            #expect(try table.refusal(PermissionTable.create) == .noPrivilege)
        },
        off("create", "N/A: creating is up to the class") { table throws in
            #expect(try table.refusal(PermissionTable.create) == nil)
            #expect(try table.refusal(PermissionTable.write) == nil)
        },
        // The document's "this includes any referenced objects" is an option of a class (R12).
        on("read", "the role can see and read this object, and what it refers to where the class of that opts in") { table throws in
            try table.fixture.commit(
                .defineClass("Photo", ClassSettings(readThroughLinks: true)),
                .grant("role:my-role", on: "class:Photo", ["read"]), .createObject("Photo:1"),
                .writeObject("Person:1", .value(.object(["photo": .object(["$ref": .string("Photo:1")])]))))
            #expect(try table.canRead())
            #expect(try table.canRead("Photo:1"))
        },
        off("read", "the role cannot read or see this object") { table throws in
            #expect(try !table.canRead())
            #expect(try table.query() == [])
        },
        on("update", "the role can update properties; permissions are a special case of setPermissions") { table throws in
            try table.take("setPermissions", at: PermissionTable.object)
            #expect(try table.refusal(PermissionTable.write) == nil)
            #expect(try table.refusal(PermissionTable.share) == .noPrivilege)
        },
        off("update", "the role is not allowed to change the value of any property") { table throws in
            #expect(try table.refusal(PermissionTable.write) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.share) == nil)
        },
        on("delete", "the role can delete the object") { table throws in
            #expect(try table.refusal(.deleteObject("Person:1")) == nil)
        },
        off("delete", "the role is not allowed to delete the object") { table throws in
            #expect(try table.refusal(.deleteObject("Person:1")) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.write) == nil)
        },
        on("query", "N/A: it queries nothing where the class does not give it") { table throws in
            try table.take("query", at: PermissionTable.person)
            #expect(try table.query() == nil)
        },
        // Muniment defines more than the document here: such an object is fetched by its name and is not listed (G8).
        off("query", "N/A: querying the class is allowed as before, and reading the object too; lists leave it out") {
            table throws in
            #expect(try table.canRead())
            #expect(try table.query() == [])
            try table.fixture.commit(.createObject("Person:2"), .grant("role:my-role", on: "Person:2", ["read", "query"]))
            #expect(try table.query() == ["Person:2"])
        },
        on("setPermissions", "the role can modify the permissions of the object") { table throws in
            #expect(try table.refusal(PermissionTable.share) == nil)
            #expect(try table.fixture.entries("Person:1").map(\.subject) == ["role:my-role", "user:bob"])
            #expect(try table.refusal(.revoke("user:bob", on: "Person:1")) == nil)
        },
        off("setPermissions", "the role is not allowed to modify the permissions of the object") { table throws in
            #expect(try table.refusal(PermissionTable.share) == .noPrivilege)
            #expect(try table.refusal(.revoke("role:my-role", on: "Person:1")) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.shareClass) == nil)
        },
        on("modifySchema", "N/A: it changes no schema where the class does not give it") { table throws in
            try table.take("modifySchema", at: PermissionTable.person)
            #expect(try table.refusal(PermissionTable.addProperty) == .noPrivilege)
        },
        off("modifySchema", "N/A: the schema is up to the class and the store") { table throws in
            #expect(try table.refusal(PermissionTable.addProperty) == nil)
            #expect(try table.refusal(PermissionTable.addClass) == nil)
        },
    ]
}

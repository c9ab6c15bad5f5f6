import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Roles and levels: the table of the class level")
struct ClassLevelTableTests {
    @Test("R5: At the class level each privilege has the effect in the document's table", arguments: cells)
    func cell(_ cell: Cell) throws { try cell.check() }

    private static func on(_ privilege: String, _ meaning: String, _ story: @escaping Cell.Story)
        -> Cell
    {
        Cell(level: PermissionTable.person, privilege: privilege, isEnabled: true, meaning: meaning, story: story)
    }

    private static func off(_ privilege: String, _ meaning: String, _ story: @escaping Cell.Story)
        -> Cell
    {
        Cell(level: PermissionTable.person, privilege: privilege, isEnabled: false, meaning: meaning, story: story)
    }

    static let cells: [Cell] = [
        on("create", "the role can create objects, and without update modify new ones in the transaction that creates them") {
            table in
            try table.take("update", at: PermissionTable.person)
            let name = JSONValue.object(["name": .string("Cleo")])
            #expect(try table.refusal(PermissionTable.create, .writeObject("Person:2", .merge(name))) == nil)
            #expect(try table.fixture.store.read { try $0.value(of: "Person:2", as: "user:root") } == name)
            #expect(try table.refusal(.writeObject("Person:2", .merge(name))) == .noPrivilege)
        },
        off("create", "the role cannot create objects of this type") { table throws in
            #expect(try table.refusal(PermissionTable.create) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.addClass) == nil)
        },
        on("read", "the role can see objects of this type") { table throws in
            #expect(try table.canRead())
            #expect(try table.query() == ["Person:1"])
        },
        off("read", "the role sees no object of this type; it may query them, and the result is empty") { table throws in
            #expect(try !table.canRead())
            #expect(try table.query() == [])
        },
        on("update", "the role can change properties of objects") { table throws in
            #expect(try table.refusal(PermissionTable.write) == nil)
        },
        off("update", "the role cannot make any change to properties") { table throws in
            #expect(try table.refusal(PermissionTable.write) == .noPrivilege)
            #expect(try table.refusal(.deleteObject("Person:1")) == nil)
        },
        on("delete", "N/A: by itself it deletes nothing; the object has to give it too") { table throws in
            try table.take("delete", at: PermissionTable.object)
            #expect(try table.refusal(.deleteObject("Person:1")) == .noPrivilege)
            // If the class has no object ACLs, access to its objects, including delete, is the access to the class.
            try table.fixture.commit(.changeClass("Person", ClassSettings(objectACL: ObjectACL.none)))
            #expect(try table.refusal(.deleteObject("Person:1")) == nil)
        },
        off("delete", "N/A: only required for what the object gives") { table throws in
            #expect(try table.refusal(.deleteObject("Person:1")) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.write) == nil)
        },
        on("query", "the role is allowed to query this type at the server") { table throws in
            #expect(try table.query() == ["Person:1"])
        },
        off("query", "the role is not allowed to query this type; fetching one object by its name goes on working") {
            table throws in
            #expect(try table.query() == nil)
            #expect(try table.canRead())
        },
        on("setPermissions", "the role can set class-level permissions for the class") { table throws in
            #expect(try table.refusal(PermissionTable.shareClass) == nil)
            try table.take("delete", at: PermissionTable.person)
            #expect(try table.refusal(.grant("user:bob", on: "class:Person", ["delete"])) == .aboveOwnLevel)
        },
        // The class level narrows the access of an object: its permissions cannot be set either.
        off("setPermissions", "the role cannot set class-level permissions for the class") { table throws in
            #expect(try table.refusal(PermissionTable.shareClass) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.share) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.shareStore) == nil)
        },
        on("modifySchema", "the role can add properties to this class") { table throws in
            #expect(try table.refusal(PermissionTable.addProperty) == nil)
            try table.take("modifySchema", at: .store)
            #expect(try table.refusal(.changeClass("Person", ClassSettings(properties: ["name"]))) == .noPrivilege)
        },
        off("modifySchema", "the role cannot modify the schema for this class; adding classes is up to the store level") {
            table throws in
            #expect(try table.refusal(PermissionTable.addProperty) == .noPrivilege)
            #expect(try table.refusal(PermissionTable.addClass) == nil)
        },
    ]
}

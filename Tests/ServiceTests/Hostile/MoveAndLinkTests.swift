import Credentials
import Events
import HTTPServer
import Permissions
import ServiceSupport
import Testing

@Suite("Hostile: a tenant who moves objects and links to objects of others")
struct MoveAndLinkTests {
    /// Eve may change `doc:salary` and its permissions, but may not read it. She has a folder and notes of her own.
    private static let world = #"""
        {"as":"user:root","do":[
        {"op":"defineClass","class":"doc","inherits":true},
        {"op":"defineClass","class":"note","creatorPrivileges":["read","update","delete","setPermissions","setOwner"]},
        {"op":"defineClass","class":"picture","readThroughLinks":true,"creatorPrivileges":["read","update","delete","setPermissions"]},
        {"op":"register","principal":"user:eve"},{"op":"register","principal":"user:vic"},{"op":"register","principal":"user:ann"},
        {"op":"grant","subject":"everyone","object":"store","privileges":["create","read","update","delete","setPermissions","setOwner"]},
        {"op":"grant","subject":"everyone","object":"class:doc","privileges":["read","update","delete","setPermissions","setOwner"]},
        {"op":"grant","subject":"everyone","object":"class:note","privileges":["create","read","update","delete","setPermissions","setOwner"]},
        {"op":"grant","subject":"everyone","object":"class:picture","privileges":["create","read","update","delete","setPermissions"]},
        {"op":"createObject","object":"doc:folder"},
        {"op":"grant","subject":"user:eve","object":"doc:folder","privileges":["read","update","delete","setPermissions","setOwner"]},
        {"op":"createObject","object":"doc:salary","value":{"mark":"secret-4711"}},
        {"op":"grant","subject":"user:eve","object":"doc:salary","privileges":["update","setPermissions"]},
        {"op":"createObject","object":"picture:plan","owner":"user:vic","value":{"mark":"secret-4711"}}]}
        """#

    private struct World {
        let curl: Curl
        let root: String
        let eve: String
        let vic: String

        init(_ fixture: ServiceFixture) async throws {
            curl = try fixture.live()
            root = try fixture.administrator()
            (eve, vic) = (try fixture.token(.act(as: "user:eve")), try fixture.token(.act(as: "user:vic")))
            let made = try await curl.send("POST", "/v1/stores/default/transactions", token: root, json: MoveAndLinkTests.world)
            #expect(made.status == 200, "\(made.text)")
        }

        /// Returns the result of a transaction: the status, and the code of a refusal.
        func commit(_ token: String, _ changes: String...) async throws -> String {
            let body = #"{"do":[\#(changes.joined(separator: ","))]}"#
            let answer = try await curl.send("POST", "/v1/stores/default/transactions", token: token, json: body)
            #expect(!answer.text.contains("secret-4711"))
            guard answer.status != 200, case .string(let code)? = try answer.json["code"] else { return "\(answer.status)" }
            return "\(answer.status) \(code)"
        }

        func read(_ object: String, _ token: String) async throws -> Int {
            try await curl.send("GET", "/v1/stores/default/objects/\(object)", token: token).status
        }
    }

    @Test("E14: moving an object below one's own folder gives no privilege that the mover lacks on the object")
    func moveBelowOwnFolder() async throws {
        try await withService { fixture in
            let world = try await World(fixture)
            let move = #"{"op":"moveObject","object":"doc:salary","parent":"doc:folder"}"#
            #expect(try await world.commit(world.eve, move) == "403 aboveOwnLevel")
            #expect(
                try await world.commit(world.eve, #"{"op":"moveObject","object":"doc:salary","parent":null}"#, move)
                    == "403 aboveOwnLevel")
            // A folder that gives nothing to Eve and everything to another user does not bypass the rule.
            let other = #"{"op":"setAccess","subject":"user:ann","object":"doc:folder","privileges":["read"]}"#
            #expect(try await world.commit(world.eve, other, move) == "403 aboveOwnLevel")
            #expect(try await world.read("doc:salary", world.eve) == 403)
            let grant = #"{"op":"grant","subject":"user:eve","object":"doc:salary","privileges":["read","delete","setOwner"]}"#
            let granted = try await world.curl.send(
                "POST", "/v1/stores/default/transactions", token: world.root, json: #"{"as":"user:root","do":[\#(grant)]}"#)
            #expect(granted.status == 200, "\(granted.text)")
            #expect(try await world.commit(world.eve, move) == "200")
        }
    }

    @Test(
        "E14: narrowing a folder, moving an object below it and widening it again gives its owner no new privilege there",
        arguments: [
            #"{"op":"setAccess","subject":"user:eve","object":"doc:new","privileges":["read","update","setPermissions"]}"#,
            #"{"op":"grant","subject":"user:ann","object":"doc:new","privileges":["read"]}"#,
            #"{"op":"attachPermission","permission":"permission:reading","object":"doc:new"}"#,
            #"{"op":"moveObject","object":"doc:new","parent":"doc:folder"}"#,
            #"{"op":"setOwner","object":"doc:new","owner":"user:eve"}"#,
        ])
    func narrowedFolder(widening: String) async throws {
        try await withService { fixture in
            let world = try await World(fixture)
            let prepared = try await world.curl.send(
                "POST", "/v1/stores/default/transactions", token: world.root,
                json: #"""
                    {"as":"user:root","do":[
                    {"op":"changeClass","class":"doc","creatorPrivileges":["read","update","setPermissions"]},
                    {"op":"definePermission","permission":"permission:reading","subject":"user:ann","privileges":["read"]},
                    {"op":"grant","subject":"everyone","object":"class:doc","privileges":["create"]}]}
                    """#)
            #expect(prepared.status == 200, "\(prepared.text)")
            let narrowing = [
                #"{"op":"createObject","object":"doc:new","owner":"user:ann"}"#,
                #"{"op":"setAccess","subject":"user:ann","object":"doc:new","privileges":[]}"#,
                #"{"op":"setAccess","subject":"user:eve","object":"doc:new","privileges":["update","setPermissions"]}"#,
            ]
            let move = #"{"op":"moveObject","object":"doc:salary","parent":"doc:new"}"#
            // In the transaction that creates the folder, its creator has the privileges that the class gives.
            #expect(
                try await world.commit(world.eve, (narrowing + [move, widening]).joined(separator: ",")) == "403 aboveOwnLevel")
            #expect(try await world.commit(world.eve, (narrowing + [widening]).joined(separator: ",")) == "200")
            #expect(try await world.read("doc:salary", world.eve) == 403)
        }
    }

    @Test("E14: a caller with read access by a link cannot grant it on the objects below, by any route")
    func readByLinkGivenOn() async throws {
        try await withService { fixture in
            let world = try await World(fixture)
            let prepared = try await world.curl.send(
                "POST", "/v1/stores/default/transactions", token: world.root,
                json: #"""
                    {"as":"user:root","do":[
                    {"op":"createObject","object":"doc:page","parent":"picture:plan","value":{"mark":"secret-4711"}},
                    {"op":"grant","subject":"user:eve","object":"picture:plan","privileges":["update","setPermissions"]},
                    {"op":"createObject","object":"note:shown","value":{"to":{"$ref":"picture:plan"}}},
                    {"op":"definePermission","permission":"permission:reading","subject":"user:eve","privileges":["read"]},
                    {"op":"grant","subject":"user:eve","object":"note:shown","privileges":["read"]}]}
                    """#)
            #expect(prepared.status == 200, "\(prepared.text)")
            #expect(try await world.read("picture:plan", world.eve) == 200)
            #expect(try await world.read("doc:page", world.eve) == 403)
            for change in [
                #"{"op":"grant","subject":"user:eve","object":"picture:plan","privileges":["read"]}"#,
                #"{"op":"setAccess","subject":"everyone","object":"picture:plan","privileges":["read"]}"#,
                #"{"op":"attachPermission","permission":"permission:reading","object":"picture:plan"}"#,
            ] {
                #expect(try await world.commit(world.eve, change) == "403 aboveOwnLevel", "\(change)")
            }
            #expect(try await world.read("doc:page", world.eve) == 403)
            // The caller may grant a privilege that it has by an entry.
            let grant = #"{"op":"grant","subject":"user:ann","object":"picture:plan","privileges":["update"]}"#
            #expect(try await world.commit(world.eve, grant) == "200")
        }
    }

    @Test("E14: a link to an object that its writer may not read is refused, by every way to write a value")
    func linkToUnreadable() async throws {
        try await withService { fixture in
            let world = try await World(fixture)
            let link = #"{"to":[{"deep":{"$ref":"picture:plan"}}]}"#
            #expect(
                try await world.commit(world.eve, #"{"op":"createObject","object":"note:a","value":\#(link)}"#) == "403 noPrivilege"
            )
            #expect(try await world.commit(world.eve, #"{"op":"createObject","object":"note:a","value":{}}"#) == "200")
            #expect(
                try await world.commit(world.eve, #"{"op":"writeObject","object":"note:a","value":\#(link)}"#) == "403 noPrivilege")
            #expect(
                try await world.commit(world.eve, #"{"op":"writeObject","object":"note:a","merge":\#(link)}"#) == "403 noPrivilege")
            let put = try await world.curl.send(
                "PUT", "/v1/stores/default/objects/note:a", token: world.eve, json: link,
                headers: [HTTPHeader("If-Match", "*")])
            #expect(put.status == 403, "\(put.text)")
            #expect(try await world.read("picture:plan", world.eve) == 403)
            // A caller who may read the picture may share it with the readers of a note.
            #expect(
                try await world.commit(
                    world.vic, #"{"op":"createObject","object":"note:v","value":\#(link)}"#,
                    #"{"op":"grant","subject":"user:eve","object":"note:v","privileges":["read"]}"#) == "200")
            #expect(try await world.read("picture:plan", world.eve) == 200)
        }
    }

    @Test("E14: a link written before its object was created or recreated does not lead to the later object")
    func linkToLaterObject() async throws {
        try await withService { fixture in
            let world = try await World(fixture)
            let early = #"{"op":"createObject","object":"note:a","value":{"to":{"$ref":"picture:later"}}}"#
            #expect(try await world.commit(world.eve, early) == "200")
            let creation = #"{"op":"createObject","object":"picture:later","value":{"mark":"secret-4711"}}"#
            #expect(try await world.commit(world.vic, creation) == "200")
            #expect(try await world.read("picture:later", world.eve) == 403)
            // Writing the same value again makes a new link.
            let again = #"{"op":"writeObject","object":"note:a","value":{"to":{"$ref":"picture:later"}}}"#
            #expect(try await world.commit(world.eve, again) == "403 noPrivilege")

            let grant = #"{"op":"grant","subject":"user:eve","object":"picture:later","privileges":["read"]}"#
            #expect(try await world.commit(world.vic, grant) == "200")
            #expect(try await world.commit(world.eve, again) == "200")
            #expect(try await world.commit(world.vic, #"{"op":"revoke","subject":"user:eve","object":"picture:later"}"#) == "200")
            #expect(try await world.read("picture:later", world.eve) == 200)
            #expect(try await world.commit(world.vic, #"{"op":"deleteObject","object":"picture:later"}"#, creation) == "200")
            #expect(try await world.read("picture:later", world.eve) == 403)
        }
    }

    @Test("E14: a caller who has used up the link quota for an object does not reduce another caller's quota")
    func roomForLinks() async throws {
        try await withService { fixture in
            let world = try await World(fixture)
            let grant = #"{"op":"grant","subject":"user:eve","object":"picture:plan","privileges":["read"]}"#
            #expect(try await world.commit(world.vic, grant) == "200")
            func note(_ name: String) -> String {
                #"{"op":"createObject","object":"note:\#(name)","value":{"to":{"$ref":"picture:plan"}}}"#
            }
            let notes = (0..<Limits.linksPerCaller).map { note("e\($0)") }.joined(separator: ",")
            #expect(try await world.commit(world.eve, notes) == "200")
            #expect(try await world.commit(world.eve, note("more")) == "413 tooLarge")
            let share = #"{"op":"grant","subject":"user:ann","object":"note:v","privileges":["read"]}"#
            #expect(try await world.commit(world.vic, note("v"), share) == "200")
            #expect(try await world.read("picture:plan", try fixture.token(.act(as: "user:ann"))) == 200)
            #expect(try await world.commit(world.eve, #"{"op":"deleteObject","object":"note:e0"}"#, note("more")) == "200")
        }
    }
}

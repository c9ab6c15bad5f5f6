import Foundation
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Owners and groups: the current user")
struct CurrentUserTests {
    @Test("G2: The first run creates the current user with a new id, and later runs use the same user")
    func firstRun() throws {
        try withTemporaryFolder { folder in
            let first = try CurrentUser(keptIn: folder + "/app/state/current-user")
            #expect(first.id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
            #expect(first.name == Name("user:" + first.id))
            #expect(try CurrentUser(keptIn: folder + "/app/state/current-user") == first)
            let other = try CurrentUser(keptIn: folder + "/app/state/other")
            #expect(other != first)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder + "/app/state").sorted() == ["current-user", "other"])
        }
    }

    @Test("G2: If several first runs happen at the same time, all get the same user")
    func concurrentFirstRuns() async throws {
        try await withTemporaryFolder { folder in
            for round in 0..<20 {
                let users = try await withThrowingTaskGroup(of: CurrentUser.self) { group in
                    for _ in 0..<16 { group.addTask { try CurrentUser(keptIn: folder + "/\(round)") } }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(users.count == 1)
                #expect(try CurrentUser(keptIn: folder + "/\(round)") == users.first)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 20)
        }
    }

    @Test("G2: A call or the file can change the current user, and later runs use that user")
    func changedByHand() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/current-user"
            let first = try CurrentUser(keptIn: path)
            let second = try CurrentUser.change(to: "847D9117-CFAF-4C16-B45B-5781ACFD1151", keptIn: path)
            #expect(second.id == "847d9117-cfaf-4c16-b45b-5781acfd1151")
            #expect(try CurrentUser(keptIn: path) == second)
            try "  2BDB0830-3250-4d43-a4c8-8ead3be44a88 \r\n".write(toFile: path, atomically: true, encoding: .utf8)
            #expect(try CurrentUser(keptIn: path).name == "user:2bdb0830-3250-4d43-a4c8-8ead3be44a88")
            // Without the file, as after a new installation, a new user is created.
            try FileManager.default.removeItem(atPath: path)
            let third = try CurrentUser(keptIn: path)
            #expect(![first, second].contains(third))
        }
    }

    static let damaged = [
        "", "\n", "ann", "847d9117-cfaf-4c16-b45b-5781acfd115", "847d9117-cfaf-4c16-b45b-5781acfd11511",
        "847d9117-cfaf-4c16-b45b-5781acfd115g", "847d9117cfaf4c16b45b5781acfd1151", "user:847d9117-cfaf-4c16-b45b-5781acfd1151",
        "847d9117-cfaf-4c16-b45b-5781acfd1151\n2bdb0830-3250-4d43-a4c8-8ead3be44a88", String(repeating: "\0", count: 37),
    ]

    @Test("G2: A file without a valid id throws an error that names it, and is unchanged", arguments: damaged)
    func damagedFile(_ contents: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/current-user"
            try contents.write(toFile: path, atomically: true, encoding: .utf8)
            let error = #expect(throws: CurrentUserError.damaged(path: path)) { try CurrentUser(keptIn: path) }
            #expect(error?.description.contains(path) == true)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == contents)
            #expect(throws: CurrentUserError.notAnID(contents)) { try CurrentUser.change(to: contents, keptIn: path) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == contents)
        }
    }

    @Test("G2: A path where no file can be created throws an error that names it")
    func unusablePath() throws {
        try withTemporaryFolder { folder in
            try "".write(toFile: folder + "/file", atomically: true, encoding: .utf8)
            for path in [folder, folder + "/file/current-user"] {
                let error = #expect(throws: CurrentUserError.self) { try CurrentUser(keptIn: path) }
                #expect(error?.description.contains(path) == true)
            }
        }
    }

    @Test("G2: A current user is known to a store from the first connection on")
    func connection() async throws {
        try await withKennel { kennel in
            let me = try CurrentUser(keptIn: kennel.fixture.path + "/../current-user")
            let rex = try await kennel.ann.create("dog:rex")
            #expect(try await refusalCode { try await rex.acl.add(me.name, .read) } == .unknownPrincipal)
            _ = try await Ownership(in: kennel.fixture.store, as: me)
            #expect(try await refusalCode { try await rex.acl.add(me.name, .read) } == nil)
            let head = try kennel.fixture.head
            _ = try await Ownership(in: kennel.fixture.store, as: me)
            #expect(try kennel.fixture.head == head)
        }
    }
}

import Credentials
import Events
import Muniment
import Permissions
import ServiceSupport
import Testing

@testable import Service

@Suite("Hostile: a tenant nests many roles and puts other users in them")
struct RoleGraphTests {
    /// Mal may create roles, as all users may. Cat and Dan are other users.
    private struct World {
        let curl: Curl
        let root: String
        let mal: String
        let cat: String

        init(_ fixture: ServiceFixture) async throws {
            curl = try fixture.live()
            root = try fixture.administrator()
            (mal, cat) = (try fixture.token(.act(as: "user:mal")), try fixture.token(.act(as: "user:cat")))
            let users = ["mal", "cat", "dan"].map { #"{"op":"register","principal":"user:\#($0)"}"# }
            let world = [#"{"op":"defineClass","class":"doc","objectACL":"none"}"#] + users
            let body = #"{"as":"user:root","do":[\#(world.joined(separator: ","))]}"#
            let made = try await curl.send("POST", "/v1/stores/default/transactions", token: root, json: body)
            #expect(made.status == 200, "\(made.text)")
        }

        /// Commits a transaction, and checks its result: the status, and the code of a refusal.
        func commit(_ token: String, _ changes: [String], is expected: String) async throws {
            let body = #"{"do":[\#(changes.joined(separator: ","))]}"#
            let answer = try await curl.send("POST", "/v1/stores/default/transactions", token: token, json: body)
            var result = "\(answer.status)"
            if answer.status != 200, case .string(let code)? = try answer.json["code"] { result += " " + code }
            #expect(result == expected, "\(answer.text)")
        }
    }

    private static func create(_ role: String) -> String { #"{"op":"createRole","role":"\#(role)"}"# }

    private static func add(_ member: String, to role: String) -> String {
        #"{"op":"addMember","role":"\#(role)","member":"\#(member)"}"#
    }

    private func withWorld(_ body: (World) async throws -> Void) async throws {
        try await withService { settings in
            _ = try? Store.create(at: settings.dataDirectory + "/default", preset: .open).close()
        } _: {
            try await body(try await World($0))
        }
    }

    @Test("E2: everyone cannot be put below more of a tenant's memberships than the limit, and other users are served meanwhile")
    func everyone() async throws {
        try await withWorld { world in
            // 60 roles, each in 60 others: more memberships than the limit.
            let (lower, upper) = ((0..<60).map { "a\($0)" }, (0..<60).map { "b\($0)" })
            try await world.commit(world.mal, (lower + upper + ["z"]).map(Self.create), is: "200")
            for low in lower {
                try await world.commit(world.mal, upper.map { Self.add("role:\(low)", to: $0) }, is: "200")
            }
            try await world.commit(world.mal, [Self.add("everyone", to: "z")], is: "200")
            try await world.commit(world.mal, [Self.add("user:cat", to: "a0")], is: "200")
            try await OrdinaryCallers(world.curl, writer: world.cat, asker: world.root).served(during: "everyone in nested roles") {
                // A lower role brings 61 memberships, itself included. 33 of them are within the limit, below `everyone` too.
                for low in lower.prefix(33) {
                    try await world.commit(world.mal, [Self.add("everyone", to: low)], is: "200")
                }
                for _ in 0..<10 {
                    for low in lower.dropFirst(33) {
                        try await world.commit(world.mal, [Self.add("everyone", to: low)], is: "413 tooLarge")
                    }
                    let left = #"{"op":"removeMember","role":"a0","member":"user:cat"}"#
                    try await world.commit(world.mal, [left, Self.add("user:cat", to: "a0")], is: "200")
                }
            }
            // Membership by others is still possible.
            try await world.commit(world.cat, [Self.create("cats"), Self.add("user:dan", to: "cats")], is: "200")
            try await world.commit(world.cat, [Self.add("everyone", to: "cats")], is: "200")
        }
    }

    @Test(
        "E2: a tenant who puts a user in as many roles as the limit allows does not prevent others from adding that user to a role")
    func fullUser() async throws {
        try await withWorld { world in
            let roles = (0...Limits.membershipsPerCreator).map { "m\($0)" }
            try await world.commit(world.mal, roles.map(Self.create), is: "200")
            for start in stride(from: 0, to: Limits.membershipsPerCreator, by: 64) {
                try await world.commit(world.mal, roles[start...].prefix(64).map { Self.add("user:dan", to: $0) }, is: "200")
            }
            try await world.commit(world.mal, [Self.add("user:dan", to: roles.last ?? "")], is: "413 tooLarge")
            try await world.commit(world.cat, [Self.create("cats"), Self.add("user:dan", to: "cats")], is: "200")
        }
    }
}

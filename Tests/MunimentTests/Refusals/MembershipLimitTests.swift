import Events
import Muniment
import Permissions
import StoreSupport
import Testing

@Suite("The limit on memberships in roles of one creator")
struct MembershipLimitTests {
    private static let limit = Limits.membershipsPerCreator

    private static func roles(_ prefix: String, _ count: Int) -> [Name] { (0..<count).map { .role("\(prefix)\($0)") } }

    private func withUsers(_ body: (StoreFixture) throws -> Void) throws {
        try withStore(.open) { (fixture) throws in
            for user: Name in ["user:mal", "user:cat", "user:dan"] { try fixture.commit(.register(user)) }
            try body(fixture)
        }
    }

    /// Adds members one after another, as far as the limit allows.
    ///
    /// - Returns: the number of memberships.
    private func add(_ memberships: [(Name, Name)], as caller: Name, _ fixture: StoreFixture) throws -> Int {
        for start in stride(from: 0, to: memberships.count, by: 60) {
            let changes = memberships[start...].prefix(60).map { Change.addMember($0, to: $1) }
            guard let refusal = try fixture.refusal(of: changes, as: caller) else { continue }
            #expect(refusal.code == .tooLarge, "\(refusal)")
            #expect(refusal.message.contains("have an administrator add this one"))
            let number = try #require(refusal.change)
            #expect(try fixture.refusal(of: Array(changes.prefix(number)), as: caller) == nil)
            return start + number
        }
        return memberships.count
    }

    @Test("E2: one creator's roles cannot fill a user: another creator and an administrator can still add it to a role")
    func direct() throws {
        try withUsers { fixture in
            let roles = Self.roles("m", Self.limit + 1)
            #expect(try fixture.refusal(of: roles.map { .createRole($0) }, as: "user:mal") == nil)
            #expect(try add(roles.map { ("user:dan", $0) }, as: "user:mal", fixture) == Self.limit)
            try fixture.commit(.createRole("role:cats"), .addMember("user:dan", to: "role:cats"), as: "user:cat")
            try fixture.commit(.addMember("user:dan", to: roles[Self.limit]))
            // The share of one member is not that of another.
            try fixture.commit(.addMember("user:cat", to: roles[0]), as: "user:mal")
        }
    }

    /// A member at the bottom of a graph of roles, where each of the lower roles is in all upper ones.
    enum Bottom: CaseIterable {
        case user, everyone, role
    }

    @Test("E2: memberships above and below a new one count together, whichever is added last", arguments: Bottom.allCases)
    func nested(bottom: Bottom) throws {
        try withUsers { fixture in
            let (lower, upper) = (Self.roles("a", 60), Self.roles("b", 60))
            let member: Name =
                switch bottom {
                case .user: "user:dan"
                case .everyone: .everyone
                case .role: "role:z"
                }
            #expect(try fixture.refusal(of: (lower + upper + ["role:z"]).map { .createRole($0) }, as: "user:mal") == nil)
            let crossed = lower.flatMap { low in upper.map { (low, $0) } }
            try fixture.commit(.createRole("role:last"), as: "user:mal")
            // From below: the member is in all lower roles first. A role that everyone is in cannot be put in another one.
            if bottom != .everyone {
                #expect(try add(lower.map { (member, $0) }, as: "user:mal", fixture) == 60)
                #expect(try add(crossed, as: "user:mal", fixture) == Self.limit - 60)
                #expect(try fixture.refusal(.addMember(member, to: "role:last"), as: "user:mal")?.code == .tooLarge)
            }
            if bottom == .role {
                // The members of the member count too.
                #expect(try fixture.refusal(.addMember("user:dan", to: "role:z"), as: "user:mal")?.code == .tooLarge)
            }
            // From above: the lower roles are in all upper ones first.
            #expect(try fixture.refusal(of: lower.map { .removeMember(member, from: $0) }, as: "user:mal") == nil)
            #expect(try add(crossed, as: "user:mal", fixture) == crossed.count)
            // Each lower role is one membership, and 60 more.
            #expect(try add(lower.map { (member, $0) }, as: "user:mal", fixture) == Self.limit / 61)
            // Commits of the member are not affected.
            try fixture.commit(.createRole("role:of-dan"), .addMember("user:cat", to: "role:of-dan"), as: "user:dan")
        }
    }

    @Test("E2: a caller can commit even if an administrator put it in more memberships than its budget of work has steps")
    func ownSubjects() throws {
        try withUsers { fixture in
            let (lower, upper) = (Self.roles("a", 750), Self.roles("b", 750))
            #expect(try fixture.refusal(of: (lower + upper).map { .createRole($0) }) == nil)
            for low in lower { #expect(try fixture.refusal(of: upper.map { .addMember(low, to: $0) }) == nil) }
            #expect(try fixture.refusal(of: lower.map { .addMember(.everyone, to: $0) }) == nil)
            try fixture.commit(.createRole("role:cats"), as: "user:cat")
            try fixture.commit(.removeMember(.everyone, from: "role:a0"))
            try fixture.commit(.addMember("user:dan", to: "role:cats"), .createRole("role:more"), as: "user:cat")
        }
    }

    @Test("Nested roles form no cycle, also if everyone is a member of one")
    func cycles() throws {
        try withUsers { fixture in
            let roles = Self.roles("r", 4)
            #expect(try fixture.refusal(of: roles.map { .createRole($0) }, as: "user:mal") == nil)
            try fixture.commit(.addMember(roles[0], to: roles[1]), .addMember(roles[1], to: roles[2]), as: "user:mal")
            for (member, role) in [(0, 0), (1, 0), (2, 0), (2, 1)] {
                let refusal = try fixture.refusal(.addMember(roles[member], to: roles[role]), as: "user:mal")
                #expect(refusal?.code == .cycle, "\(member) in \(role)")
            }
            // Memberships of the same transaction change the roles above.
            let turned: [Change] = [
                .removeMember(roles[1], from: roles[2]), .addMember(roles[2], to: roles[1]), .addMember(roles[1], to: roles[2]),
            ]
            let refusal = try fixture.refusal(of: turned, as: "user:mal")
            #expect(refusal?.code == .cycle && refusal?.change == 2)
            try fixture.commit(.addMember(.everyone, to: roles[1]), as: "user:mal")
            #expect(try fixture.refusal(.addMember(roles[2], to: roles[3]), as: "user:mal")?.code == .cycle)
            #expect(try fixture.refusal(.addMember(roles[0], to: roles[3]), as: "user:mal") == nil)
        }
    }
}

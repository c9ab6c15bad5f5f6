import Events
import Permissions

/// The names and sizes that a random history plays with: few, so that they meet often.
struct Vocabulary: Sendable {
    let users: [Name]
    /// Users that nobody registers: they come to be by calling.
    let newcomers: [Name] = ["user:new", "user:Ünal"]
    let things: [Name] = ["thing:t1"]
    let roles: [Name] = (0..<5).map { Name("role:r\($0)") }
    let permissions: [Name] = ["permission:p1", "permission:p2", "permission:p3"]
    let classes: [String]
    let builtInClasses = ["class", "role", "user", "thing", "permission", "store"]
    let objects: [Name]
    let customPrivileges = ["approve", "triage", "Ship", "über"]
    let properties = ["n", "s"]

    init(using random: inout SplitMix64) {
        users = (0..<random.number(3...6)).map { Name("user:u\($0)") }
        classes = Array(["doc", "box", "rec"].prefix(random.number(2...3)))
        var objects: [Name] = []
        for className in classes { objects += (0..<4).map { Name("\(className):\($0)") } }
        // Ids that differ in bytes only, sort apart in UTF-8 and UTF-16, or have a colon of their own.
        let odd = ["\u{E9}", "e\u{301}", "\u{FFFD}", "\u{1D11E}", "a:b", "A", "a"]
        for id in random.some(0...4, of: odd) { objects.append(Name("\(classes[0]):\(id)")) }
        self.objects = objects
    }

    /// Whoever can call.
    var callers: [Name] { users + newcomers + things }
}

/// What a history has led to if nothing of it was refused: enough to choose targets that are mostly there.
struct Expectation: Sendable {
    var objects: [Name] = []
    var roles: [Name] = []
    var permissions: [Name] = []
    var grants: [(subject: Name, object: Name)] = []
    var memberships: [(member: Name, role: Name)] = []
    var attachments: [(permission: Name, object: Name)] = []

    mutating func note(_ change: Change) {
        switch change {
        case .createObject(let object, _, _, _): objects.append(object)
        case .deleteObject(let object): objects.removeAll { $0 == object }
        case .createRole(let role): roles.append(role)
        case .deleteRole(let role): roles.removeAll { $0 == role }
        case .definePermission(let permission, _, _): permissions.append(permission)
        case .grant(let subject, let object, _, _, _), .setAccess(let subject, let object, _): grants.append((subject, object))
        case .addMember(let member, let role, _): memberships.append((member, role))
        case .attachPermission(let permission, let object): attachments.append((permission, object))
        default: break
        }
    }
}

internal import Events
public import Permissions

/// The names of a random history. There are few of them, so that transactions often use the same ones.
public struct Vocabulary: Sendable {
    package let users: [Name]
    /// Unregistered users: a call creates them.
    package let unregisteredUsers: [Name]
    package let things: [Name]
    package let roles: [Name]
    package let permissions: [Name]
    package let classes: [String]
    let builtInClasses = ["class", "role", "user", "thing", "permission", "store"]
    package let objects: [Name]
    package let customPrivileges: [String]
    let properties = ["n", "s"]
    /// The operations to generate.
    private let operations: Set<String>

    /// Creates a vocabulary with names of an application.
    ///
    /// - Parameters:
    ///   - users: at least one; an empty history registers them.
    ///   - things: devices.
    ///   - roles: roles to create, fill and delete.
    ///   - permissions: shared permissions to define, change and attach.
    ///   - objects: objects to create, change and delete; at least one. Their classes are the generated classes.
    ///   - privileges: custom privileges of the classes.
    ///   - operations: the operations in the words of the scenario format, as in `["grant", "revoke"]`; nil for all operations that
    ///     have names.
    public init(
        users: [Name], things: [Name] = [], roles: [Name] = [], permissions: [Name] = [], objects: [Name],
        privileges: [String] = [], operations: [String]? = nil
    ) {
        precondition(!users.isEmpty && !objects.isEmpty, "a history needs a user and an object at least")
        var classes: [String] = []
        for object in objects where !classes.contains(object.className) { classes.append(object.className) }
        (self.users, self.classes, self.objects, unregisteredUsers) = (users, classes, objects, users)
        // Without names of a kind, an unused name replaces them; its operations are refused or omitted.
        self.things = things.isEmpty ? users : things
        self.roles = roles.isEmpty ? ["role:none"] : roles
        self.permissions = permissions.isEmpty ? ["permission:none"] : permissions
        customPrivileges = privileges
        var allowed = operations.map { Set($0) } ?? Vocabulary.everyOperation
        if roles.isEmpty { allowed.subtract(Vocabulary.ofRoles) }
        if permissions.isEmpty { allowed.subtract(Vocabulary.ofPermissions) }
        precondition(!allowed.isDisjoint(with: Vocabulary.everyOperation), "a history needs an operation at least")
        self.operations = allowed
    }

    /// Whether an operation is generated.
    func allows(_ operation: String) -> Bool { operations.contains(operation) }

    private static let ofRoles: Set<String> = ["createRole", "deleteRole", "addMember", "removeMember"]
    private static let ofPermissions: Set<String> = [
        "definePermission", "changePermission", "attachPermission", "detachPermission",
    ]
    private static let everyOperation: Set<String> = ofRoles.union(ofPermissions).union([
        "defineClass", "changeClass", "createObject", "writeObject", "moveObject", "deleteObject", "setOwner", "grant", "setAccess",
        "revoke", "register", "appointAdministrator", "dismissAdministrator",
    ])

    /// Creates a small world with all features of a store.
    init(using random: inout SplitMix64) {
        unregisteredUsers = ["user:new", "user:Ünal"]
        things = ["thing:t1"]
        roles = (0..<5).map { Name("role:r\($0)") }
        permissions = ["permission:p1", "permission:p2", "permission:p3"]
        customPrivileges = ["approve", "triage", "Ship", "über"]
        operations = Vocabulary.everyOperation
        users = (0..<random.number(3...6)).map { Name("user:u\($0)") }
        classes = Array(["doc", "box", "rec"].prefix(random.number(2...3)))
        var objects: [Name] = []
        for className in classes { objects += (0..<4).map { Name("\(className):\($0)") } }
        // Ids that differ only in bytes, sort differently in UTF-8 and UTF-16, or contain a colon.
        let odd = ["\u{E9}", "e\u{301}", "\u{FFFD}", "\u{1D11E}", "a:b", "A", "a"]
        for id in random.some(0...4, of: odd) { objects.append(Name("\(classes[0]):\(id)")) }
        self.objects = objects
    }

    /// All possible callers.
    var callers: [Name] { users + unregisteredUsers + things }
}

/// The expected state if no step was refused: sufficient to choose mostly existing targets.
package struct Expectation: Sendable {
    package private(set) var objects: [Name] = []
    package private(set) var roles: [Name] = []
    package private(set) var permissions: [Name] = []
    package private(set) var grants: [(subject: Name, object: Name)] = []
    package private(set) var memberships: [(member: Name, role: Name)] = []
    package private(set) var attachments: [(permission: Name, object: Name)] = []

    mutating func note(_ change: Change) {
        switch change {
        case .createObject(let object, _, _, _): objects.append(object)
        case .deleteObject(let object, _): objects.removeAll { $0 == object }
        case .createRole(let role): roles.append(role)
        case .deleteRole(let role): roles.removeAll { $0 == role }
        case .definePermission(let permission, _, _): permissions.append(permission)
        case .grant(let subject, let object, _, _, _, _), .setAccess(let subject, let object, _, _):
            grants.append((subject, object))
        case .addMember(let member, let role, _): memberships.append((member, role))
        case .attachPermission(let permission, let object): attachments.append((permission, object))
        default: break
        }
    }
}

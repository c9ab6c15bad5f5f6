import Events
import Permissions
import Testing

/// A way to lose read access to an object.
struct AccessLossCase: CustomTestStringConvertible, Sendable {
    let name: String
    /// The changes that make the object readable, in an open store with classes `doc` and `top`, users and `doc:1`.
    let setup: [Change]
    let losing: [Change]
    var object: Name = "doc:1"
    var caller: Name = "user:ann"

    var testDescription: String { name }

    init(
        _ name: String, _ setup: [Change], losing: Change..., object: Name = "doc:1", caller: Name = "user:ann"
    ) {
        self.name = name
        self.setup = setup
        self.losing = losing
        self.object = object
        self.caller = caller
    }

    /// Returns the changes that restore everything that the reader may have lost.
    var regaining: [Change] {
        caller == .anonymous ? [.grant("anonymous", on: object, ["read"])] : [.register(caller), .appointAdministrator(caller)]
    }

    static let read = ["read"]
    private static func grant(_ subject: Name, on object: Name = "doc:1") -> Change { .grant(subject, on: object, read) }
    private static let link: JSONValue = .object(["see": .object(["$ref": .string("pic:1")])])
    private static let pictures: [Change] = [
        .defineClass("pic", ClassSettings(readThroughLinks: true)), .createObject("pic:1"),
        .writeObject("doc:1", .value(link)), grant("user:ann"),
    ]
    private static let below: [Change] = [
        .changeClass("doc", ClassSettings(inherits: .everything)), .createObject("doc:top"),
        .createObject("doc:middle", parent: "doc:top"),
        .moveObject("doc:1", parent: "doc:middle"), grant("user:ann", on: "doc:top"),
    ]

    static let entries: [AccessLossCase] = [
        AccessLossCase("the entry is revoked", [grant("user:ann")], losing: .revoke("user:ann", on: "doc:1")),
        AccessLossCase("the entry loses read", [grant("user:ann")], losing: .setAccess("user:ann", on: "doc:1", ["update"])),
        AccessLossCase("the object is made private", [grant("everyone")], losing: .revoke("everyone", on: "doc:1")),
        AccessLossCase(
            "an anonymous caller is shut out", ["store", "class:doc", "doc:1"].map { grant("anonymous", on: $0) },
            losing: .revoke("anonymous", on: "doc:1"),
            caller: .anonymous),
        AccessLossCase(
            "a caller never seen is shut out", [grant("everyone")], losing: .revoke("everyone", on: "doc:1"),
            caller: "user:nobody"),
        AccessLossCase(
            "one of very many entries is revoked",
            (0..<70).flatMap { number in [.register(Name("user:\(number)")), grant(Name("user:\(number)"))] } + [grant("user:ann")],
            losing: .revoke("user:ann", on: "doc:1")),
        AccessLossCase(
            "the permission is detached",
            [.definePermission("permission:p", subject: "user:ann", read), .attachPermission("permission:p", to: "doc:1")],
            losing: .detachPermission("permission:p", from: "doc:1")),
        AccessLossCase(
            "the permission is made somebody else's",
            [.definePermission("permission:p", subject: "user:ann", read), .attachPermission("permission:p", to: "doc:1")],
            losing: .changePermission("permission:p", subject: "user:ben", read)),
    ]

    static let subjects: [AccessLossCase] = [
        AccessLossCase(
            "the role is lost", [.createRole("role:r"), .addMember("user:ann", to: "role:r"), grant("role:r")],
            losing: .removeMember("user:ann", from: "role:r")),
        AccessLossCase(
            "the role loses its role",
            [
                .createRole("role:r"), .createRole("role:s"), .addMember("user:ann", to: "role:r"),
                .addMember("role:r", to: "role:s"), grant("role:s"),
            ], losing: .removeMember("role:r", from: "role:s")),
        AccessLossCase(
            "the role is deleted", [.createRole("role:r"), .addMember("user:ann", to: "role:r"), grant("role:r")],
            losing: .deleteRole("role:r")),
        AccessLossCase(
            "the role holds everyone no more", [.createRole("role:r"), .addMember("everyone", to: "role:r"), grant("role:r")],
            losing: .removeMember("everyone", from: "role:r")),
        AccessLossCase(
            "the administrator is dismissed", [.appointAdministrator("user:ann")], losing: .dismissAdministrator("user:ann")),
    ]

    static let levels: [AccessLossCase] = [
        AccessLossCase("the class level is narrowed", [grant("user:ann")], losing: .revoke("everyone", on: "class:doc", read)),
        AccessLossCase("the store level is narrowed", [grant("user:ann")], losing: .revoke("everyone", on: "store", read)),
        AccessLossCase(
            "the class gets object ACLs", [.changeClass("doc", ClassSettings(objectACL: ObjectACL.none))],
            losing: .changeClass("doc", ClassSettings(objectACL: .required))),
        AccessLossCase(
            "the class widens no more", [.changeClass("doc", ClassSettings(composition: .widening))],
            losing: .changeClass("doc", ClassSettings(composition: .narrowing))),
        AccessLossCase(
            "the permission on the class is made somebody else's",
            [
                grant("user:ann"), .definePermission("permission:p", subject: "user:ann", read),
                .attachPermission("permission:p", to: "class:doc"), .revoke("everyone", on: "class:doc"),
            ], losing: .changePermission("permission:p", subject: "user:ben", read)),
    ]

    static let places: [AccessLossCase] = [
        AccessLossCase("the object is moved to the top", below, losing: .moveObject("doc:1", parent: nil)),
        AccessLossCase("what is above is moved elsewhere", below, losing: .moveObject("doc:middle", parent: nil)),
        AccessLossCase("the entry far above is revoked", below, losing: .revoke("user:ann", on: "doc:top")),
        AccessLossCase("the class inherits no more", below, losing: .changeClass("doc", ClassSettings(inherits: .nothing))),
        AccessLossCase(
            "the class of what is above gets object ACLs",
            [
                .changeClass("doc", ClassSettings(inherits: .everything)),
                .defineClass("box", ClassSettings(objectACL: ObjectACL.none)), .createObject("box:1"),
                .moveObject("doc:1", parent: "box:1"),
            ], losing: .changeClass("box", ClassSettings(objectACL: .required))),
        AccessLossCase("the link is gone", pictures, losing: .writeObject("doc:1", .value(.null)), object: "pic:1"),
        AccessLossCase(
            "the object that links is deleted", pictures, losing: .deleteObject("doc:1"), object: "pic:1"),
        AccessLossCase(
            "what is above the object that links is deleted",
            pictures + [.createObject("doc:top"), .moveObject("doc:1", parent: "doc:top")], losing: .deleteObject("doc:top"),
            object: "pic:1"),
        AccessLossCase(
            "the object that links can be read no more", pictures, losing: .revoke("user:ann", on: "doc:1"), object: "pic:1"),
    ]
}

import Events
import Muniment
import Permissions
import Wire

extension Option {
    fileprivate static let unchangedSince = Option(
        "unchanged-since", value: "REVISION", "refuse if the object's access list has a later change than this revision")
}

extension Command {
    static let grant = Command.change(
        "grant", "grant a subject privileges on an object", sentence: "SUBJECT PRIVILEGE[,PRIVILEGE…] [on] OBJECT",
        options: [.until, .strict, .unchangedSince],
        example: Example("grant user:ann read,update on doc:plan --until 2999-12-31", "revision 9")
    ) { call in
        let subject = try call.name("the subject")
        let (privileges, object) = try call.privilegesOnObject()
        return .grant(
            subject, on: object, privileges, until: try call.time(.until),
            strict: call.options.isSet(.strict),
            expectedRevision: try call.options.value(of: .unchangedSince, Values.revision))
    }

    static let revoke = Command.change(
        "revoke", "revoke privileges of a subject on an object, or its whole entry",
        sentence: "SUBJECT [PRIVILEGE[,PRIVILEGE…]] [on] OBJECT", options: [.strict, .unchangedSince],
        example: Example("revoke user:ann update on doc:plan", "revision 11\n…"), remains: Remains.access
    ) { call in
        let subject = try call.name("the subject")
        call.skip("on")
        let privileges = call.wordsLeft > 1 ? try call.privileges() : nil
        let object = try call.name("the object", after: "on")
        return .revoke(
            subject, on: object, privileges, strict: call.options.isSet(.strict),
            expectedRevision: try call.options.value(of: .unchangedSince, Values.revision))
    }

    static let permissionDefine = Command.change(
        "permission define", "define a permission: privileges of one subject, for many objects",
        sentence: "PERMISSION [for] SUBJECT PRIVILEGE[,PRIVILEGE…]",
        example: Example("permission define reviewers for role:editors read,approve", "revision 15")
    ) { call in
        try .definePermission(
            call.permission(), subject: call.name("the subject", after: "for"), call.privileges())
    }

    static let permissionChange = Command.change(
        "permission change", "change a permission on every object it is attached to",
        sentence: "PERMISSION [for] SUBJECT PRIVILEGE[,PRIVILEGE…]",
        example: Example("permission change reviewers for role:editors read", "revision 17")
    ) { call in
        try .changePermission(
            call.permission(), subject: call.name("the subject", after: "for"), call.privileges())
    }

    static let permissionAttach = Command.change(
        "permission attach", "attach a permission to an object", sentence: "PERMISSION [to] OBJECT",
        example: Example("permission attach reviewers to doc:plan", "revision 16")
    ) { try .attachPermission($0.permission(), to: $0.name("the object", after: "to")) }

    static let permissionDetach = Command.change(
        "permission detach", "detach a permission from an object", sentence: "PERMISSION [from] OBJECT",
        example: Example("permission detach reviewers from doc:plan", "revision 18")
    ) { try .detachPermission($0.permission(), from: $0.name("the object", after: "from")) }
}

/// The access that a subject still has after a change that takes access away, and its paths.
enum Remains {
    /// The revoked privileges that the subject still has on the object; without any named, all that it has there.
    static func access(_ change: Change, _ snapshot: Snapshot) throws -> (JSONObject, [String]) {
        guard case .revoke(let subject, let object, let privileges, _, _) = change else { return ([:], []) }
        let held = try snapshot.privileges(of: subject, on: object).filter { privileges?.contains($0) ?? true }
        guard !held.isEmpty else { return (["remaining": .array([])], []) }
        let witness = try snapshot.witness(of: snapshot.explain(subject, held, on: object))
        return (
            ["remaining": .texts(held)],
            ["\(subject) still has \(held.joined(separator: ", ")) on \(object):"] + witness.lines.dropFirst()
        )
    }

    /// The path through which a member is still in a role.
    static func membership(_ change: Change, _ snapshot: Snapshot) throws -> (JSONObject, [String]) {
        guard case .removeMember(let member, let role, _) = change,
            let found = try snapshot.accessReport(of: member).roles.first(where: { $0.role == role.text })
        else { return (["remaining": .array([])], []) }
        let way = (found.isThroughEveryone ? ["everyone"] : []) + found.through
        return (["remaining": .texts(way)], ["\(member) is still a member of \(role) through \(way.joined(separator: ", "))"])
    }
}

internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// Checks whether a subject has privileges on an object.
enum CheckRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/check", "check", need: .store, bodyLimitBytes: 65_536,
        RouteDescription("checks if a subject has a privilege on an object, and why", group: "Questions")
            .withResponse(
                "yes or no",
                Schema.object(
                    JSONObject([
                        "subject": Schema.name, "privileges": Schema.privileges, "object": Schema.name, "allowed": Schema.flag,
                        "reason": Schema.text,
                    ]).with(.when))
            ),
        .immediate(.name("subject"), .name("object"), .privileges, .point) { call, subject, object, privileges, point in
            try call.requirePermissionToQuery(about: subject)
            let asked = QueryMembers(subject: subject, privileges: privileges, object: object)
            return try call.read(at: point) { snapshot in
                let answer = try snapshot.check(subject, call.privileges(privileges, snapshot), on: object) { try call.audience }
                call.decided(
                    answer.isAllowed, subject, privileges.joined(separator: ","), object, revision: snapshot.revision)
                return call.answer(asked.answer(answer, snapshot.members), at: snapshot.revision)
            }
        })
}

/// Returns all privileges of a subject.
enum PrivilegesRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/privileges", "privileges", need: .store, bodyLimitBytes: 65_536,
        RouteDescription("the privileges of a subject on an object", group: "Questions")
            .withResponse(
                "the privileges, sorted",
                Schema.object(
                    JSONObject(["subject": Schema.name, "object": Schema.name, "privileges": Schema.privileges]).with(.when))
            ),
        .immediate(.name("subject"), .name("object"), .point) { call, subject, object, point in
            try call.requirePermissionToQuery(about: subject)
            return try call.read(at: point) { snapshot in
                let privileges = try snapshot.privileges(of: subject, on: object)
                let asked = QueryMembers(subject: subject, object: object)
                return call.answer(asked.answer(privileges: privileges, snapshot.members), at: snapshot.revision)
            }
        })
}

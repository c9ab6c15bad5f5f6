internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// Checks whether a subject has privileges on an object.
enum CheckRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/check", "check", need: .store, bodyLimitBytes: 65_536,
        RouteDescription("checks if a subject has a privilege on an object, and why", group: "Questions")
            .withParameters(body: Schema.question(["subject": Schema.name, "object": Schema.name]))
            .withResponse(
                "yes or no",
                Schema.object(
                    JSONObject([
                        "subject": Schema.name, "privileges": Schema.privileges, "object": Schema.name, "allowed": Schema.flag,
                        "reason": Schema.text,
                    ]).with(.when))
            ),
        .immediate { call in
            var arguments = try call.arguments()
            let (subject, object) = (try arguments.name("subject"), try arguments.name("object"))
            let (privileges, point) = (try arguments.privileges(), try arguments.point())
            try arguments.finish()
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
            .withParameters(body: Schema.object(["subject": Schema.name, "object": Schema.name], optional: .point))
            .withResponse(
                "the privileges, sorted",
                Schema.object(
                    JSONObject(["subject": Schema.name, "object": Schema.name, "privileges": Schema.privileges]).with(.when))
            ),
        .immediate { call in
            var arguments = try call.arguments()
            let (subject, object) = (try arguments.name("subject"), try arguments.name("object"))
            let point = try arguments.point()
            try arguments.finish()
            try call.requirePermissionToQuery(about: subject)
            return try call.read(at: point) { snapshot in
                let privileges = try snapshot.privileges(of: subject, on: object)
                let asked = QueryMembers(subject: subject, object: object)
                return call.answer(asked.answer(privileges: privileges, snapshot.members), at: snapshot.revision)
            }
        })
}

/// Explains the result of a check.
enum ExplainRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/explain", "explain", need: .store, bodyLimitBytes: 65_536,
        RouteDescription(
            "why a subject has a privilege or not: every path, with the author and time of each step", group: "Questions"
        )
        .withNote(
            "Includes changes that would allow it (grants, memberships), unless `proposals` is false. They name roles that have "
                + "access, so the caller must be allowed to query the entries of the object."
        )
        .withParameters(
            body: Schema.question(["subject": Schema.name, "object": Schema.name], optional: ["proposals": Schema.flag])
        )
        .withResponse(
            "the paths, with the event of each step", Schema.named("Explanation")
        ),
        .queued { call in
            var arguments = try call.arguments()
            let (subject, object) = (try arguments.name("subject"), try arguments.name("object"))
            let (privileges, point) = (try arguments.privileges(), try arguments.point())
            var wantsProposals = try arguments.flag("proposals", default: true)
            try arguments.finish()
            try call.requirePermissionToQuery(about: subject, on: object)
            // A proposal names roles that have access. Only callers that may set permissions on the object may know those.
            wantsProposals = try wantsProposals && call.mayQuery(aboutObject: object)
            let audience = try call.audience
            return try call.read(at: point) { snapshot in
                // A privilege that does not exist has an explanation too.
                let explanation = try snapshot.explain(
                    subject, call.store.replacingLevels(in: privileges), on: object, for: audience)
                wantsProposals = try wantsProposals && snapshot.tells(audience, of: object)
                let proposals =
                    explanation.isAllowed || !wantsProposals ? nil : try snapshot.proposals(for: explanation, to: audience)
                let witness = WitnessJSON(try snapshot.witness(of: explanation, for: audience))
                guard case .object(let members) = witness.value else { throw Problem(.failed, "the explanation has no JSON form") }
                return call.answer(members.with(proposals?.members ?? [:]).with(snapshot.members), at: snapshot.revision)
            }
        })
}

internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions
internal import Wire

/// Lists the subjects with privileges on an object.
enum WhoRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/who", "who", need: .store, bodyLimitBytes: 65_536,
        RouteDescription("the users and things with a privilege on an object", group: "Questions")
            .withNote(
                "`administrators` names those of the store, who have all privileges on an object that exists. A caller who may not ask "
                    + "about all subjects gets no such member. With `withAdministrators`, `subjects` contains them too. `everyone` or "
                    + "`anonymous` alone means all callers."
            )
            .withResponse(
                "the names, sorted",
                Schema.object(
                    JSONObject(["privileges": Schema.privileges, "object": Schema.name, "subjects": Schema.names]).with(.when),
                    optional: JSONObject(["administrators": Schema.names, "withAdministrators": Schema.flag]).with(.next)),
                lines: Schema.object(["subject": Schema.name])
            ),
        .queued(.name("object"), .privileges, .flag("withAdministrators", default: false), .page(.names, cursor: Schema.text)) {
            call, object, privileges, withAdministrators, request in
            try call.requirePermissionToQuery(aboutObject: object)
            var asked = QueryMembers(privileges: privileges, object: object).members
            if withAdministrators { asked["withAdministrators"] = .bool(true) }
            let audience = try call.audience
            return try call.answer(request, to: asked, as: "subjects", lineKey: "subject") { snapshot in
                let privileges = try call.privileges(privileges, snapshot)
                let subjects = try snapshot.tells(audience, of: object) ? snapshot.subjects(with: privileges, on: object) : []
                guard audience == .unrestricted else { return (subjects, [:]) }
                let administrators = try snapshot.exists(object) ? snapshot.administrators() : []
                let names = withAdministrators ? Set((subjects + administrators).map { Name($0) }).sorted().map(\.text) : subjects
                return (names, ["administrators": .texts(administrators)])
            }
        })
}

/// Lists the objects that a subject has privileges on.
enum WhatRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/what", "what", need: .store, bodyLimitBytes: 65_536,
        RouteDescription("the objects where a subject has a privilege", group: "Questions")
            .withResponse(
                "the names, sorted",
                Schema.object(
                    JSONObject(["subject": Schema.name, "privileges": Schema.privileges, "objects": Schema.names]).with(.when),
                    optional: JSONObject(["class": Schema.text]).with(.next)),
                lines: Schema.object(["object": Schema.name])
            ),
        .queued(.name("subject"), .privileges, .optionalText("class"), .page(.names, cursor: Schema.text)) {
            call, subject, privileges, className, request in
            try call.requirePermissionToQuery(about: subject)
            let asked = QueryMembers(subject: subject, privileges: privileges, className: className).members
            return try call.answer(request, to: asked, as: "objects", lineKey: "object") { snapshot in
                let privileges = try call.privileges(privileges, snapshot)
                if let className { try snapshot.requireClass(className) }
                return try snapshot.objects(for: subject, with: privileges, class: className)
            }
        })
}

/// The direct members of a role.
enum MembersRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/roles/{role}/members", "members", need: .store,
        RouteDescription("the direct members of a role, given with or without `role:`", group: "Questions")
            .withResponse(
                "the names, sorted",
                Schema.object(JSONObject(["role": Schema.name, "members": Schema.names]).with(.when), optional: .next),
                lines: Schema.object(["member": Schema.name])
            ),
        .queued(.page(.names)) { call, request in
            let role = Name.role(call.parameter("role"))
            try call.requirePermissionToQuery(aboutObject: role)
            let audience = try call.audience
            return try call.answer(request, to: QueryMembers(role: role).members, as: "members", lineKey: "member") { snapshot in
                try snapshot.tells(audience, of: role) ? snapshot.members(of: role) : []
            }
        })
}

/// Ranks the roles of the store.
enum RolesRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/roles", "rankRoles", need: .store,
        RouteDescription("all roles, with the number of objects that each opens", group: "Questions")
            .withNote("The role that opens most objects is first. Takes one query of `what` for each role of the store.")
            .withResponse(
                "the roles", Schema.object(JSONObject(["roles": Schema.list(role), "count": Schema.number]).with(.when))),
        .queued(.listedPrivileges, .count("limit", "the largest number of results", upTo: 10_000, default: 100), .point) {
            call, privileges, limit, point in
            try call.requirePermissionToQueryAllSubjects()
            return try call.read(at: point) { snapshot in
                let roles = try snapshot.roles(opening: try call.privileges(privileges, snapshot))
                let ranked = roles.prefix(limit).map { role in
                    JSONValue.object([
                        "role": .string(role.role), "objects": .count(role.objects), "members": .texts(role.members),
                    ])
                }
                let members: JSONObject = ["roles": .array(Array(ranked)), "count": .count(roles.count)]
                return call.answer(members.with(snapshot.members), at: snapshot.revision)
            }
        })

    private static let role = Schema.object(["role": Schema.name, "objects": Schema.number, "members": Schema.names])
}

/// Lists the named sets of privileges of the store.
enum LevelsRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/levels", "levels", need: .store,
        RouteDescription("the named sets of privileges of the store, the smallest first", group: "Questions")
            .withNote("A change and a question accept the name of a set in place of its privileges.")
            .withResponse("the sets", Schema.object(["levels": Schema.list(level)]), headers: []),
        .queued { call in
            try Arguments(address: try call.query).finish()
            let levels = try call.store.levels ?? []
            return call.answer([
                "levels": .array(levels.map { .object(["name": .string($0.name), "privileges": .texts($0.privileges)]) })
            ])
        })

    private static let level = Schema.object(["name": Schema.text, "privileges": Schema.privileges])
}

/// Lists the administrators of the store.
enum AdministratorsRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/administrators", "administrators", need: .store,
        RouteDescription("the administrators of the store", group: "Questions")
            .withResponse("the names, sorted", Schema.object(JSONObject(["administrators": Schema.names]).with(.when))),
        .immediate(.point) { call, point in
            try call.requirePermissionToQueryAllSubjects()
            return try call.read(at: point) { snapshot in
                let names = try snapshot.administrators()
                return call.answer(QueryMembers().answer(names, as: "administrators", snapshot.members), at: snapshot.revision)
            }
        })
}

/// The access list of an object.
enum EntriesRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/objects/{object}/entries", "entries", need: .store,
        RouteDescription("the entries on an object: subjects and their privileges", group: "Objects")
            .withNote(
                "The ETag of a JSON answer is the revision of the last change of the list: of the entries, of the attached "
                    + "permissions, and of the privileges of the class. `expectRevision` of a change accepts it. No ETag is sent for "
                    + "a list that the caller may not read."
            )
            .withParameters(.header("If-None-Match", "the ETag of the client's copy"))
            .withResponse(
                "the entries, sorted",
                Schema.object(
                    JSONObject(["object": Schema.name, "entries": Schema.list(Schema.named("Entry"))]).with(.when),
                    optional: .next),
                lines: Schema.named("Entry"), headers: ["Muniment-Revision", "ETag"]
            )
            .withResponse("the client's copy is current", nil, status: 304, headers: ["Muniment-Revision", "ETag"]),
        .queued(.page(.names)) { call, request in
            let object = Name(call.parameter("object"))
            try call.requirePermissionToQuery(aboutObject: object)
            let asked = QueryMembers(object: object).members
            let list = try call.list(request, of: asked)
            let audience = try call.audience
            return try call.read(at: list.point) { snapshot in
                guard try snapshot.tells(audience, of: object) else {
                    return try call.answer(list.page(of: [EntryDescription](), snapshot), to: asked, as: "entries") { $0.json }
                }
                let tag = call.lineType == nil ? try snapshot.lastAccessChange(of: object).map(EntityTag.text) : nil
                if let tag, call.hasAlready(tag) { return RequestContext.notModified(tag, at: snapshot.revision) }
                let page = list.page(of: try snapshot.entries(on: object), snapshot)
                return try call.answer(page, to: asked, as: "entries", headers: tag.map { [HTTPHeader("ETag", $0)] } ?? []) {
                    $0.json
                }
            }
        })
}

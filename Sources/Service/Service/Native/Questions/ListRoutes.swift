internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// Lists the subjects with privileges on an object.
enum WhoRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/who", "who", need: .store, bodyLimitBytes: 65_536,
        RouteDescription("the users and things with a privilege on an object", group: "Questions")
            .saying("Administrators, who have all privileges, are omitted. `everyone` or `anonymous` alone means all callers.")
            .taking(body: Schema.question(["object": Schema.name], optional: .listPage))
            .answering(
                "the names, sorted",
                Schema.object(
                    JSONObject(["privileges": Schema.privileges, "object": Schema.name, "subjects": Schema.names]).with(.when),
                    optional: .listCursor),
                lines: Schema.object(["subject": Schema.name])
            )
            .refusing(.notYetVisible),
        .queued { call in
            var arguments = try call.arguments()
            let (object, privileges) = (try arguments.name("object"), try arguments.privileges())
            let request = try arguments.listRequest()
            try arguments.finish()
            try call.requireAsking(aboutObject: object)
            let asked = Asked(privileges: privileges, object: object)
            let list = try call.list(request, of: asked.members)
            let audience = try call.audience
            let page = try call.read(at: list.point) { snapshot in
                let names = try snapshot.tells(audience, of: object) ? snapshot.subjects(with: privileges, on: object) : []
                return list.page(of: names, snapshot)
            }
            return try call.answer(page, of: asked, as: "subjects", lineKey: "subject")
        })
}

/// Lists the objects that a subject has privileges on.
enum WhatRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/what", "what", need: .store, bodyLimitBytes: 65_536,
        RouteDescription("the objects where a subject has a privilege", group: "Questions")
            .taking(body: Schema.question(["subject": Schema.name], optional: JSONObject(["class": Schema.text]).with(.listPage)))
            .answering(
                "the names, sorted",
                Schema.object(
                    JSONObject(["subject": Schema.name, "privileges": Schema.privileges, "objects": Schema.names]).with(.when),
                    optional: JSONObject(["class": Schema.text]).with(.listCursor)),
                lines: Schema.object(["object": Schema.name])
            )
            .refusing(.notYetVisible),
        .queued { call in
            var arguments = try call.arguments()
            let (subject, privileges) = (try arguments.name("subject"), try arguments.privileges())
            let className = try arguments.optionalText("class")
            let request = try arguments.listRequest()
            try arguments.finish()
            try call.requireAsking(about: subject)
            let asked = Asked(subject: subject, privileges: privileges, className: className)
            let list = try call.list(request, of: asked.members)
            let page = try call.read(at: list.point) { snapshot in
                list.page(of: try snapshot.objects(for: subject, with: privileges, class: className), snapshot)
            }
            return try call.answer(page, of: asked, as: "objects", lineKey: "object")
        })
}

/// The direct members of a role.
enum MembersRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/roles/{role}/members", "members", need: .store,
        RouteDescription("the direct members of a role, given with or without `role:`", group: "Questions")
            .taking(.at, .atLeast)
            .answering(
                "the names, sorted", Schema.object(JSONObject(["role": Schema.name, "members": Schema.names]).with(.when)),
                lines: Schema.object(["member": Schema.name])
            )
            .refusing(.notYetVisible),
        .queued { call in
            var arguments = try call.arguments()
            let point = try arguments.point()
            try arguments.finish()
            let role = Name.role(call.parameter("role"))
            try call.requireAsking(aboutObject: role)
            let audience = try call.audience
            let (names, revision, when) = try call.read(at: point) { snapshot in
                let names = try snapshot.tells(audience, of: role) ? snapshot.members(of: role) : []
                return (names, snapshot.revision, snapshot.members)
            }
            return try call.answer(names, as: "members", lineKey: "member", at: revision) {
                Asked(role: role).answer(names, as: $0, when)
            }
        })
}

/// Lists the administrators of the store.
enum AdministratorsRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/administrators", "administrators", need: .store,
        RouteDescription("the administrators of the store", group: "Questions").taking(.at, .atLeast)
            .answering("the names, sorted", Schema.object(JSONObject(["administrators": Schema.names]).with(.when)))
            .refusing(.notYetVisible),
        .immediate { call in
            var arguments = try call.arguments()
            let point = try arguments.point()
            try arguments.finish()
            try call.requireAskingAnything()
            return try call.read(at: point) { snapshot in
                let names = try snapshot.administrators()
                return call.answer(Asked().answer(names, as: "administrators", snapshot.members), at: snapshot.revision)
            }
        })
}

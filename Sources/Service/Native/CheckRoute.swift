internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions

/// Whether somebody may do something.
enum CheckRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/check", "check", need: .store, bodyLimitBytes: 65_536,
        RouteDescription("whether somebody may do something to an object, and why", group: "Questions"),
        .immediate { call in
            let body = try call.json()
            let subject = Name(try body.text("subject"))
            try call.requireAsking(about: subject)
            let (privilege, object) = (try body.text("privilege"), Name(try body.text("object")))
            let answer = try call.store.read(at: try Moment(body["at"])) { snapshot in
                let answer = try snapshot.check(subject, [privilege], on: object)
                return (answer.isAllowed, answer.explanation, snapshot.revision)
            }
            call.decided(answer.0, subject, privilege, object, revision: answer.2)
            return call.answer([
                "allowed": .bool(answer.0), "reason": .string(answer.1), "revision": .revision(answer.2),
            ])
        })
}

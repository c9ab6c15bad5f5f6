internal import Events
internal import HTTPServer
internal import Muniment
internal import MunimentRecipes
internal import Permissions
internal import Wire

/// Locks down an open store, as `Roles.lockDown` does.
enum LockRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/lock", "lock", need: .store, bodyLimitBytes: 65_536,
        RouteDescription("locks an open store", group: "Stores")
            .saying(
                "One transaction creates a role with the caller and the given members, grants it every privilege at the store and "
                    + "class levels, and leaves `everyone` only `read` on the store and on the built-in classes."
            )
            .taking(.idempotencyKey)
            .taking(
                body: Schema.object(
                    [:], optional: ["as": Schema.name, "role": Schema.name, "members": Schema.list(Schema.name)])
            )
            .answering("the receipt of the transaction", Schema.named("Receipt"))
            .refusing(.refused, .conflict, .keyReused, .keyInUse, .tooMuchWork),
        .asynchronous { call in
            var arguments = try call.arguments()
            let caller = try call.principal(named: try arguments.optionalName("as"))
            let role = try arguments.optionalName("role") ?? Roles.lockDownRole
            let members = try arguments.optionalTexts("members") ?? []
            try arguments.finish()
            let changes = try Roles(try call.store, as: caller).lockDownChanges(to: role, members: members.map { Name($0) })
            let receipt = try await call.commit(changes, as: caller, comment: "locked")
            return call.answer(receipt.json, at: receipt.head)
        })
}

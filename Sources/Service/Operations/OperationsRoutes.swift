internal import Events
internal import HTTPServer

/// What tells how the service is.
enum OperationsRoutes {
    static let all: [Route] = [health]

    static let health = Route(
        "GET", "/healthz", "health", need: .nothing, RouteDescription("whether the process lives"),
        .immediate { call in call.answer(["status": .string("ok")]) })
}

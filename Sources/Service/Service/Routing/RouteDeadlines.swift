/// How long the service works on a query before it times out.
///
/// The time counts from the moment when the request is complete, so it includes waiting in a queue. Changes have no deadline: they
/// are made at their turn. Responses as JSON Lines have a deadline for their first line. Notices have one for their last line, not
/// counting the time before the first.
public struct RouteDeadlines: Sendable {
    /// The deadline of every route without a separate one.
    public var all: Duration = .seconds(30)
    /// By the name of the route in the description of the API, such as `whatIf`.
    public var byRoute: [String: Duration] = [:]

    public init() {}

    /// The valid names for ``byRoute``.
    public static var routeNames: [String] {
        RouteTable.routes.filter(\.hasDeadline).map(\.name)
    }

    /// Returns the shortest deadline in whole seconds: at least 1, and at most a limit.
    func wholeSeconds(upTo limit: Int) -> Int {
        let shortest = byRoute.values.reduce(all, min)
        return max(1, min(limit, Int(shortest.components.seconds)))
    }

    func limit(of route: String) -> Duration { byRoute[route] ?? all }
}

/// How long the service works on a question before it gives up.
///
/// The time counts from the moment at which the request is complete, so that waiting for a turn is part of it. Changes have no
/// deadline: once their turn comes they are made. Answers as JSON Lines have one up to their first line,
/// notices up to their last, not counting the time before the first.
public struct RouteDeadlines: Sendable {
    /// For every route without a time of its own.
    public var all: Duration = .seconds(30)
    /// By the name of the route in the description of the API, such as `whatIf`.
    public var byRoute: [String: Duration] = [:]

    public init() {}

    /// The names that ``byRoute`` may have.
    public static var routeNames: [String] {
        RouteTable.routes.filter(\.hasDeadline).map(\.name)
    }

    /// The shortest deadline in whole seconds: 1 at least, and a limit at most.
    func wholeSeconds(upTo limit: Int) -> Int {
        let shortest = byRoute.values.reduce(all, min)
        return max(1, min(limit, Int(shortest.components.seconds)))
    }

    func limit(of route: String) -> Duration { byRoute[route] ?? all }
}

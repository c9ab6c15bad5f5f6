/// All routes of the service. The table dispatches requests, and the API description is generated from it.
enum RouteTable {
    static let routes: [Route] =
        OperationsRoutes.all + DescriptionRoutes.all + native + LiveFeedRoutes.all + AuthZENRoutes.all + accounts

    /// The native API, under `/v1`.
    private static let native: [Route] =
        StoreRoutes.all + TokenRoutes.all + BrowserSessionRoutes.all + [CallerRoute.route] + NameRoutes.all
        + [CheckRoute.route, PrivilegesRoute.route, WhoRoute.route, WhatRoute.route, ExplainRoute.route, ExplanationsRoute.route]
        + [QueryRoute.route]
        + ObjectRoutes.all + [EntriesRoute.route, MembersRoute.route, AdministratorsRoute.route]
        + [RolesRoute.route, LevelsRoute.route]
        + [TransactionRoute.route, LockRoute.route, WhatIfRoute.route] + [
            HistoryRoute.route, NoticesRoute.route, ActivityRoute.route, DiffRoute.route, ExportRoute.route, AuditRoute.route,
        ]
        + AuditQuestionRoutes.all

    /// The routes of accounts, which exist only if the service has accounts (`serve --accounts`).
    private static let accounts =
        SignInRoutes.all + SessionRoutes.all + OwnAccountRoutes.all + SignInMethodRoutes.all + AccountAdministrationRoutes.all
}

/// Finds the route of a request in the route table.
struct Router: Sendable {
    let routes: [Route]
    /// Routes without a parameter in the path, by the number of bytes of the path: found without splitting or hashing the path.
    private let fixed: [[(path: String, routes: [String: Int])]]
    private let root: Node

    private final class Node: Sendable {
        /// The words of the next segment. Their number is small, so a linear search is faster than a table.
        let words: [(bytes: [UInt8], node: Node)]
        let parameter: Node?
        /// The routes of this exact path, by method.
        let routes: [String: Int]

        init(_ paths: [(segments: ArraySlice<PathPattern.Segment>, method: String, route: Int)]) {
            var byWord: [String: [(ArraySlice<PathPattern.Segment>, String, Int)]] = [:]
            var byParameter: [(ArraySlice<PathPattern.Segment>, String, Int)] = []
            var here: [String: Int] = [:]
            for (segments, method, route) in paths {
                switch segments.first {
                case nil: here[method] = route
                case .word(let word): byWord[word, default: []].append((segments.dropFirst(), method, route))
                case .parameter: byParameter.append((segments.dropFirst(), method, route))
                }
            }
            words = byWord.sorted { $0.key < $1.key }.map { (Array($0.key.utf8), Node($0.value)) }
            parameter = byParameter.isEmpty ? nil : Node(byParameter)
            routes = here
        }

        func next(_ segment: Substring.UTF8View) -> Node? { words.first { $0.bytes.elementsEqual(segment) }?.node }
    }

    /// The result of finding a route.
    enum Match {
        case route(Int, parameters: [String])
        /// The path exists, but only with these other methods.
        case otherMethods([String])
        case nothing
        /// The path has an invalid encoding.
        case malformed
    }

    init(_ routes: [Route]) {
        self.routes = routes
        var fixed: [String: [String: Int]] = [:]
        for (index, route) in routes.enumerated() where route.path.parameters.isEmpty {
            fixed[route.path.text, default: [:]][route.method] = index
        }
        var byLength = [[(path: String, routes: [String: Int])]](
            repeating: [], count: (fixed.keys.map(\.utf8.count).max() ?? 0) + 1)
        for (path, routes) in fixed { byLength[path.utf8.count].append((path, routes)) }
        self.fixed = byLength
        root = Node(routes.enumerated().map { ($0.element.path.segments[...], $0.element.method, $0.offset) })
    }

    func match(_ method: String, _ path: String) -> Match {
        if path.utf8.count < fixed.count {
            for place in fixed[path.utf8.count].indices where fixed[path.utf8.count][place].path == path {
                return match(method, fixed[path.utf8.count][place].routes, [])
            }
        }
        var parameters: [String] = []
        var node = root
        guard path.utf8.first == UInt8(ascii: "/") else { return .nothing }
        for segment in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if let next = node.next(segment) {
                node = next
                continue
            }
            // A word may contain unnecessary percent encoding.
            guard let text = PercentEncoding.decoded(Substring(segment)) else { return .malformed }
            if let next = node.next(text[...].utf8) {
                node = next
            } else if let next = node.parameter, !text.isEmpty {
                parameters.append(text)
                node = next
            } else {
                return .nothing
            }
        }
        return match(method, node.routes, parameters)
    }

    private func match(_ method: String, _ routes: [String: Int], _ parameters: [String]) -> Match {
        if let route = routes[method] ?? (method == "HEAD" ? routes["GET"] : nil) { return .route(route, parameters: parameters) }
        return routes.isEmpty ? .nothing : .otherMethods(routes.keys.sorted())
    }
}

/// The path of a route, such as `/v1/stores/{store}/check`: words, and parameters in braces that match any single segment.
struct PathPattern: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    let text: String
    let segments: [Segment]

    enum Segment: Hashable, Sendable {
        case word(String)
        case parameter(String)
    }

    init(_ text: String) {
        self.text = text
        segments = text.split(separator: "/").map { segment in
            segment.hasPrefix("{") ? .parameter(String(segment.dropFirst().dropLast())) : .word(String(segment))
        }
    }

    init(stringLiteral text: String) { self.init(text) }

    var description: String { text }

    /// The parameter names, in order.
    var parameters: [String] {
        segments.compactMap { segment in
            if case .parameter(let name) = segment { name } else { nil }
        }
    }
}

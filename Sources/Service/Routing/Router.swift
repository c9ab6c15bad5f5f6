/// Finds the route of a request. The same table is what the description of the API is written from.
struct Router: Sendable {
    let routes: [Route]
    /// Routes whose path has no parameter, by path and method: found without looking at segments.
    private let fixed: [String: [String: Int]]
    private let root: Node

    private final class Node: Sendable {
        let words: [String: Node]
        let parameter: Node?
        /// The routes that end here, by method.
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
            words = byWord.mapValues(Node.init)
            parameter = byParameter.isEmpty ? nil : Node(byParameter)
            routes = here
        }
    }

    /// What there is for a request.
    enum Match {
        case route(Int, parameters: [String])
        /// There is something there, but not for this method; these there are.
        case otherMethods([String])
        case nothing
        /// The path is not encoded as it should be.
        case malformed
    }

    init(_ routes: [Route]) {
        self.routes = routes
        var fixed: [String: [String: Int]] = [:]
        for (index, route) in routes.enumerated() where route.path.parameters.isEmpty {
            fixed[route.path.text, default: [:]][route.method] = index
        }
        self.fixed = fixed
        root = Node(routes.enumerated().map { ($0.element.path.segments[...], $0.element.method, $0.offset) })
    }

    func match(_ method: String, _ path: String) -> Match {
        if let routes = fixed[path] { return match(method, routes, []) }
        var parameters: [String] = []
        var node = root
        guard path.utf8.first == UInt8(ascii: "/") else { return .nothing }
        for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let text = PercentEncoding.decoded(segment) else { return .malformed }
            if let next = node.words[text] {
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

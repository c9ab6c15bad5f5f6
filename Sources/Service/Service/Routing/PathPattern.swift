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

/// A measured number and its unit.
struct Figure: Hashable, Sendable {
    enum Unit: String, Sendable, Codable {
        case nanoseconds
        case perSecond
        case bytes
        case times
        case instructions
    }

    var value: Double
    var unit: Unit

    static func nanoseconds(_ value: Double) -> Figure { Figure(value: value, unit: .nanoseconds) }
    static func perSecond(_ value: Double) -> Figure { Figure(value: value, unit: .perSecond) }
    static func instructions(_ value: Double) -> Figure { Figure(value: value, unit: .instructions) }
    static func bytes(_ value: Double) -> Figure { Figure(value: value, unit: .bytes) }
}

/// The goal of a row, from DESIGN section 6.
enum Goal: Hashable, Sendable {
    case ratioAtMost(Double)
    case ratioAtLeast(Double)
    case figureAtMost(Double, Figure.Unit)
    case figureAtLeast(Double, Figure.Unit)
    /// At least one of the two goals must be reached.
    indirect case either(Goal, Goal)
}

/// A line of the benchmark table: a figure, and the raw figure from the same run.
struct Row: Hashable, Sendable {
    var name: String
    var figure: Figure
    /// The figure of the library below, or of a common alternative, for the same work.
    var raw: Figure?
    var goal: Goal?

    init(_ name: String, _ figure: Figure, raw: Figure? = nil, goal: Goal? = nil) {
        self.name = name
        self.figure = figure
        self.raw = raw
        self.goal = goal
    }

    /// The figure divided by the raw figure.
    var ratio: Double? { raw.map { figure.value / $0.value } }

    /// Nil for a row without a goal, and for a goal that needs a raw figure if the row has none.
    var isReached: Bool? { goal.flatMap(reaches) }

    private func reaches(_ goal: Goal) -> Bool? {
        switch goal {
        case .ratioAtMost(let limit): ratio.map { $0 <= limit }
        case .ratioAtLeast(let limit): ratio.map { $0 >= limit }
        case .figureAtMost(let limit, _): figure.value <= limit
        case .figureAtLeast(let limit, _): figure.value >= limit
        case .either(let first, let second): reaches(first) == true ? true : reaches(second)
        }
    }
}

extension Figure: CustomStringConvertible {
    /// The number with its unit: `312 ns`, `84.6 k/s`, `152 B`.
    var description: String {
        switch unit {
        case .nanoseconds: Self.scaled(value, 1000, [" ns", " µs", " ms", " s"])
        case .perSecond: Self.scaled(value, 1000, ["/s", " k/s", " M/s", " G/s"])
        case .instructions: Self.scaled(value, 1000, [" Ir", " k Ir", " M Ir", " G Ir"])
        case .bytes: Self.scaled(value, 1024, [" B", " KiB", " MiB", " GiB"])
        case .times: Self.rounded(value) + " ×"
        }
    }

    private static func scaled(_ value: Double, _ step: Double, _ suffixes: [String]) -> String {
        var value = value
        var index = 0
        while value >= step, index < suffixes.count - 1 {
            value /= step
            index += 1
        }
        return rounded(value) + suffixes[index]
    }

    /// Rounds to three digits, or to an integer if it has more digits.
    static func rounded(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        if value >= 99.95 { return String(Int(value.rounded())) }
        let places = value >= 9.995 ? 10 : 100
        let hundredths = Int((value * Double(places)).rounded())
        let fraction = String(hundredths % places)
        return "\(hundredths / places)." + String(repeating: "0", count: (places == 10 ? 1 : 2) - fraction.count) + fraction
    }
}

extension Goal: CustomStringConvertible {
    var description: String {
        switch self {
        case .ratioAtMost(let limit): "≤ \(Figure.rounded(limit)) ×"
        case .ratioAtLeast(let limit): "≥ \(Figure.rounded(limit)) ×"
        case .figureAtMost(let limit, let unit): "≤ \(Figure(value: limit, unit: unit))"
        case .figureAtLeast(let limit, let unit): "≥ \(Figure(value: limit, unit: unit))"
        case .either(let first, let second): "\(first) or \(second)"
        }
    }
}

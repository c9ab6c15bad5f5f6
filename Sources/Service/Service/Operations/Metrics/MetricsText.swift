internal import Events
internal import Muniment

/// Metrics in the text format of Prometheus, version 0.0.4.
struct MetricsText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    enum Kind: String {
        case counter, gauge, histogram
    }

    private(set) var text = ""

    /// Begins a metric. Its values follow.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(MetricsText.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Adds a metric with its values.
    mutating func metric(
        _ name: String, _ kind: Kind, _ help: String, _ values: [(labels: [(String, String)], value: some BinaryInteger)]
    ) {
        begin(name, kind, help)
        for (labels, value) in values { self.value(name, labels, value) }
    }

    /// Adds a metric with one value.
    mutating func metric(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        metric(name, kind, help, [([], value)])
    }

    /// Adds a metric with its values in seconds.
    mutating func metric(
        _ name: String, _ kind: Kind, _ help: String, seconds: [(labels: [(String, String)], value: Double)]
    ) {
        begin(name, kind, help)
        for (labels, value) in seconds { text += "\(name)\(MetricsText.text(of: labels)) \(value)\n" }
    }

    /// Adds a value of a metric.
    mutating func value(_ name: String, _ labels: [(String, String)] = [], _ value: some BinaryInteger) {
        text += "\(name)\(MetricsText.text(of: labels)) \(value)\n"
    }

    /// Adds the values of a histogram, in seconds: the count up to each bound, the sum, and the total count.
    mutating func histogram(_ name: String, _ labels: [(String, String)] = [], _ durations: DurationHistogram) {
        var sum: UInt64 = 0
        for (bound, count) in zip(DurationHistogram.boundsNanoseconds, durations.counts) {
            sum += count
            value(name + "_bucket", labels + [("le", MetricsText.seconds(bound))], sum)
        }
        sum += durations.counts.last ?? 0
        value(name + "_bucket", labels + [("le", "+Inf")], sum)
        text += "\(name)_sum\(MetricsText.text(of: labels)) \(MetricsText.seconds(durations.totalNanoseconds))\n"
        value(name + "_count", labels, sum)
    }

    static func seconds(_ nanoseconds: UInt64) -> String { "\(Double(nanoseconds) / 1e9)" }

    private static func text(of labels: [(String, String)]) -> String {
        if labels.isEmpty { return "" }
        return "{" + labels.map { "\($0)=\"\(escaped($1, quotes: true))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

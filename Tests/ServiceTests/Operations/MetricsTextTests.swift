import Muniment
import Testing

@testable import Service

@Suite("Metrics: the text format of Prometheus")
struct MetricsTextTests {
    @Test("A metric has its help and type once, and its values with escaped labels")
    func figures() {
        var text = MetricsText()
        text.begin("a_total", .counter, "one\ntwo")
        text.value("a_total", [("store", "q\"uote\\back\nline")], 3)
        #expect(text.text == "# HELP a_total one\\ntwo\n# TYPE a_total counter\na_total{store=\"q\\\"uote\\\\back\\nline\"} 3\n")
    }

    @Test("Histogram buckets are cumulative, and the last one contains all values")
    func histogram() {
        let durations = DurationCounter()
        for nanoseconds in [1, 100_000, 100_001, 3_000_000, 60_000_000_000] as [UInt64] { durations.add(nanoseconds: nanoseconds) }
        var text = MetricsText()
        text.histogram("h_seconds", [("route", "check")], durations.value)
        let lines = text.text.split(separator: "\n").map(String.init)
        #expect(lines.first == "h_seconds_bucket{route=\"check\",le=\"0.0001\"} 2")
        #expect(lines.contains("h_seconds_bucket{route=\"check\",le=\"0.00025\"} 3"))
        #expect(lines.contains("h_seconds_bucket{route=\"check\",le=\"0.005\"} 4"))
        #expect(lines.contains("h_seconds_bucket{route=\"check\",le=\"10.0\"} 4"))
        #expect(lines.contains("h_seconds_bucket{route=\"check\",le=\"+Inf\"} 5"))
        #expect(lines.contains("h_seconds_count{route=\"check\"} 5"))
        #expect(lines.last == "h_seconds_count{route=\"check\"} 5")
        #expect(lines.contains { $0.hasPrefix("h_seconds_sum{route=\"check\"} 60.0032") })
    }

    @Test("Every status is counted, and a status without a separate counter counts as the first of its hundred")
    func statuses() {
        let counts = RequestCounts()
        for status in [200, 200, 418, 404, 599, 0, -1, 10_000] { counts.ended(status: status, nanoseconds: 5) }
        let answered = Dictionary(uniqueKeysWithValues: counts.answered.map { ($0.status, $0.count) })
        #expect(answered == [200: 2, 400: 1, 404: 1, 500: 1, 0: 3])
    }
}

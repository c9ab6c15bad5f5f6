import Events
import Files
import Muniment
import ServiceSupport
import TestSupport
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

@Suite("Metrics: what a service exports is valid for Prometheus")
struct ExportedMetricsTests {
    /// A sample: its name, its labels as text, and its value.
    private struct Sample {
        let name: String
        let labels: String
        let value: Double
    }

    /// Parses the text format 0.0.4, and checks what it requires: help and type once before the samples, valid names and numbers, no
    /// sample twice, counters that end in `_total`.
    private func parse(_ text: String) throws -> [Sample] {
        var samples: [Sample] = []
        var (types, seen): ([String: String], Set<String>) = ([:], [])
        var current = ""
        #expect(text.hasSuffix("\n"))
        for line in text.split(separator: "\n").map(String.init) {
            if let help = try #/# HELP ([a-z_]+) (.+)/#.wholeMatch(in: line) {
                current = String(help.1)
                #expect(types[current] == nil, "\(current) has one group")
            } else if let type = try #/# TYPE ([a-z_]+) (counter|gauge|histogram)/#.wholeMatch(in: line) {
                #expect(String(type.1) == current)
                types[current] = String(type.2)
                #expect((type.2 == "counter") == current.hasSuffix("_total"), "\(current)")
            } else {
                let pattern = #/([a-z_]+)(\{[a-z]+="(?:[^"\\\n]|\\.)*"(?:,[a-z]+="(?:[^"\\\n]|\\.)*")*\})? (\S+)/#
                let match = try #require(try pattern.wholeMatch(in: line), "\(line)")
                let name = String(match.1)
                let suffixes = types[current] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                #expect(suffixes.contains { current + $0 == name }, "\(name) is in the group of \(current)")
                let value = try #require(Double(match.3), "\(line)")
                samples.append(Sample(name: name, labels: String(match.2 ?? ""), value: value))
                #expect(seen.insert(name + (match.2 ?? "")).inserted, "\(line) appears twice")
            }
        }
        return samples
    }

    @Test("The exported text is well-formed, and has the build, the process, the disk, the clock, the backup and the queues")
    func exported() async throws {
        try await withService {
            $0.build = ("1.2.3", "abc\"d")
        } _: { service in
            let token = try service.administrator()
            let folder = service.directory + "/.muniment"
            try LastRun(dataDirectory: service.directory).record(.backup, of: .default, "r0")
            #expect(fileExists(folder + "/last-backup-default"))
            let curl = try service.live()
            _ = try await curl.send("GET", "/nowhere", token: token)
            let answer = try await curl.send("GET", "/metrics", token: token)
            #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
            let samples = try parse(answer.text)
            func value(_ name: String, _ labels: String = "") throws -> Double {
                let sample = samples.first { $0.name == name && $0.labels == labels }
                return try #require(sample, "\(name)\(labels)").value
            }
            #expect(try value("muniment_build_info", #"{version="1.2.3",commit="abc\"d"}"#) == 1)
            #expect(try value("process_cpu_seconds_total") > 0)
            #expect(try value("process_resident_memory_bytes") > 1_000_000)
            #expect(try value("process_virtual_memory_bytes") >= value("process_resident_memory_bytes"))
            #expect(try value("process_open_fds") > 3 && value("process_open_fds") <= value("process_max_fds"))
            let now = Double(systemClock().microseconds) / 1e6
            #expect(try abs(now - value("process_start_time_seconds")) < 86_400)
            #expect(
                try value("muniment_disk_free_bytes") > 0 && value("muniment_disk_free_bytes") <= value("muniment_disk_size_bytes"))
            let store = #"{store="default"}"#
            #expect(try value("muniment_head_revision", store) == 0)
            #expect(try value("muniment_head_timestamp_seconds", store) == Double(service.clock.now.microseconds) / 1e6)
            #expect(try value("muniment_clock_ahead_seconds", store) == 0)
            #expect(try abs(now - value("muniment_backup_timestamp_seconds", store)) < 3_600)
            #expect(!samples.contains { $0.name.hasPrefix("muniment_verification") })
            let before = try await curl.send("GET", "/v1/stores/default", token: token).json
            #expect(before.text("lastBackup") != nil && before["lastVerification"] == nil)
            _ = try await curl.send("GET", "/v1/stores/default/verify", token: token)
            let verified = try parse(try await curl.send("GET", "/metrics", token: token).text)
            let age = try #require(verified.first { $0.name == "muniment_verification_timestamp_seconds" && $0.labels == store })
            #expect(abs(now - age.value) < 3_600)
            #expect(try await curl.send("GET", "/v1/stores/default", token: token).json.text("lastVerification") != nil)
            #expect(try value("muniment_faults_total") == 0)
            for queue in ["questions", "streams", "issuer", "medium_bodies", "large_bodies"] {
                #expect(try value("muniment_queue_requests", #"{queue="\#(queue)",state="waiting"}"#) == 0)
            }
        }
    }
}

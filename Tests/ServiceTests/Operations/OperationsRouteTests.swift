import Credentials
import Events
import Files
import Foundation
import HTTPServer
import Muniment
import Permissions
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Operations: health, readiness, metrics, request log, decisions, limits")
struct OperationsRouteTests {
    @Test(
        "Health and readiness need no token and name no store, and a stopping service is not ready",
        arguments: [false, true])
    func healthAndReadiness(isLive: Bool) async throws {
        try await withService { fixture in
            let door: any ServiceClient = isLive ? try fixture.live() : fixture.direct
            for (path, status) in [("/healthz", "ok"), ("/readyz", "ready")] {
                let answer = try await door.send("GET", path)
                #expect(answer.status == 200)
                #expect(answer.text == #"{"status":"\#(status)"}"#)
            }
            fixture.service.beginStopping()
            #expect(try await door.send("GET", "/healthz").status == 200)
            let stopping = try await door.send("GET", "/readyz")
            #expect(stopping.status == 503)
            #expect(!stopping.text.contains("default"))
        }
    }

    @Test(
        "Every response of a service with TLS tells browsers to use only HTTPS, and no response without TLS",
        arguments: [false, true])
    func transportSecurity(usesTLS: Bool) async throws {
        try await withService {
            $0.usesTLS = usesTLS
        } _: { fixture in
            for (path, status) in [("/healthz", 200), ("/console/", 200), ("/v1/stores", 401), ("/nowhere", 404)] {
                let answer = try await fixture.live().send("GET", path)
                #expect(answer.status == status, "\(path)")
                #expect(answer.header("Strict-Transport-Security") == (usesTLS ? "max-age=31536000" : nil), "\(path)")
            }
        }
    }

    @Test(
        "While the disk is too full for changes, the service is not ready and its metrics say so",
        .enabled(if: SmallDisk.isPossible))
    func fullDisk() async throws {
        let folder = try ScratchFolder()
        let disk = try SmallDisk(at: folder.path, bytes: 20_000_000)
        defer { disk.unmount() }
        let reports = Reports()
        let onDisk = { (settings: inout ServiceSettings) in
            settings.dataDirectory = folder.path + "/data"
            settings.report = { reports.add($0) }
            settings.note = { reports.add("\($0): \($1)") }
        }
        try await withService(onDisk) { fixture in
            let token = try TokenRegistry(dataDirectory: folder.path + "/data")
                .create(stores: .all, right: .administer, at: fixture.clock.now).secret
            let status = { try await fixture.direct.send("GET", "/readyz").status }
            let takesWrites = { (value: Int) in
                let metrics = try await fixture.direct.send("GET", "/metrics", token: token).text
                return metrics.contains("muniment_takes_writes{store=\"default\"} \(value)\n")
                    && metrics.contains("\nmuniment_ready \(value)\n")
            }
            let change = #"{"as":"user:root","do":[{"op":"register","principal":"user:ann"}]}"#
            #expect(try await status() == 200)
            #expect(try await takesWrites(1))
            let filler = folder.path + "/filler"
            try Data(count: try #require(DiskSpace(at: folder.path)).freeBytes - 1_000_000).write(to: URL(filePath: filler))
            #expect(try await status() == 503)
            let detail = { (token: String) in try await fixture.direct.send("GET", "/readyz", token: token).text }
            let registry = TokenRegistry(dataDirectory: folder.path + "/data")
            for right: Right in [.observe, .administer] {
                let text = try await detail(try registry.create(stores: .all, right: right, at: fixture.clock.now).secret)
                #expect(text.contains("the store `default` takes no changes"), "\(text)")
            }
            let others: [(Right, StoreScope)] = [(.ask, .all), (.act(as: "user:ann"), .all), (.observe, .named(["other"]))]
            for (right, stores) in others {
                let text = try await detail(try registry.create(stores: stores, right: right, at: fixture.clock.now).secret)
                #expect(!text.contains("default") && text.contains("too little free space"), "\(text)")
            }
            #expect(try await !detail("muni_wrong").contains("default"))
            #expect(try await takesWrites(0))
            let refused = try await fixture.direct.send("POST", "/v1/stores/default/transactions", token: token, json: change)
            #expect(refused.status == 503 && refused.text.contains("disk has too little free space"), "\(refused.text)")
            let reason =
                "the store `default` takes no changes: the store in `\(folder.path)/data/default` cannot be opened or written now"
            #expect(reports.lines.count { $0.hasPrefix(reason) && $0.contains("free, and at least") } == 1, "\(reports.lines)")
            try FileManager.default.removeItem(atPath: filler)
            #expect(try await status() == 200)
            #expect(reports.lines.last == "info: the store `default` takes changes again", "\(reports.lines)")
        }
    }

    @Test("Metrics count requests, decisions, commits and refusals, in the Prometheus format, over a socket")
    func metrics() async throws {
        try await withService { fixture in
            let door = try fixture.live()
            let token = try fixture.administrator()
            try await prepare(door, token)
            for subject in ["user:ann", "user:ann", "user:bob"] { try await check(door, token, subject) }
            _ = try await door.send("GET", "/nowhere")
            let answer = try await door.send("GET", "/metrics", token: token)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Set(answer.text.split(separator: "\n").map(String.init))
            for line in [
                #"muniment_requests_total{route="check",method="POST",status="200"} 3"#,
                #"muniment_requests_total{route="none",method="any",status="404"} 1"#,
                #"muniment_request_seconds_count{route="check",method="POST"} 3"#,
                #"muniment_decisions_total{store="default",result="allowed"} 2"#,
                #"muniment_decisions_total{store="default",result="denied"} 1"#,
                #"muniment_takes_writes{store="default"} 1"#, #"muniment_waiting_transactions{store="default"} 0"#,
                #"muniment_log_sync_seconds_bucket{store="default",le="+Inf"} \#(commits(in: lines))"#,
            ] {
                #expect(lines.contains(line), "\(line) is missing")
            }
            #expect(commits(in: lines) > 0)
            #expect(
                lines.contains { $0.hasPrefix("muniment_connections ") && Int($0.split(separator: " ")[1]).map { $0 > 0 } == true })
            for figure in ["muniment_file_bytes", "muniment_map_bytes", "muniment_map_used_bytes", "muniment_readers"] {
                #expect(lines.contains { $0.hasPrefix(figure + #"{store="default",part="index"} "#) })
            }
            // Every metric has a type, and every value has a metric.
            let types = Set(lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] })
            for line in lines where !line.hasPrefix("#") {
                let name = String(line.prefix { $0 != "{" && $0 != " " })
                let figure = ["_bucket", "_sum", "_count"].reduce(name) {
                    $0.hasSuffix($1) && !types.contains($0[...]) ? String($0.dropLast($1.count)) : $0
                }
                #expect(types.contains(figure[...]), "\(line)")
            }
        }
    }

    @Test("Metrics need a token that may observe or administer, and omit stores that the token does not reach")
    func metricsScope() async throws {
        try await withService { fixture in
            #expect(try await fixture.direct.send("GET", "/metrics").status == 401)
            let acting = try fixture.token(.act(as: "user:ann"))
            #expect(try await fixture.direct.send("GET", "/metrics", token: acting).status == 403)
            #expect(try await fixture.direct.send("GET", "/metrics", token: try fixture.token(.ask, .all)).status == 403)
            let own = try await fixture.direct.send("GET", "/metrics", token: try fixture.token(.observe))
            #expect(own.status == 200 && own.text.contains("muniment_takes_writes{store=\"default\"} 1"))
            let elsewhere = try await fixture.direct.send("GET", "/metrics", token: try fixture.token(.observe, .named(["other"])))
            #expect(elsewhere.status == 200)
            #expect(!elsewhere.text.contains("default"))
        }
    }

    @Test("The log has one line per request with its id, route, caller and store, and never a secret")
    func requestLog() async throws {
        let written = Mutex<[UInt8]>([])
        try await withService { settings in
            settings.logFormat = .json
            settings.writeLog = { bytes in written.withLock { $0 += bytes } }
        } _: { fixture in
            let door = try fixture.live()
            let token = try fixture.administrator()
            try await prepare(door, token)
            let named = try await door.send(
                "POST", "/v1/stores/default/check", token: token,
                json: #"{"subject":"user:ann","privilege":"read","object":"doc:1"}"#,
                headers: [HTTPHeader("X-Request-ID", "mine-1")])
            #expect(named.header("X-Request-ID") == "mine-1")
            let unnamed = try await door.send("GET", "/healthz?token=\(token)")
            let made = try #require(unnamed.header("X-Request-ID"))
            _ = try await door.send("GET", "/healthz", headers: [HTTPHeader("X-Request-ID", String(repeating: "x", count: 5000))])
            _ = try await door.send("POST", "/v1/stores/default/check", token: token + "wrong", json: "{}")
            // The log line of a request is written after its response.
            try fixture.stopListening()
            fixture.service.operations.flush()
            let text = written.withLock { String(decoding: $0, as: UTF8.self) }
            #expect(!text.contains("muni_"))
            let lines = try text.split(separator: "\n").map { try JSONText.decode(Array($0.utf8)) }
            #expect(lines.count == 5)
            let check = try #require(lines.first { $0["request"] == .string("mine-1") })
            #expect(check["route"] == .string("check"))
            #expect(check["status"] == .integer(200))
            #expect(check["store"] == .string("default"))
            #expect(check["credential"] != nil)
            #expect(check["bytes"] == .integer(Int64(named.body.count)))
            #expect(lines.contains { $0["request"] == .string(made) && $0["path"] == .string("/healthz") })
            #expect(lines.contains { $0["status"] == .integer(401) && $0["credential"] == nil })
        }
    }

    @Test("A caller over the rate limit is told when to retry, and other callers are unaffected")
    func rateLimit() async throws {
        try await withService {
            $0.requestsPerSecond = 2
        } _: { fixture in
            let (door, first, second) = (fixture.direct, try fixture.administrator(), try fixture.administrator())
            var statuses: [Int] = []
            for _ in 0..<40 {
                let answer = try await door.send("GET", "/metrics", token: first)
                statuses.append(answer.status)
                #expect(answer.header("RateLimit-Policy") == "\"caller\";q=2;w=1")
                #expect(answer.header("RateLimit")?.hasPrefix("\"caller\";r=") == true)
                guard answer.status == 429 else { continue }
                #expect(answer.header("Retry-After") == "1")
                #expect(answer.header("Content-Type") == "application/problem+json")
                #expect(answer.headers.count { $0.name == "RateLimit" } == 1)
            }
            #expect(statuses.prefix(2) == [200, 200])
            #expect(statuses.contains(429))
            #expect(try await door.send("GET", "/metrics", token: second).status == 200)
            // Wrong tokens count against the address that sends them.
            var guesses: Set<Int> = []
            for number in 0..<20 { guesses.insert(try await door.send("GET", "/metrics", token: "muni_guess\(number)").status) }
            #expect(guesses == [401, 429])
            #expect(try await door.send("GET", "/healthz").status == 200)
        }
    }

    @Test("Without a rate limit, responses have no rate limit headers")
    func noLimit() async throws {
        try await withService { fixture in
            let answer = try await fixture.direct.send("GET", "/metrics", token: try fixture.administrator())
            #expect(answer.status == 200)
            #expect(answer.header("RateLimit") == nil)
        }
    }

    @Test("If the decision log is on, every decision is recorded with its caller, and administrators can page through them")
    func decisionLog() async throws {
        try await withService {
            $0.decisionLogs = .named(["default"])
        } _: { fixture in
            let (door, token) = (try fixture.live(), try fixture.administrator())
            try await prepare(door, token)
            for number in 0..<5 { try await check(door, token, "user:ann", id: "r\(number)") }
            try await check(door, token, "user:bob")
            let all = try await door.send("GET", "/v1/stores/default/decisions", token: token).json
            let decisions = try #require(list(all["decisions"]))
            #expect(decisions.count == 6)
            #expect(decisions[0]["subject"] == .string("user:ann"))
            #expect(decisions[0]["allowed"] == .bool(true))
            #expect(decisions[0]["request"] == .string("r0"))
            #expect(decisions[0]["credential"] != nil)
            #expect(decisions[5]["allowed"] == .bool(false))
            var (found, after): ([JSONValue], String) = ([], "")
            repeat {
                let page = try await door.send(
                    "GET", "/v1/stores/default/decisions?subject=user:ann&newest=true&limit=2" + after, token: token
                ).json
                found += list(page["decisions"]) ?? []
                if case .string(let next)? = page["next"] { after = "&cursor=" + next } else { after = "" }
            } while !after.isEmpty
            #expect(found.map { $0["request"] } == (0..<5).reversed().map { .string("r\($0)") })
            for bad in ["limit=0", "limit=x", "allowed=maybe", "from=yesterday", "cursor=-1", "colour=red", "limit=1&limit=2"] {
                #expect(try await door.send("GET", "/v1/stores/default/decisions?" + bad, token: token).status == 400, "\(bad)")
            }
            let asking = try fixture.token(.ask)
            #expect(try await door.send("GET", "/v1/stores/default/decisions", token: asking).status == 403)
        }
    }

    @Test("If the decision log is off, nothing is recorded, and the response says so")
    func noDecisionLog() async throws {
        try await withService { fixture in
            let token = try fixture.administrator()
            try await prepare(fixture.direct, token)
            try await check(fixture.direct, token, "user:ann")
            let answer = try await fixture.direct.send("GET", "/v1/stores/default/decisions", token: token)
            #expect(answer.status == 404)
            #expect(answer.text.contains("--decision-log default"))
            #expect(!FileManager.default.fileExists(atPath: fixture.directory + "/.muniment/decisions"))
        }
    }

    private func prepare(_ door: any ServiceClient, _ token: String) async throws {
        let changes = """
            {"as":"user:root","do":[{"op":"defineClass","class":"doc"},{"op":"register","principal":"user:ann"},\
            {"op":"createObject","object":"doc:1"},{"op":"grant","subject":"everyone","object":"store","privileges":["read"]},\
            {"op":"grant","subject":"everyone","object":"class:doc","privileges":["read"]},\
            {"op":"grant","subject":"user:ann","object":"doc:1","privileges":["read"]}]}
            """
        #expect(try await door.send("POST", "/v1/stores/default/transactions", token: token, json: changes).status == 200)
    }

    private func check(_ door: any ServiceClient, _ token: String, _ subject: String, id: String? = nil) async throws {
        let answer = try await door.send(
            "POST", "/v1/stores/default/check", token: token,
            json: #"{"subject":"\#(subject)","privilege":"read","object":"doc:1"}"#,
            headers: id.map { [HTTPHeader("X-Request-ID", $0)] } ?? [])
        #expect(answer.status == 200)
    }

    private func list(_ value: JSONValue?) -> [JSONValue]? { if case .array(let list)? = value { list } else { nil } }

    private func commits(in lines: Set<String>) -> Int {
        let prefix = #"muniment_commits_total{store="default"} "#
        return lines.first { $0.hasPrefix(prefix) }.flatMap { Int($0.dropFirst(prefix.count)) } ?? 0
    }
}

internal import Credentials
internal import Events
internal import HTTPServer
internal import Identity
internal import Muniment

/// The current metrics of the service.
struct ServiceMetrics {
    private let operations: Operations
    private let routes: [Route]
    private let stores: [HostedStore]
    private let load: (running: Int, waiting: Int)
    /// Nil without accounts.
    private let passwordHashes: Int?

    /// - Parameter caller: the metrics contain only stores that this caller may know.
    init(of service: MunimentService, for caller: Caller?) {
        operations = service.operations
        routes = service.router.routes
        load = service.work.load
        passwordHashes = service.accounts?.accounts.passwordHashCount
        stores = service.data.open.filter { caller?.stores.includes($0.name.text) ?? false }
    }

    var text: String {
        var text = MetricsText()
        writeRequests(to: &text)
        writeService(to: &text)
        writeDecisions(to: &text)
        writeWrites(to: &text)
        writeSizes(to: &text)
        return text.text
    }

    private var requests: [(labels: [(String, String)], counts: RequestCounts)] {
        zip(routes, operations.counts.routes).map { ([("route", $0.name), ("method", $0.method)], $1) }
            + [([("route", "none"), ("method", "any")], operations.counts.elsewhere)]
    }

    private func writeRequests(to text: inout MetricsText) {
        text.begin(
            "muniment_requests_total", .counter, "Finished requests, by route and status; status 0: the client had disconnected.")
        for (labels, counts) in requests {
            for (status, count) in counts.answered {
                text.value("muniment_requests_total", labels + [("status", "\(status)")], count)
            }
        }
        text.begin("muniment_request_seconds", .histogram, "Time from the head of a request to the end of its response, by route.")
        for (labels, counts) in requests where !counts.answered.isEmpty {
            text.histogram("muniment_request_seconds", labels, counts.durations.value)
        }
    }

    private func writeService(to text: inout MetricsText) {
        let counts = operations.counts
        text.begin("muniment_rate_limited_total", .counter, "Requests with response 429.")
        text.value("muniment_rate_limited_total", [], counts.overLimit.value)
        text.begin("muniment_notices_sent_total", .counter, "Notices written to streams.")
        text.value("muniment_notices_sent_total", [], counts.noticesSent.value)
        text.begin("muniment_open_streams", .gauge, "Open streams.")
        text.value("muniment_open_streams", [], counts.openStreams.value)
        text.begin("muniment_questions", .gauge, "Questions in the queue, by state: running or waiting.")
        text.value("muniment_questions", [("state", "running")], load.running)
        text.value("muniment_questions", [("state", "waiting")], load.waiting)
        text.begin(
            "muniment_log_lines_dropped_total", .counter, "Lines of the service's log dropped because the reader was too slow.")
        text.value("muniment_log_lines_dropped_total", [], counts.linesDropped.value)
        if let passwordHashes {
            text.begin("muniment_password_hashes_total", .counter, "Passwords hashed, to be stored or compared.")
            text.value("muniment_password_hashes_total", [], passwordHashes)
        }
    }

    private func writeDecisions(to text: inout MetricsText) {
        text.begin("muniment_decisions_total", .counter, "Responses to access checks.")
        for store in stores {
            let counts = store.decisions
            for (result, count) in [("allowed", counts.allowed), ("denied", counts.denied)] {
                text.value("muniment_decisions_total", [("store", store.name.text), ("result", result)], count.value)
            }
        }
        text.begin("muniment_decision_log_records_total", .counter, "Decisions written to the decision log.")
        for (labels, log) in logs { text.value("muniment_decision_log_records_total", labels, log.recorded.value) }
        text.begin("muniment_decision_log_dropped_total", .counter, "Decisions dropped because the decision log was full.")
        for (labels, log) in logs { text.value("muniment_decision_log_dropped_total", labels, log.dropped.value) }
    }

    private var logs: [([(String, String)], DecisionLog)] {
        stores.compactMap { store in store.decisionLog.map { ([("store", store.name.text)], $0) } }
    }

    private func writeWrites(to text: inout MetricsText) {
        let activities = stores.map { (labels: [("store", $0.name.text)], activity: $0.store.activity) }
        text.begin("muniment_commits_total", .counter, "Commits since the start of the service.")
        for (labels, activity) in activities { text.value("muniment_commits_total", labels, activity.commits) }
        text.begin("muniment_events_total", .counter, "Events in these commits.")
        for (labels, activity) in activities { text.value("muniment_events_total", labels, activity.events) }
        text.begin("muniment_refusals_total", .counter, "Refused commands that were recorded.")
        for (labels, activity) in activities { text.value("muniment_refusals_total", labels, activity.refusals) }
        text.begin(
            "muniment_log_sync_seconds", .histogram, "Time for a group of commits to reach the disk, including its sync.")
        for (labels, activity) in activities { text.histogram("muniment_log_sync_seconds", labels, activity.writes) }
    }

    private func writeSizes(to text: inout MetricsText) {
        let usages = stores.compactMap { store -> (String, StoreUsage)? in
            guard let usage = try? store.store.usage() else { return nil }
            return (store.name.text, usage)
        }
        let figures: [(String, String, (StoreUsage.Part) -> Int)] = [
            ("muniment_file_bytes", "Bytes of the file.", \.fileBytes),
            ("muniment_map_bytes", "Bytes of address space that the map reserves.", \.mapBytes),
            ("muniment_map_used_bytes", "Bytes of the map up to the last page ever used.", \.usedBytes),
            ("muniment_readers", "Open views, of all processes.", \.readers),
        ]
        for (name, help, figure) in figures {
            text.begin(name, .gauge, help)
            for (store, usage) in usages {
                text.value(name, [("store", store), ("part", "log")], figure(usage.log))
                text.value(name, [("store", store), ("part", "index")], figure(usage.index))
            }
        }
        text.begin(
            "muniment_clock_wrong", .gauge, "1 if the store refuses commits because the machine's clock is wrong, otherwise 0.")
        for store in stores {
            guard let problem = try? store.store.clockProblem.map({ _ in 1 }) ?? 0 else { continue }
            text.value("muniment_clock_wrong", [("store", store.name.text)], problem)
        }
        text.begin(
            "muniment_takes_writes", .gauge,
            "1 if the store takes writes, 0 if a write or a sync has failed or the disk has too little free space.")
        for store in stores {
            let takesWrites = store.store.obstacleToWriting == nil && !store.store.lacksDiskSpace
            text.value("muniment_takes_writes", [("store", store.name.text)], takesWrites ? 1 : 0)
        }
    }
}

internal import Credentials
internal import Events
internal import HTTPServer
internal import Identity
internal import Muniment
internal import Work

/// The current metrics of the service.
struct ServiceMetrics {
    private let operations: Operations
    private let routes: [Route]
    private let stores: [HostedStore]
    private let process: ProcessMetrics
    private let runs: LastRun
    private let unserved: [StoreName]
    private let isReady: Bool
    private let caller: Caller?
    private let now: Instant
    /// Nil without accounts.
    private let passwordHashes: Int?
    /// Nil without a shared log.
    private let skippedTokenLines: Int?

    /// - Parameter caller: the metrics contain only stores that this caller may know.
    init(of service: MunimentService, for caller: Caller?) {
        operations = service.operations
        routes = service.router.routes
        process = ProcessMetrics(of: service)
        runs = LastRun(dataDirectory: service.data.path)
        unserved = service.data.unserved.map(\.name)
        isReady = !service.operations.isStopping && service.readiness.check() == nil
        self.caller = caller
        now = service.settings.clock()
        passwordHashes = service.accounts?.accounts.passwordHashCount
        skippedTokenLines = service.tokens.skippedSharedLines
        stores = service.data.open.filter { caller?.stores.includes($0.name.text) ?? false }
    }

    var text: String {
        var text = MetricsText()
        process.write(to: &text)
        writeRequests(to: &text)
        writeService(to: &text)
        writeDecisions(to: &text)
        writeWrites(to: &text)
        writeSizes(to: &text)
        writeTimes(to: &text)
        writeSharedLogs(to: &text)
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
        text.metric("muniment_rate_limited_total", .counter, "Requests with response 429.", counts.overLimit.value)
        text.metric("muniment_notices_sent_total", .counter, "Notices written to streams.", counts.noticesSent.value)
        text.metric(
            "muniment_changes_sent_total", .counter, "Changes of objects and of queries written to streams.",
            counts.changesSent.value)
        text.metric(
            "muniment_replica_writes_total", .counter, "Writes of steps to the streams of replicas.", counts.replicaWrites.value)
        text.metric("muniment_open_streams", .gauge, "Open streams.", counts.openStreams.value)
        text.metric(
            "muniment_log_lines_dropped_total", .counter, "Lines of the service's log dropped because the reader was too slow.",
            counts.linesDropped.value)
        text.metric(
            "muniment_ready", .gauge, "1 if `/readyz` responds with the status 200, otherwise 0; the log has the reason.",
            isReady ? 1 : 0)
        text.metric(
            "muniment_unserved_stores", .gauge,
            "Stores that are not served: damaged, inaccessible, rolled back, or their folder is missing.", unserved.count)
        let known = unserved.filter { caller?.stores.includes($0.text) ?? false }
        text.metric(
            "muniment_store_served", .gauge, "1 if the store is served, otherwise 0.",
            stores.map { ([("store", $0.name.text)], 1) } + known.map { ([("store", $0.text)], 0) })
        guard let passwordHashes else { return }
        text.metric("muniment_password_hashes_total", .counter, "Passwords hashed, to be stored or compared.", passwordHashes)
    }

    private func writeDecisions(to text: inout MetricsText) {
        let decisions = stores.flatMap { store in
            [("allowed", store.decisions.allowed), ("denied", store.decisions.denied)].map { result, count in
                ([("store", store.name.text), ("result", result)], count.value)
            }
        }
        text.metric("muniment_decisions_total", .counter, "Responses to access checks.", decisions)
        text.metric(
            "muniment_decision_log_records_total", .counter, "Decisions written to the decision log.",
            logs.map { ($0, $1.recorded.value) })
        text.metric(
            "muniment_decision_log_dropped_total", .counter, "Decisions dropped because the decision log was full.",
            logs.map { ($0, $1.dropped.value) })
    }

    private var logs: [([(String, String)], DecisionLog)] {
        stores.compactMap { store in store.decisionLog.map { ([("store", store.name.text)], $0) } }
    }

    private func writeWrites(to text: inout MetricsText) {
        let activities = stores.map { (labels: [("store", $0.name.text)], activity: $0.store.activity) }
        text.metric(
            "muniment_commits_total", .counter, "Commits since the start of the service.", activities.map { ($0, $1.commits) })
        text.metric("muniment_events_total", .counter, "Events in these commits.", activities.map { ($0, $1.events) })
        text.metric(
            "muniment_refusals_total", .counter, "Refused commands that were recorded.", activities.map { ($0, $1.refusals) })
        text.metric(
            "muniment_waiting_transactions", .gauge, "Transactions that wait for the writer of the store.",
            stores.map { ([("store", $0.name.text)], $0.store.waitingTransactions) })
        text.begin(
            "muniment_log_sync_seconds", .histogram, "Time for a group of commits to reach the disk, including its sync.")
        for (labels, activity) in activities { text.histogram("muniment_log_sync_seconds", labels, activity.writes) }
    }

    private func writeSizes(to text: inout MetricsText) {
        let usages = stores.compactMap { store in (try? store.store.usage()).map { (store.name.text, $0) } }
        let figures: [(String, String, (StoreUsage.Part) -> Int)] = [
            ("muniment_file_bytes", "Bytes of the file.", \.fileBytes),
            ("muniment_map_bytes", "Bytes of address space that the map reserves.", \.mapBytes),
            ("muniment_map_used_bytes", "Bytes of the map up to the last page ever used.", \.usedBytes),
            ("muniment_readers", "Open views, of all processes.", \.readers),
        ]
        for (name, help, figure) in figures {
            text.metric(
                name, .gauge, help,
                usages.flatMap { store, usage in
                    [("log", usage.log), ("index", usage.index)].map { ([("store", store), ("part", $0)], figure($1)) }
                })
        }
        text.metric(
            "muniment_clock_wrong", .gauge, "1 if the store refuses commits because the machine's clock is wrong, otherwise 0.",
            stores.compactMap { store in (try? store.store.clockProblem == nil).map { ([("store", store.name.text)], $0 ? 0 : 1) } }
        )
        text.metric(
            "muniment_takes_writes", .gauge,
            "1 if the store takes writes, 0 if a write or a sync has failed, the clock is wrong, or the disk has too little free space.",
            stores.map { store in ([("store", store.name.text)], store.store.takesWrites ? 1 : 0) })
    }

    /// Metrics of stores with a shared log.
    private func writeSharedLogs(to text: inout MetricsText) {
        let shared = stores.compactMap { store in
            store.store.sharedLogStatus.map { (labels: [("store", store.name.text)], status: $0, lag: store.lagSeconds) }
        }
        if let skippedTokenLines {
            text.metric(
                "muniment_shared_log_foreign_token_lines", .gauge,
                "Lines in the shared log of tokens that no node made; they are skipped.", skippedTokenLines)
        }
        if shared.isEmpty { return }
        text.metric(
            "muniment_shared_log_lag_seconds", .gauge, "Time since this node last had everything that the shared log had.",
            seconds: shared.map { ($0.labels, $0.lag ?? .infinity) })
        text.metric(
            "muniment_shared_log_reachable", .gauge, "1 if the shared log answered the last time, otherwise 0.",
            shared.map { ($0.labels, $0.status.failure == nil ? 1 : 0) })
        text.metric(
            "muniment_shared_log_conflicts_total", .counter, "Groups decided again, because another node appended first.",
            shared.map { ($0.labels, $0.status.conflicts) })
    }

    private func writeTimes(to text: inout MetricsText) {
        let heads = stores.compactMap { store in (try? store.store.head).map { ([("store", store.name.text)], $0) } }
        text.metric("muniment_head_revision", .gauge, "Revision of the newest commit.", heads.map { ($0, $1.revision.rawValue) })
        text.metric(
            "muniment_head_timestamp_seconds", .gauge, "Time of the newest commit, in seconds since 1970.",
            seconds: heads.map { ($0, $1.time.seconds) })
        text.metric(
            "muniment_clock_ahead_seconds", .gauge,
            "The machine's clock minus the time of the newest commit; negative if the clock lags.",
            seconds: heads.map { ($0, now.seconds - $1.time.seconds) })
        write(.backup, "the last `muniment backup`", to: &text)
        write(.verification, "the last successful verification", to: &text)
    }

    /// The time and the age of the last run of each store that has one.
    private func write(_ kind: LastRun.Kind, _ words: String, to text: inout MetricsText) {
        let name = "muniment_\(kind.rawValue)"
        let times = stores.compactMap { store in
            runs.time(kind, of: store.name).map { ([("store", store.name.text)], $0.seconds) }
        }
        text.metric(
            "\(name)_timestamp_seconds", .gauge, "Time of \(words), in seconds since 1970; none without one.", seconds: times)
        text.metric(
            "\(name)_age_seconds", .gauge, "Time since \(words).", seconds: times.map { ($0, now.seconds - $1) })
    }
}

extension Store {
    fileprivate var takesWrites: Bool {
        guard case .some(.none) = try? clockProblem else { return false }
        return obstacleToWriting == nil && lackOfDiskSpace == nil
    }
}

extension Instant {
    fileprivate var seconds: Double { Double(microseconds) / 1e6 }
}

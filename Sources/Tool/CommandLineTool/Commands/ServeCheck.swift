import Credentials
import EventLog
import Events
import Files
import HTTPServer
import Muniment
import Service

extension Invocation {
    /// Checks everything that a start of the service needs, and prints the plan of the start. Changes nothing.
    ///
    /// - Returns: ``ExitCode/failure`` if a start would fail, would not serve a store, or would serve one that takes no changes.
    func checkService(_ configuration: Configuration) throws -> ExitCode {
        for (name, setting) in configuration.settings.sorted(by: { $0.key < $1.key }) {
            // The address of a shared log may contain a password.
            let isSecret = name == Option.sharedLogAddress.name
            try output.line("setting  \(name) = \(isSecret ? "…" : setting.value)  (\(setting.source))")
        }
        for warning in configuration.warnings { try output.line(ServeCheck.Word.note.rawValue + warning) }
        let plan = try servicePlan()
        if let issuerWarning { try output.line(ServeCheck.Word.note.rawValue + issuerWarning) }
        var check = ServeCheck(output: output)
        let directory = plan.settings.dataDirectory
        let running = RunningService(dataDirectory: directory)
        let survey = try DataDirectorySurvey(directory)
        defer { plan.settings.sharedLogs?.close() }
        var shared: [StoreName] = []
        var isReached = false
        try check.step {
            guard let logs = plan.settings.sharedLogs else { return [] }
            do {
                try logs.check()
                shared = try logs.names().compactMap { StoreName($0) }
                isReached = true
                return [(.plan, "uses the shared log")]
            } catch let error as SharedLogError {
                guard case .unreachable = error, !survey.stores.isEmpty else { throw error }
                return [(.note, "the service begins with its copies: \(error)")]
            }
        }
        try check.step {
            var lines = survey.problem.map { [(ServeCheck.Word.problem, $0)] } ?? []
            if lines.isEmpty, !survey.exists { lines.append((.plan, "creates the folder `\(directory)`")) }
            lines += try storeLines(survey, plan.settings, isRunning: running != nil)
            var stores = survey.stores + survey.missing
            let copied = shared.filter { !stores.contains($0) }
            stores += copied
            lines += copied.map { (.plan, "copies the store `\($0)` from the shared log") }
            if lines.allSatisfy({ $0.0 == .plan }), stores.isEmpty {
                stores = [.default]
                lines.append((.plan, "creates the store `\(StoreName.default)` and a token with all rights"))
            }
            if let first = survey.openToOthers.first {
                let count = survey.openToOthers.count
                lines.append(
                    (
                        .note,
                        "other users can open `\(first)`" + (count > 1 ? " and \(count - 1) others" : "")
                            + ": the start closes them"
                    ))
            }
            for name in try checkAccounts() where survey.problem == nil && !stores.contains(name) {
                lines.append((.problem, "the store `\(name)` of the accounts does not exist: create it with `muniment init`"))
            }
            if survey.problem == nil { lines += unknownStoreWarnings(stores, in: directory).map { (.note, $0) } }
            return lines
        }
        try check.step {
            if survey.exists, survey.problem == nil { _ = try TokenRegistry(dataDirectory: directory).list() }
            if isReached, let log = plan.settings.sharedLogs?.log(of: SharedLogNames.tokens) {
                try TokenRegistry(dataDirectory: directory, shared: log).checkSharedLog()
            }
            return []
        }
        try check.step {
            let tls = try plan.tls?.read()
            var server = try serverSettings(plan, tls: tls?.files, descriptorLimit: raiseDescriptorLimit())
            var lines: [(ServeCheck.Word, String)] = []
            if let running {
                lines.append(
                    (.note, "a service runs on `\(directory)` now, at \(running.address): stop it before the start"))
                // The address of the running service becomes free when it stops.
                if running.address.hasSuffix(":\(plan.endpoint.port)") { server.port = 0 }
            }
            try TLSPaths.naming(plan.tls) { try HTTPServer.check(server) }
            lines.append((.plan, "listens on \(plan.address(port: plan.endpoint.port))"))
            if let tls {
                let problem = tls.problem(at: plan.settings.clock())
                lines.append(
                    problem.map { (.note, TLSPaths.warning($0)) }
                        ?? (.plan, "uses the certificate `\(tls.path)`, valid until \(tls.validity.upperBound)"))
            }
            return lines
        }
        return check.hasFailed ? .failure : .success
    }

    /// Returns what a start would do with each store of the data directory, or why it could not open the store.
    private func storeLines(
        _ survey: DataDirectorySurvey, _ settings: ServiceSettings, isRunning: Bool
    ) throws -> [(ServeCheck.Word, String)] {
        var lines: [(ServeCheck.Word, String)] = []
        var used: [StoreName] = []
        for name in survey.stores {
            var options = settings.storeOptions
            options.sharedLog = settings.sharedLogs?.log(of: name.text)
            let path = "\(settings.dataDirectory)/\(name)"
            do {
                if let obstacle = try Store.checkOpening(at: path, options: options) {
                    lines.append((.problem, "the store `\(name)` would take no changes: \(obstacle)"))
                }
            } catch StoreError.heldByAnotherWriter where isRunning {
                used.append(name)
            } catch {
                if let reason = UnusableStoreError(error, at: path) {
                    lines.append((.problem, "the store `\(name)` would not be served: \(reason)"))
                    continue
                }
                lines.append((.problem, "the store `\(name)` cannot be opened: \(Failure(error).message ?? "\(error)")"))
                continue
            }
            lines.append((.plan, "serves the store `\(name)`"))
        }
        for name in survey.missing {
            guard let absence = try Store.absence(at: "\(settings.dataDirectory)/\(name)") else { continue }
            lines.append((.problem, "the store `\(name)` would not be served: \(absence)"))
        }
        if !used.isEmpty {
            let names = used.map { "`\($0)`" }.joined(separator: ", ")
            lines.append((.note, "the running service has these stores open, so their files were not checked: \(names)"))
        }
        return lines
    }
}

/// The lines of a check, and whether it found a problem.
private struct ServeCheck {
    enum Word: String {
        /// The plan of a start.
        case plan = "start    "
        case note = "note     "
        /// Why a start would fail, would not serve a store, or would serve one that takes no changes.
        case problem = "problem  "
    }

    let output: Output
    private(set) var hasFailed = false

    /// Prints the lines of a step, or why it failed.
    mutating func step(_ body: () throws -> [(Word, String)]) throws {
        let lines: [(Word, String)]
        do { lines = try body() } catch let error as UsageError { lines = [(.problem, error.problem)] } catch {
            lines = [(.problem, Failure(error).message ?? "\(error)")]
        }
        hasFailed = hasFailed || lines.contains { $0.0 == .problem }
        for (word, line) in lines { try output.line(word.rawValue + line) }
    }
}

import Credentials
import Events
import Files
import HTTPServer
import Muniment
import Service

extension Invocation {
    /// Checks everything that a start of the service needs, and prints the plan of the start. Changes nothing.
    ///
    /// - Returns: ``ExitCode/failure`` if a start would fail.
    func checkService(_ configuration: Configuration) throws -> ExitCode {
        for (name, setting) in configuration.settings.sorted(by: { $0.key < $1.key }) {
            // The address of a shared log may contain a password.
            let isSecret = name == Option.sharedLogAddress.name
            try output.line("setting  \(name) = \(isSecret ? "…" : setting.value)  (\(setting.source))")
        }
        let plan = try servicePlan()
        var check = ServeCheck(output: output)
        let directory = plan.settings.dataDirectory
        let running = RunningService(dataDirectory: directory)
        try check.step {
            let survey = try DataDirectorySurvey(directory)
            var lines = survey.problem.map { [(ServeCheck.Word.problem, $0)] } ?? []
            if lines.isEmpty, !survey.exists { lines.append((.plan, "creates the folder `\(directory)`")) }
            lines += survey.stores.map { (.plan, "serves the store `\($0)`") }
            lines += survey.missing.map { (.problem, "\(StoreError.missing(path: "\(directory)/\($0)"))") }
            if lines.allSatisfy({ $0.0 == .plan }), survey.stores.isEmpty {
                lines.append((.plan, "creates the store `\(StoreName.default)` and a token with all rights"))
            }
            for name in try checkAccounts() where survey.problem == nil && !survey.stores.contains(name) {
                lines.append((.problem, "the store `\(name)` of the accounts does not exist: create it with `muniment init`"))
            }
            return lines
        }
        try check.step {
            let tls = try plan.tls?.read()
            var server = try serverSettings(plan.endpoint, plan.settings, tls: tls?.files, descriptorLimit: raiseDescriptorLimit())
            var lines: [(ServeCheck.Word, String)] = []
            if let running {
                lines.append(
                    (.note, "a service runs on `\(directory)` now, at \(running.address): stop it before the start"))
                // The address of the running service becomes free when it stops.
                if running.address.hasSuffix(":\(plan.endpoint.port)") { server.port = 0 }
            }
            try HTTPServer.check(server)
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
}

/// The lines of a check, and whether it found a problem.
private struct ServeCheck {
    enum Word: String {
        /// The plan of a start.
        case plan = "start    "
        case note = "note     "
        /// Why a start would fail.
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

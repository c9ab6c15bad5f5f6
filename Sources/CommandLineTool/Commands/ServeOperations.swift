import Events
import Files
import Foundation
import Service

extension Option {
    fileprivate static let log = Option(
        "log", value: "text|json|none", "a line on standard error for each request that is over (default: none)")
    fileprivate static let rate = Option(
        "rate-limit", value: "NUMBER", "requests a second that one caller may go on sending (default: any number)")
    fileprivate static let decisions = Option(
        "decision-log", value: "NAME[,NAME…]", "stores of which every decision is kept; `*` for all of them (default: none)")

    /// What `serve` takes about how it is run.
    static let operations: [Option] = [log, rate, decisions]
}

extension Call {
    /// How the service writes its log.
    var logFormat: LogFormat {
        get throws {
            guard let text = options[.log] else { return .none }
            guard let format = LogFormat(rawValue: text) else {
                throw UsageError("`\(text)` is no way to write a log; write text, json or none")
            }
            return format
        }
    }

    /// Puts what the options say about running into settings.
    func setOperations(in settings: inout ServiceSettings) throws {
        settings.logFormat = try logFormat
        settings.writeLog = { bytes in try? FileHandle.standardError.write(contentsOf: Data(bytes)) }
        settings.requestsPerSecond = try options[.rate].map(Values.count)
        guard let text = options[.decisions] else { return }
        let names = Values.list(text)
        guard names != ["*"] else {
            settings.decisionLogs = .all
            return
        }
        guard !names.isEmpty, names.allSatisfy({ StoreName($0) != nil }) else {
            throw UsageError("`\(text)` names no store; write names of stores with commas between them, or `*` for all of them")
        }
        settings.decisionLogs = .stores(names)
    }

    /// Tells systemd how the service is, where that has started it.
    func tellManager(_ state: String) {
        guard let socket = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] else { return }
        tellServiceManager(state, at: socket)
    }
}

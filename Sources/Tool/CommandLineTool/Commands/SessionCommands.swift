import Credentials
import Events
import NetworkClient
import Wire

extension Command {
    static let sessionList = Command(
        "session list", "list the open browser sessions of a running service", options: [.data, .format, .utc, .json],
        example: Example(
            "session list --data data",
            "1  token t1  127.0.0.1  made 2026-01-31T10:21:00Z  used 2026-01-31T10:22:00Z")
    ) { call in
        try call.end()
        var printer = try ListPrinter(call, columns: ["id", "credential", "principal", "client", "made", "used", "until"])
        let zone = printer.zone
        try call.runningService().forEach("sessions", at: "/v1/browser-sessions") { session in
            func time(_ name: String) -> Instant? { session.text(name).flatMap { try? Instant($0) } }
            let words = ["id", "credential", "principal", "client"].map { session.text($0) }
            let times = ["made", "used"].map { "\($0) \(time($0).map(zone.text) ?? "")" }
            try printer.print(
                session, lines: [(words.compactMap(\.self) + times).joined(separator: "  ")],
                rows: [words.map { .text($0) } + ["made", "used", "until"].map { .time(time($0)) }])
        }
        try printer.end()
        return .success
    }

    static let sessionRevoke = Command(
        "session revoke", "end a browser session of a running service at once", sentence: "ID", options: [.data, .json],
        example: Example("session revoke 1 --data data", "revoked 1")
    ) { call in
        let text = try call.word("the id of the session")
        try call.end()
        guard let id = UInt64(text) else {
            throw UsageError("`\(text)` is not the id of a browser session; write a number from `muniment session list`")
        }
        _ = try call.runningService().send(.delete, "/v1/browser-sessions/\(id)")
        return try call.answer(.object(["id": .string("\(id)")]), lines: ["revoked \(id)"])
    }
}

extension Invocation {
    /// Returns the running service, which keeps the browser sessions.
    fileprivate func runningService() throws -> AccountsAccess {
        let directory = try dataDirectory
        try requireFolder(directory)
        guard let service = RunningService(dataDirectory: directory) else {
            throw UsageError("no service runs on `\(directory)`; start it to list or end its browser sessions")
        }
        return .service(service)
    }
}

import Credentials
import Events
import Files
import Foundation
import HTTPServer
import Service

extension Option {
    fileprivate static let requestLog = Option(
        "request-log", value: "text|json|none", "log each finished request on standard error (default: none)")
    fileprivate static let rate = Option(
        "rate-limit", value: "NUMBER", "the sustained requests per second of one caller (default: unlimited)")
    fileprivate static let deadline = Option(
        "deadline", value: "[ROUTE=]SECONDS[,…]",
        "the time limit of a response, or of a route, such as 30,whatIf=120 (default: 30)")
    fileprivate static let proxies = Option(
        "trusted-proxies", value: "ADDRESS[,ADDRESS…]",
        "addresses of trusted proxies, or ranges such as 10.0.0.0/8: the service takes the caller's address from their "
            + "`X-Forwarded-For` (default: none)")
    static let decisions = Option(
        "decision-log", value: "NAME[,NAME…]", "stores with a log of all decisions; `*` for all of them (default: none)")
    fileprivate static let subjectTypes = Option(
        "subject-types", value: "TYPE=user|thing|role[,…]",
        "types of subjects in AuthZEN requests that mean another type, such as identity=user (default: none)")
    fileprivate static let origins = Option(
        "allow-origin", value: "ORIGIN[,ORIGIN…]",
        "origins of web pages that may call the service, such as https://app.example.com (default: none)")
    fileprivate static let hosts = Option(
        "allow-host", value: "NAME[,NAME…]",
        "more names of the service: IP addresses, localhost, and the names of the certificate and of `--public-address` are always "
            + "accepted (default: none)")
    static let clockLimits = Option(
        "clock-limits", value: "MINUTES|none",
        "refuse commits if the clock is further behind the newest commit, or has jumped further ahead, than this; none: no check "
            + "(default: 5 behind, 10 ahead)")

    /// The options of `serve` for operation.
    static let operations: [Option] = [requestLog, rate, deadline, proxies, decisions, subjectTypes, origins, hosts, clockLimits]
}

extension Invocation {
    /// Sets the operation settings from the options.
    func setOperations(in settings: inout ServiceSettings) throws {
        settings.logFormat =
            try options.choice(of: .requestLog, "is not a format of the log of requests; write text, json or none")
            ?? LogFormat.none
        settings.writeLog = ServiceLog.write
        settings.requestsPerSecond = try options.value(of: .rate, Values.count)
        settings.trustedProxies = try options.value(of: .proxies, Values.proxies) ?? []
        settings.deadlines = try options.value(of: .deadline, Values.deadlines) ?? RouteDeadlines()
        settings.subjectTypes = try options.value(of: .subjectTypes, Values.subjectTypes) ?? [:]
        settings.allowedOrigins = try options.value(of: .origins, Values.origins) ?? []
        settings.allowedHosts = try options.value(of: .hosts, Values.hosts) ?? []
        settings.decisionLogs = try stores(.decisions)
    }

    /// Warns if the service has accounts, but neither TLS nor configured proxies. If a proxy terminates TLS, all users have its
    /// address.
    func warnOfProxies(_ settings: ServiceSettings, _ log: ServiceLog) {
        guard settings.accounts != nil, !settings.usesTLS, settings.trustedProxies.isEmpty else { return }
        log.write(
            .warning,
            "the service has no TLS: with a proxy in front, all users have the proxy's address, so one user who guesses passwords blocks "
                + "the sign-in of all users; if there is a proxy, add `\(Option.proxies.usage)`")
    }

    /// Reports the state of the service to systemd, if systemd started it.
    func tellManager(_ state: String) {
        guard let socket = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] else { return }
        tellServiceManager(state, at: socket)
    }
}

extension Values {
    fileprivate static func subjectTypes(_ text: String) throws -> [String: String] {
        let types = ["user", "thing", "role", "everyone", "anonymous"]
        var meanings: [String: String] = [:]
        for part in list(text) {
            let words = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 2, !words[0].isEmpty, types[..<3].contains(words[1]) else {
                throw UsageError("`\(part)` does not map a type of subjects; write TYPE=user, TYPE=thing or TYPE=role")
            }
            guard !types.contains(words[0]), meanings.updateValue(words[1], forKey: words[0]) == nil else {
                throw UsageError("`\(words[0])` already is a type of subjects; map another type")
            }
        }
        return meanings
    }

    fileprivate static func deadlines(_ text: String) throws -> RouteDeadlines {
        var deadlines = RouteDeadlines()
        for part in list(text) {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let limit = Duration.seconds(try count(words[words.count - 1]))
            guard words.count == 2 else {
                deadlines.all = limit
                continue
            }
            guard RouteDeadlines.routeNames.contains(words[0]) else {
                throw UsageError(
                    "`\(words[0])` is not a route with a time limit; write one of "
                        + RouteDeadlines.routeNames.sorted().joined(separator: ", "))
            }
            deadlines.byRoute[words[0]] = limit
        }
        return deadlines
    }

    fileprivate static func origins(_ text: String) throws -> Set<WebOrigin> {
        Set(
            try list(text).map { text in
                guard let origin = WebOrigin(text) else {
                    throw UsageError(
                        "`\(text)` is not an origin; write https://HOST[:PORT] as browsers send it: in lowercase letters, without a "
                            + "path, without `*` and without the usual port")
                }
                return origin
            })
    }

    fileprivate static func hosts(_ text: String) throws -> Set<HostName> {
        let texts = list(text)
        guard !texts.isEmpty else { throw UsageError("the value is empty; write a name such as permissions.example.com") }
        return Set(
            try texts.map { text in
                if IPAddress(text) != nil {
                    throw UsageError("`\(text)` is an IP address, and those are always accepted; omit it")
                }
                guard let name = HostName(text) else {
                    throw UsageError(
                        "`\(text)` is not a host name; write a name such as permissions.example.com, without a scheme, a port, a path "
                            + "and `*`, with other letters in Punycode")
                }
                return name
            })
    }

    fileprivate static func proxies(_ text: String) throws -> [IPAddressRange] {
        let texts = list(text)
        guard !texts.isEmpty else { throw UsageError("the value is empty; write the address of a proxy") }
        return try texts.map { text in
            guard let range = IPAddressRange(text) else {
                throw UsageError(
                    "`\(text)` is not the address of a proxy; write an IP address such as 10.0.0.1 or 2001:db8::1, or a range such as "
                        + "10.0.0.0/8")
            }
            return range
        }
    }
}

/// The log of the service on standard error.
struct ServiceLog: Sendable {
    let format: LogFormat

    func write(_ level: LogLevel, _ text: String) { Self.write(format.message(text, level)) }

    /// Writes whole lines.
    static func write(_ bytes: [UInt8]) { try? FileHandle.standardError.write(contentsOf: Data(bytes)) }
}

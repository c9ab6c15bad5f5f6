import EventLog
import Files
import Foundation
import HTTPServer
import Muniment
import Service

extension Option {
    fileprivate static let headLimit = Option(
        "head-limit", value: "BYTES",
        "the largest request head in bytes, less with many short headers; each connection reserves this memory and 8 KiB more "
            + "(default 8192)")
    fileprivate static let connections = Option(
        "connections", value: "NUMBER",
        "the connection limit (default: 8192, or fewer if the limit on open files requires it)")
    fileprivate static let connectionsPerAddress = Option(
        "connections-per-address", value: "NUMBER",
        "the connection limit of one address, or of an IPv6 /64 network (default: a quarter of all)")
    fileprivate static let listen = Option(
        "listen", value: "ADDRESS:PORT", "the address to listen on (default 127.0.0.1:8080; port 0: any)")
    fileprivate static let publicAddress = Option(
        "public-address", value: "URL",
        "the public address of the service with https, for its metadata (default: the address in each request)")
    fileprivate static let check = Option("check", "check the configuration and print what a start would do; changes nothing")

    /// The options of `serve` that the environment and a configuration file can set.
    fileprivate static let ofService =
        [data, listen, publicAddress, headLimit, connections, connectionsPerAddress] + callers + [accounts] + operations + sharedLog
}

extension Values {
    fileprivate static func headLimitBytes(_ text: String) throws -> Int {
        guard let number = Int(text), (4096...1_048_576).contains(number) else {
            throw UsageError("`\(text)` is not a head size; write bytes, from 4096 to 1048576")
        }
        return number
    }

    /// Checks a public address. Without TLS, only an address of this machine is useful, for tests.
    fileprivate static func publicAddress(_ text: String) throws -> String {
        let parts = URLComponents(string: text)
        let isLocal = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(parts?.host ?? "")
        guard let parts, parts.scheme == "https" || parts.scheme == "http" && isLocal, parts.host?.isEmpty == false,
            parts.query == nil, parts.fragment == nil, parts.user == nil
        else {
            throw UsageError("`\(text)` is not a public address; write https://HOST[:PORT][/PATH], without a query and a fragment")
        }
        return text
    }
}

extension Invocation {
    /// Returns the address and the limits. Call it after all stores are open: their files count against the same limit as
    /// connections.
    ///
    /// - Parameter descriptorLimit: the limit on descriptors of the process.
    func serverSettings(
        _ plan: ServicePlan, tls: HTTPServerSettings.TLSFiles?, descriptorLimit: Int
    ) throws -> HTTPServerSettings {
        let room = ConnectionRoom(descriptorLimit: descriptorLimit, openCount: try openDescriptorCount())
        let connections = try room.connections(asked: plan.limits.connections)
        return HTTPServerSettings(
            address: plan.endpoint.address, port: plan.endpoint.port, headerLimitBytes: plan.limits.headBytes,
            connectionLimit: connections, connectionsPerAddress: plan.limits.connectionsPerAddress ?? max(1, connections / 4),
            proxies: plan.settings.trustedProxies, tls: tls)
    }
}

/// The limits of the HTTP server, as options name them.
struct ServerLimits {
    var headBytes: Int
    /// Nil for as many as the limit on descriptors permits.
    var connections: Int?
    /// Nil for a quarter of all.
    var connectionsPerAddress: Int?
}

/// The number of connections that the descriptor limit permits.
struct ConnectionRoom {
    /// The limit on descriptors of the process.
    let descriptorLimit: Int
    /// The open descriptors of this process, including the files of stores.
    let openCount: Int

    /// The default maximum number of connections.
    static let usual = 8192

    /// Descriptors reserved for stores opened later, backups, checksum files and requests to other services.
    var reserve: Int { max(64, min(descriptorLimit / 4, 1024)) }

    private var count: Int { descriptorLimit - openCount - reserve }

    /// - Parameter asked: the requested number; nil for the default or fewer.
    /// - Throws: a `UsageError` if the limit on descriptors is too low.
    func connections(asked: Int?) throws -> Int {
        guard count >= max(1, asked ?? 1) else {
            throw UsageError(
                "the limit of \(descriptorLimit) open files allows \(max(0, count)) connections; raise the limit (`ulimit -Hn`, or "
                    + "`LimitNOFILE=` of systemd)" + (asked == nil || count < 1 ? "" : " or request fewer connections"))
        }
        return asked ?? min(count, ConnectionRoom.usual)
    }
}

extension Command {
    static let serve = Command(
        "serve", "serve HTTP until it is stopped",
        options: Option.ofService + [.configuration, .check],
        example: Example(
            "serve --data data --listen 127.0.0.1:0",
            """
            listening on http://127.0.0.1:43210
            a token with all rights is in data/.muniment/first-token; store it elsewhere and remove the file
            """)
    ) { call in
        let configuration = try Configuration(
            Option.ofService, onlyAsArguments: [.check], arguments: call.options, environment: ProcessInfo.processInfo.environment)
        call.options.addDefaults(configuration.values)
        if call.options.isSet(.check) { return try call.checkService(configuration) }
        let plan = try call.servicePlan()
        let log = ServiceLog(format: plan.settings.logFormat)
        do {
            try call.serve(plan, log, warnings: configuration.warnings)
            return .success
        } catch {
            let failure = Failure(error)
            if let message = (error as? UsageError)?.problem ?? failure.message { log.write(.error, message) }
            throw LoggedError(code: failure.code)
        }
    }
}

/// An error of the service that is in its log already.
struct LoggedError: Error {
    let code: ExitCode
}

extension Invocation {
    /// Serves until a signal stops it.
    fileprivate func serve(_ plan: ServicePlan, _ log: ServiceLog, warnings: [String]) throws {
        let tls = try plan.tls?.read()
        let descriptorLimit = raiseDescriptorLimit()
        // A stop signal that arrives while the stores are being opened takes effect afterwards.
        let stop = StopSignal()
        // Without a handler, SIGHUP would end the service.
        let reload = ReloadSignal { log.write(.info, "SIGHUP: there is nothing to reload; other options need a restart") }
        var settings = plan.settings
        settings.report = { log.write(.error, $0) }
        settings.note = { log.write($0, $1) }
        settings.accounts = try accountsOptions()
        let process = ProcessInfo.processInfo.processIdentifier
        log.write(.info, "muniment \(Tool.version) starts with `\(settings.dataDirectory)`, process \(process)")
        for warning in warnings { log.write(.warning, warning) }
        warnOfProxies(settings, log)
        do { try settings.sharedLogs.map { try $0.check() } } catch let error as SharedLogError {
            guard case .unreachable = error, try !DataDirectorySurvey(settings.dataDirectory).stores.isEmpty else { throw error }
            log.write(.warning, "the service begins with its copies: \(error)")
        }
        if let problem = tls?.problem(at: settings.clock()) { log.write(.warning, TLSPaths.warning(problem)) }
        let service = try MunimentService(settings)
        warnOfOptions(settings, log)
        var server: HTTPServer?
        do {
            let serverSettings = try serverSettings(plan, tls: tls?.files, descriptorLimit: descriptorLimit)
            let started = try TLSPaths.naming(plan.tls) { try HTTPServer(serverSettings, application: service) }
            server = started
            try service.announce(started, on: plan.endpoint.address, certificatePEM: tls?.files.certificatePEM)
            let address = plan.address(port: started.port)
            try output.line("listening on \(address)")
            if let file = try service.makeFirstToken() {
                try output.line("a token with all rights is in \(file); store it elsewhere and remove the file")
            }
            try output.flush()
            log.write(.info, "listens on \(address)")
            if let paths = plan.tls, let tls {
                reload.replace(with: paths.reload(started, service, on: plan.endpoint, replacing: tls, log: log))
            }
        } catch {
            // The server stops first, because its requests read from the stores.
            server?.stop(graceSeconds: 0)
            try? service.close()
            throw error
        }
        tellManager("READY=1")
        stop.wait()
        tellManager("STOPPING=1")
        log.write(.info, "stops: running requests finish, in ten seconds at most")
        reload.cancel()
        service.beginStopping()
        try withExtendedLifetime(stop) {
            server?.stop(graceSeconds: 10)
            try service.close()
            log.write(.info, "stopped")
        }
    }
}

/// What a start of the service needs, as the options of a call describe it.
struct ServicePlan {
    let endpoint: Endpoint
    let limits: ServerLimits
    /// The files for TLS; nil for plain HTTP.
    let tls: TLSPaths?
    /// The settings without accounts and without log.
    let settings: ServiceSettings

    /// The address of the service as a URL.
    func address(port: UInt16) -> String { "\(tls == nil ? "http" : "https")://\(endpoint.shownAddress):\(port)" }
}

extension Invocation {
    /// Reads the options of the service. Opens no file.
    func servicePlan() throws -> ServicePlan {
        let endpoint = try options.value(of: .listen, Endpoint.init) ?? Endpoint("127.0.0.1:8080")
        let limits = ServerLimits(
            headBytes: try options.value(of: .headLimit, Values.headLimitBytes) ?? 8192,
            connections: try options.value(of: .connections, Values.count),
            connectionsPerAddress: try options.value(of: .connectionsPerAddress, Values.count))
        guard let directory = options[.data] else {
            throw UsageError("the data directory is missing; write `\(Option.data.usage)`")
        }
        let parent = URL(filePath: canonicalPath(directory)).standardized.deletingLastPathComponent().path
        guard !Store.exists(at: parent) else {
            throw UsageError("`\(directory)` is inside the store `\(parent)`; write a folder that contains stores")
        }
        guard !Store.exists(at: directory) else {
            throw UsageError(
                "`\(directory)` is a store, but `--data` takes a folder that contains stores. Move it to `DIR/default` and pass `DIR`."
            )
        }
        let tls = try tlsPaths(listeningOn: endpoint)
        var settings = ServiceSettings(
            dataDirectory: directory, callers: try callerSettings(), storeOptions: try serviceStoreOptions, report: { _ in })
        try setOperations(in: &settings)
        settings.sharedLogs = try sharedLogs()
        guard settings.sharedLogs == nil || options[.accounts] == nil else {
            throw UsageError("accounts are kept on one machine: omit `--accounts` or `--log`")
        }
        settings.lagLimit = .seconds(try options.value(of: .lagLimit, Values.count) ?? 10)
        settings.publicAddress = try options.value(of: .publicAddress, Values.publicAddress)
        settings.usesTLS = tls != nil
        settings.build = (Tool.release, builtCommit)
        return ServicePlan(endpoint: endpoint, limits: limits, tls: tls, settings: settings)
    }
}

/// An address and a port.
struct Endpoint {
    let address: String
    let port: UInt16

    /// Parses `127.0.0.1:8080` or `[::1]:8080`.
    init(_ text: String) throws {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw UsageError("`\(text)` is not an address to listen on; write ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080")
        }
        var address = text[..<colon]
        if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
        // Only `localhost` is accepted as a name; other names would need a DNS look-up.
        self.address = address == "localhost" ? "127.0.0.1" : String(address)
        self.port = port
    }

    /// The address in the syntax of a URL.
    var shownAddress: String { address.contains(":") ? "[\(address)]" : address }
}

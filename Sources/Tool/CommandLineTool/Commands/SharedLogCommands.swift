import EventLog
import Events
import Foundation
import Muniment
import PostgreSQLLog
import Service

extension Option {
    static let sharedLogAddress = Option(
        "log", value: "URL",
        "the shared log of several nodes, such as postgresql://muniment@a,b,c/muniment?target_session_attrs=read-write (default: none)"
    )
    fileprivate static let withoutStandby = Option(
        "log-without-standby", "accept a shared log without a synchronous standby: commits are lost with its server")
    fileprivate static let insecureLog = Option(
        "log-insecure",
        "for trials: send the database's password to any server at its address, without verify-full and without SCRAM")
    static let lagLimit = Option(
        "lag-limit", value: "SECONDS", "without news from the shared log for so long, /readyz fails (default: 10)")
    fileprivate static let target = Option("to", value: "URL", "the shared log, as `--log`")
    fileprivate static let role = Option("role", value: "NAME", "the role of the service in the database (default: muniment)")

    /// The options of commands that use a shared log.
    static let sharedLogAccess: [Option] = [sharedLogAddress, withoutStandby, insecureLog]

    /// The options of `serve` for a shared log.
    static let sharedLog: [Option] = sharedLogAccess + [lagLimit]
}

/// Whether a text is the address of a database with a password in it, or may be one with a wrong character.
func isDatabaseWithPassword(_ text: String) -> Bool {
    guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else { return false }
    if let address = try? PostgreSQLAddress(text) { return address.hasPassword }
    let parts = text.drop { $0 != "/" }
    return text.contains("password") || (parts.lastIndex(of: "@").map { parts[..<$0].contains(":") } ?? false)
}

extension Invocation {
    /// The shared logs that the options name; nil without them.
    func sharedLogs() throws -> PostgreSQLLogs? {
        let variable = ProcessInfo.processInfo.environment["MUNIMENT_LOG"].flatMap { $0.isEmpty ? nil : $0 }
        guard let address = options[.sharedLogAddress] ?? variable else {
            if let option = [Option.withoutStandby, .insecureLog].first(where: options.isSet) {
                throw UsageError("`\(option.usage)` is for a shared log; add `\(Option.sharedLogAddress.usage)`")
            }
            return nil
        }
        guard ["postgresql://", "postgres://"].contains(where: address.hasPrefix) else {
            throw UsageError(
                "the address of the shared log does not begin with `postgresql://`; the log of requests is `--request-log`")
        }
        do {
            return PostgreSQLLogs(
                try PostgreSQLAddress(address), allowsNoStandby: options.isSet(.withoutStandby),
                allowsInsecure: options.isSet(.insecureLog))
        } catch { throw UsageError(error.description) }
    }
}

extension Invocation {
    /// Opens the shared logs, calls `body` with the log of the store in the folder, and closes them.
    fileprivate func withSharedLog<R>(_ body: (_ directory: String, _ log: any SharedLog) throws -> R) throws -> R {
        guard let logs = try sharedLogs() else {
            throw UsageError("the shared log is missing; write `\(Option.sharedLogAddress.usage)`")
        }
        defer { logs.close() }
        let directory = try directory
        let name = URL(filePath: directory).standardizedFileURL.lastPathComponent
        guard StoreName(name) != nil else {
            throw UsageError(
                "the folder `\(directory)` has no name of a store: name it with lowercase letters, digits, `-` and `_`")
        }
        return try body(directory, logs.log(of: name))
    }
}

extension Command {
    static let logMove = Command(
        "log move", "bring a store to a shared log, with the same hashes; the store is a node's copy afterwards",
        options: [.target] + Option.sharedLogAccess + [.json, .store],
        example: Example(
            "log move --store data/default --to postgresql://muniment@db/muniment", "moved 25 revisions to the shared log")
    ) { call in
        if let target = call.options[.target] { call.options.addDefaults([Option.sharedLogAddress.name: target]) }
        let last = try call.withSharedLog { try Store.move(at: $0, to: $1, options: call.storeOptions) }
        return try call.answer(
            .object(["revision": .revision(last)]), lines: ["moved \(counted(last.rawValue, "revision")) to the shared log"])
    }

    static let logCopy = Command(
        "log copy", "copy a store from its shared log again, if the node's copy is wrong; the former copy stays in log.old",
        options: Option.sharedLogAccess + [.json, .store],
        example: Example("log copy --store data/default --log postgresql://muniment@db/muniment", "copied the shared log")
    ) { call in
        try call.withSharedLog { directory, log in
            var options = call.storeOptions
            options.sharedLog = log
            try Store.replaceCopy(at: directory, options: options)
        }
        return try call.answer(.object([:]), lines: ["copied the shared log"])
    }

    static let logLeave = Command(
        "log leave", "end a store's connection to its shared log; it continues on this machine, from its copy",
        options: [.json, .store],
        example: Example("log leave --store data/default", "the store in `data/default` is on this machine now")
    ) { call in
        let directory = try call.directory
        try Store.leaveSharedLog(at: directory)
        return try call.answer(.object([:]), lines: ["the store in `\(directory)` is on this machine now"])
    }

    static let logSchema = Command(
        "log schema", "print the SQL that prepares a database for shared logs, for psql",
        options: [.role],
        example: Example("log schema | head -n 1", "BEGIN;")
    ) { call in
        let sql = PostgreSQLSchema.sql(role: call.options[.role] ?? "muniment")
        for line in sql.split(separator: "\n", omittingEmptySubsequences: false) { try call.output.line(String(line)) }
        return .success
    }
}

import Foundation

/// A PostgreSQL server for a test, with its data in a temporary folder and a socket there. It listens on no network address, unless
/// ``listen(withTLS:)`` is called.
///
/// PostgreSQL refuses to run as root. In a test that does, its programs run as the user `postgres`, which Debian's package creates.
public final class PostgreSQLServer: @unchecked Sendable {
    /// The folder of the socket.
    public let folder: String
    private let data: String
    private var process: ChildProcess?
    /// The port of the network address, and the number in the name of the socket.
    public private(set) var port: UInt16 = 5432
    private var network = ["-c", "listen_addresses="]

    private static let programs = "/usr/lib/postgresql/15/bin/"

    /// Creates an empty cluster and starts it.
    public init() throws {
        folder = "/tmp/muniment-pg-" + UUID().uuidString.prefix(8)
        data = folder + "/data"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if getuid() == 0 { try Self.run(["chown", "postgres:", folder]) }
        try Self.run(
            Self.asUser([
                "initdb", "--pgdata", data, "--username", "postgres", "--auth-local", "trust", "--auth-host", "scram-sha-256",
                "--no-sync",
                "--no-instructions",
            ]))
        try start()
    }

    /// Creates a copy of another server that follows it as a standby with a name, and starts it.
    public init(following primary: PostgreSQLServer, as name: String) throws {
        folder = "/tmp/muniment-pg-" + UUID().uuidString.prefix(8)
        data = folder + "/data"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if getuid() == 0 { try Self.run(["chown", "postgres:", folder]) }
        try Self.run(
            Self.asUser([
                "pg_basebackup", "--pgdata", data, "--write-recovery-conf", "--no-sync", "--checkpoint=fast",
                "--dbname", primary.address(database: "postgres", user: "postgres") + " application_name=\(name)",
            ]))
        try start()
    }

    /// Creates a server with the role and the database `muniment`, without tables.
    public static func withDatabase() throws -> PostgreSQLServer {
        let server = try PostgreSQLServer()
        try server.run("CREATE ROLE muniment LOGIN", database: "postgres")
        try server.run("CREATE DATABASE muniment", database: "postgres")
        return server
    }

    deinit {
        process?.kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Starts the server again, after ``kill()``.
    public func start() throws {
        process = try ChildProcess(
            Self.asUser(
                [
                    "postgres", "-D", data, "-k", folder, "-c", "max_connections=50", "-c", "shared_buffers=16MB", "-p", "\(port)",
                ] + network), output: .discarded, errors: .discarded, endingWithinSeconds: 1800)
        for _ in 0..<24_000 {
            if (try? Self.run(Self.asUser(["pg_isready", "--quiet", "--host", folder, "--port", "\(port)"]))) != nil { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw Failed(description: "PostgreSQL did not start")
    }

    /// Starts the server again, at a port of 127.0.0.1 too. There, roles need a password.
    ///
    /// - Parameter hasTLS: whether it has a certificate for `localhost`. It is in the file `crt.pem` of the folder.
    public func listen(withTLS hasTLS: Bool) throws {
        try kill()
        let (certificate, key) = (folder + "/crt.pem", folder + "/key.pem")
        if !FileManager.default.fileExists(atPath: certificate) {
            try Self.run([
                "/usr/bin/env", "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
                "-days", "30", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
            ])
            if getuid() == 0 { try Self.run(["chown", "postgres:", key]) }
        }
        port = try Self.freePort()
        network = ["-c", "listen_addresses=127.0.0.1"]
        if hasTLS { network += ["-c", "ssl=on", "-c", "ssl_cert_file=\(certificate)", "-c", "ssl_key_file=\(key)"] }
        try start()
    }

    private static func freePort() throws -> UInt16 {
        let (socket, port) = try LoopbackSocket.listening()
        close(socket)
        return port
    }

    /// Kills all processes of the server, as a loss of power would.
    public func kill() throws {
        let file = try String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
        guard let pid = file.split(separator: "\n").first.flatMap({ pid_t($0) }) else { throw Failed(description: "no process id") }
        Glibc.kill(pid, SIGKILL)
        process?.waitUntilExit()
        // The children notice the death of their parent; a new server refuses to start before.
        Thread.sleep(forTimeInterval: 0.2)
    }

    /// Pauses or continues the server's main process and its children.
    public func signal(_ number: Int32) throws {
        let file = try String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
        guard let pid = file.split(separator: "\n").first.flatMap({ pid_t($0) }) else { throw Failed(description: "no process id") }
        let children = try Self.run(["ps", "--ppid", "\(pid)", "-o", "pid="]).split(whereSeparator: \.isWhitespace)
        for child in [pid] + children.compactMap({ pid_t($0) }) { Glibc.kill(child, number) }
    }

    /// The address for libpq, as a list of keywords.
    public func address(database: String = "muniment", user: String = "muniment") -> String {
        "host=\(folder) port=\(port) dbname=\(database) user=\(user)"
    }

    /// Runs SQL as the superuser, and returns what `psql` prints.
    @discardableResult
    public func run(_ sql: String, database: String = "muniment") throws -> String {
        try Self.run(
            Self.asUser([
                "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--dbname",
                address(database: database, user: "postgres"), "--command", sql,
            ]))
    }

    private struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    private static func asUser(_ command: [String]) -> [String] {
        let command = [programs + command[0]] + command.dropFirst()
        return getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] + command : command
    }

    @discardableResult
    private static func run(_ command: [String]) throws -> String {
        let result = try ChildProcess(command, output: .kept, errors: .kept, endingWithinSeconds: 1_200).finish()
        guard result.exitCode == 0 else { throw Failed(description: "\(command.joined(separator: " ")): \(result.errors)") }
        return result.output
    }
}

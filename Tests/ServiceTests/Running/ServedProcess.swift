import Foundation
import TestSupport

/// The built `muniment serve` as a process of its own.
final class ServedProcess: Sendable {
    let port: UInt16
    /// What it said before it listened, and that it listens.
    let lines: [String]
    private let process: ChildProcess

    /// Starts it on a data directory, and waits until it listens.
    ///
    /// - Parameters:
    ///   - directory: the data directory.
    ///   - options: what else it is told.
    ///   - environment: what else is in its environment.
    ///   - descriptorLimit: the hard limit on its open files; nil for that of the test.
    init(_ directory: String, options: [String] = [], environment: [String: String] = [:], descriptorLimit: Int? = nil) throws {
        let command = [ServedProcess.executable.path, "serve", "--data", directory, "--listen", "127.0.0.1:0"] + options
        process = try ChildProcess(
            (descriptorLimit.map { ["prlimit", "--nofile=\($0):\($0)"] } ?? []) + command,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, output: .pipe, endingWithinSeconds: 1800)
        var lines: [String] = []
        while lines.last?.hasPrefix("listening on ") != true, let line = process.line() { lines.append(line) }
        self.lines = lines
        guard let line = lines.last, line.hasPrefix("listening on "), let colon = line.lastIndex(of: ":"),
            let port = UInt16(line[line.index(after: colon)...])
        else {
            process.kill()
            throw NotListening(lines: lines, errors: try process.errors)
        }
        self.port = port
    }

    deinit { kill() }

    struct NotListening: Error {
        let lines: [String]
        let errors: String
    }

    /// Ends it at once, as the system would; returns when it is gone.
    func kill() { process.kill() }

    /// The number of the process.
    var identifier: Int32 { process.processIdentifier }

    func signal(_ number: Int32) { process.signal(number) }

    /// Waits for its end.
    ///
    /// - Returns: what it exited with; nil where a signal ended it.
    func exitCode() -> Int32? {
        process.waitUntilExit()
        return process.exitCode
    }

    /// The rest of standard output, after ``lines``. Waits for the end of the process.
    func rest() -> String { (try? process.finish().output) ?? "" }

    /// What it has written on standard error.
    var errors: String { (try? process.errors) ?? "" }

    /// It is built into the folder of the tests.
    private static let executable: URL = {
        var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        while !FileManager.default.isExecutableFile(atPath: folder.appending(path: "muniment").path), folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        return folder.appending(path: "muniment")
    }()
}

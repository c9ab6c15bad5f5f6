package import Foundation
import TestSupport

/// The built `muniment serve` as a separate process.
package final class ServedProcess: Sendable {
    package let port: UInt16
    /// The lines that the process wrote up to and including the line that says that it listens.
    package let lines: [String]
    private let process: ChildProcess

    /// Starts the process with a data directory, and waits until it listens.
    ///
    /// - Parameters:
    ///   - directory: The data directory.
    ///   - options: Additional command line options.
    ///   - environment: Additional environment variables.
    ///   - descriptorLimit: The hard limit on its open files, or nil for the limit of the test.
    ///   - blockingSignals: whether all signals are blocked when it starts.
    package init(
        _ directory: String, options: [String] = [], environment: [String: String] = [:], descriptorLimit: Int? = nil,
        blockingSignals: Bool = false
    ) throws {
        let command = [ServedProcess.executable.path, "serve", "--data", directory, "--listen", "127.0.0.1:0"] + options
        process = try ChildProcess(
            (descriptorLimit.map { ["prlimit", "--nofile=\($0):\($0)"] } ?? []) + (blockingSignals ? Self.blocking : []) + command,
            environment: ChildProcess.environment.merging(environment) { $1 }, output: .pipe, endingWithinSeconds: 1800)
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

    deinit {
        kill()
        ServiceLog.keep(errors, of: "serve")
    }

    package struct NotListening: Error {
        package let lines: [String]
        package let errors: String
    }

    /// Kills the process immediately (SIGKILL), and returns after it has exited.
    package func kill() { process.kill() }

    /// The number of the process.
    package var identifier: Int32 { process.processIdentifier }

    package func signal(_ number: Int32) { process.signal(number) }

    /// Waits until the process exits.
    ///
    /// - Returns: The exit code, or nil if a signal ended the process.
    package func exitCode() -> Int32? {
        process.waitUntilExit()
        return process.exitCode
    }

    /// The rest of standard output, after ``lines``. Waits for the end of the process.
    package func rest() -> String { (try? process.finish().output) ?? "" }

    /// The text that the process has written to standard error.
    package var errors: String { (try? process.errors) ?? "" }

    /// Waits until the process has written a text to standard error; false after two minutes.
    package func hasReported(_ text: String) throws -> Bool { try process.hasReported(text) }

    /// A command that blocks all signals and then runs the command in its arguments.
    private static let blocking = [
        "python3", "-c",
        "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()); os.execv(sys.argv[1], sys.argv[1:])",
    ]

    /// The executable is in the folder of the tests.
    package static let executable: URL = {
        var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        while !FileManager.default.isExecutableFile(atPath: folder.appending(path: "muniment").path), folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        return folder.appending(path: "muniment")
    }()
}

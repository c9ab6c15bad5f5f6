import Foundation
import TestSupport
import Testing

/// A running `muniment serve` process, for the calls of a test.
final class ServingTool {
    private let process: ChildProcess
    /// The lines printed before the service listened, and the next line if a test expects one.
    private(set) var lines: [String] = []

    /// Starts the service in the folder of a tool, and waits until it listens.
    ///
    /// - Parameters:
    ///   - tool: the tool. Its folder is the data directory.
    ///   - options: additional options. The address and the data directory are already set.
    ///   - lineCount: the number of lines to wait for.
    ///   - environment: additional environment variables.
    convenience init(
        _ tool: BuiltTool, _ options: [String] = [], lineCount: Int = 1, environment: [String: String] = [:]
    ) throws {
        let call = (["serve", "--data", ".", "--listen", "127.0.0.1:0"] + options).joined(separator: " ")
        try self.init(tool, call: call, lineCount: lineCount, environment: environment)
    }

    /// Starts the service with words separated by spaces, and waits for some lines.
    init(_ tool: BuiltTool, call: String, lineCount: Int, environment: [String: String] = [:]) throws {
        process = try ChildProcess(
            [BuiltTool.executable.path] + call.split(separator: " ").map(String.init), in: tool.folder.path,
            environment: ChildProcess.environment.merging(environment) { $1 }, output: .pipe,
            endingWithinSeconds: 1800)
        for _ in 0..<lineCount {
            let line = process.line()
            lines.append(try #require(line, "serve printed \(lines) and no more"))
        }
    }

    /// The address of the service.
    var address: String { String(lines.first?.split(separator: " ").last ?? "") }

    /// Stops the service, and returns its exit code and the output after ``lines``.
    @discardableResult
    func stop() throws -> (code: Int32?, rest: String) {
        process.terminate()
        let result = try process.finish()
        return (result.exitCode, result.output)
    }

    /// Waits until standard error contains a text. Returns false if it does not appear.
    func hasReported(_ text: String) throws -> Bool { try process.hasReported(text) }

    func signal(_ number: Int32) { process.signal(number) }

    /// Kills the service with SIGKILL.
    func kill() { process.kill() }

    deinit { kill() }
}

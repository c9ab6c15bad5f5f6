import Foundation
import TestSupport
import Testing

/// The built `muniment serve`. It runs during the calls of a test.
final class ServingTool {
    private let process: ChildProcess
    /// The lines printed until it listened, and the next line if one is expected.
    private(set) var lines: [String] = []

    /// Starts it in the folder of a tool, and waits until it listens.
    ///
    /// - Parameters:
    ///   - tool: the tool, in the folder that it uses.
    ///   - options: what else it is told; where it listens and its data directory, which is that folder, are given.
    ///   - lineCount: the number of lines to wait for.
    ///   - environment: what else is in its environment.
    convenience init(
        _ tool: BuiltTool, _ options: [String] = [], lineCount: Int = 1, environment: [String: String] = [:]
    ) throws {
        let call = (["serve", "--data", ".", "--listen", "127.0.0.1:0"] + options).joined(separator: " ")
        try self.init(tool, call: call, lineCount: lineCount, environment: environment)
    }

    /// Starts the service by a call that is split at spaces, and waits for some lines.
    init(_ tool: BuiltTool, call: String, lineCount: Int, environment: [String: String] = [:]) throws {
        process = try ChildProcess(
            [BuiltTool.executable.path] + call.split(separator: " ").map(String.init), in: tool.folder.path,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, output: .pipe,
            endingWithinSeconds: 1800)
        for _ in 0..<lineCount {
            let line = process.line()
            lines.append(try #require(line, "serve printed \(lines) and no more"))
        }
    }

    /// Where it listens.
    var address: String { String(lines.first?.split(separator: " ").last ?? "") }

    /// Stops the service, and returns its exit code and the output after ``lines``.
    @discardableResult
    func stop() throws -> (code: Int32?, rest: String) {
        process.terminate()
        let result = try process.finish()
        return (result.exitCode, result.output)
    }

    /// Waits until a text is on standard error; false if it does not come.
    func hasReported(_ text: String) throws -> Bool {
        for _ in 0..<6_000 {
            if try process.errors.contains(text) { return true }
            usleep(20_000)
        }
        return false
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// Ends it at once, as the system would.
    func kill() { process.kill() }

    deinit { kill() }
}

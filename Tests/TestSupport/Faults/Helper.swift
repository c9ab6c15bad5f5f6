internal import Foundation

/// Another process, running `Tests/FaultHelper`. It is for tests that may end the process.
public final class Helper: Sendable {
    /// The end of a process, and its output.
    public struct Result: Sendable {
        /// The exit code; nil if a signal ended the process.
        public let exitCode: Int32?
        public let output: String
        public let error: String
        public var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    private let process: ChildProcess

    public var processIdentifier: Int32 { process.processIdentifier }

    /// The helper is in the folder of the test bundle.
    private static let executable: URL = {
        let bundle = CommandLine.arguments.compactMap { argument -> URL? in
            guard let end = argument.range(of: ".xctest") else { return nil }
            return URL(filePath: String(argument[..<end.upperBound])).deletingLastPathComponent()
        }.first
        let folder = bundle ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        return folder.appending(path: "FaultHelper")
    }()

    private init(_ arguments: [String], wrapper: [String], hasInput: Bool) throws {
        process = try ChildProcess(
            wrapper + [Self.executable.path] + arguments, hasInput: hasInput, output: .pipe, endingWithinSeconds: 1800)
    }

    /// Starts the helper.
    ///
    /// - Parameters:
    ///   - arguments: the name of a command, and its arguments.
    ///   - wrapper: a command that starts it, such as `setpriv …`.
    ///   - hasInput: whether its standard input is a pipe, for ``write(_:)``.
    public static func start(_ arguments: [String], wrapper: [String] = [], hasInput: Bool = false) throws -> Helper {
        try Helper(arguments, wrapper: wrapper, hasInput: hasInput)
    }

    /// Runs the helper to its end.
    public static func run(_ arguments: [String], wrapper: [String] = []) throws -> Result {
        try start(arguments, wrapper: wrapper).finish()
    }

    /// Writes to its standard input.
    public func write(_ text: String) throws { try process.write(text) }

    /// Returns the next line of its output, or nil at the end.
    public func line() throws -> String? { process.line() }

    /// Waits until the process has ended.
    public func finish() throws -> Result {
        let result = try process.finish()
        return Result(exitCode: result.exitCode, output: result.output, error: result.errors)
    }

    /// Kills the process with SIGKILL, and waits until it has ended.
    public func kill() { process.kill() }
}

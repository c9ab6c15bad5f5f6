internal import Foundation

/// Another process, running `Tests/FaultHelper`: for what can only be tried on a process that may end by it.
public final class Helper: @unchecked Sendable {
    /// How a process ended, and what it said.
    public struct Result: Sendable {
        /// What it exited with; nil where a signal ended it.
        public let exitCode: Int32?
        public let output: String
        public let error: String
        public var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    private let process = Process()
    private let output = Pipe()
    private let error = Pipe()
    private var lines: PipeLines

    public var processIdentifier: Int32 { process.processIdentifier }

    /// The helper stands beside the test bundle.
    private static let executable: URL = {
        let bundle = CommandLine.arguments.compactMap { argument -> URL? in
            guard let end = argument.range(of: ".xctest") else { return nil }
            return URL(filePath: String(argument[..<end.upperBound])).deletingLastPathComponent()
        }.first
        let folder = bundle ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        return folder.appending(path: "FaultHelper")
    }()

    private init(_ arguments: [String], wrapper: [String]) throws {
        lines = PipeLines(output)
        let command = wrapper + [Self.executable.path] + arguments
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = output
        process.standardError = error
        process.standardInput = FileHandle.nullDevice
        try process.run(endingWithinSeconds: 1800)
    }

    /// Starts the helper.
    ///
    /// - Parameter wrapper: a command that starts it, such as `setpriv …`.
    public static func start(_ arguments: [String], wrapper: [String] = []) throws -> Helper {
        try Helper(arguments, wrapper: wrapper)
    }

    /// Runs the helper to its end.
    public static func run(_ arguments: [String], wrapper: [String] = []) throws -> Result {
        try start(arguments, wrapper: wrapper).finish()
    }

    /// The next line that it says; nil where it says nothing more.
    public func line() throws -> String? { lines.next() }

    /// Waits for its end.
    public func finish() throws -> Result {
        let said = try lines.rest()
        let complaint = try error.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            exitCode: process.terminationReason == .exit ? process.terminationStatus : nil,
            output: said, error: String(decoding: complaint, as: UTF8.self))
    }

    /// Ends it at once, as the system would, and waits until it is gone.
    public func kill() {
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

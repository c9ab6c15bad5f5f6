import Foundation
import TestSupport

/// The built `muniment serve` as a process of its own.
final class ServedProcess: Sendable {
    let port: UInt16
    /// What it said before it listened, and that it listens.
    let lines: [String]
    private let process: Process
    private let output = Pipe()
    private let folder: URL

    /// Starts it on a data directory, and waits until it listens.
    ///
    /// - Parameters:
    ///   - directory: the data directory.
    ///   - options: what else it is told.
    ///   - environment: what else is in its environment.
    ///   - descriptorLimit: the hard limit on its open files; nil for that of the test.
    init(_ directory: String, options: [String] = [], environment: [String: String] = [:], descriptorLimit: Int? = nil) throws {
        let process = Process()
        let command = [ServedProcess.executable.path, "serve", "--data", directory, "--listen", "127.0.0.1:0"] + options
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = (descriptorLimit.map { ["prlimit", "--nofile=\($0):\($0)"] } ?? []) + command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        folder = FileManager.default.temporaryDirectory.appending(path: "muniment-served-\(UUID().uuidString)")
        try Data().write(to: folder)
        process.standardError = try FileHandle(forWritingTo: folder)
        process.standardInput = FileHandle.nullDevice
        try process.run(endingWithinSeconds: 1800)
        self.process = process
        var text = ""
        while !text.contains("listening on "), case let more = output.fileHandleForReading.availableData, !more.isEmpty {
            text += String(decoding: more, as: UTF8.self)
        }
        lines = text.split(separator: "\n").map(String.init)
        guard let line = lines.last(where: { $0.hasPrefix("listening on ") }), let colon = line.lastIndex(of: ":"),
            let port = UInt16(line[line.index(after: colon)...])
        else { throw NotListening(lines: lines, errors: ServedProcess.text(of: folder)) }
        self.port = port
    }

    deinit {
        if process.isRunning { kill() }
        try? FileManager.default.removeItem(at: folder)
    }

    struct NotListening: Error {
        let lines: [String]
        let errors: String
    }

    /// Ends it at once, as the system would; returns when it is gone.
    func kill() {
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func signal(_ number: Int32) { _ = Foundation.kill(process.processIdentifier, number) }

    /// Waits for its end.
    ///
    /// - Returns: what it exited with; nil where a signal ended it.
    func exitCode() -> Int32? {
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }

    /// The rest of standard output, after ``lines``. Waits for the end of the process.
    func rest() -> String { String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }

    /// What it has written on standard error.
    var errors: String { ServedProcess.text(of: folder) }

    private static func text(of file: URL) -> String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

    /// It is built into the folder of the tests.
    private static let executable: URL = {
        var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        while !FileManager.default.isExecutableFile(atPath: folder.appending(path: "muniment").path), folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        return folder.appending(path: "muniment")
    }()
}

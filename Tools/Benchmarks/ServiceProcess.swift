import Foundation
import TestSupport

/// A server in a separate process, so that its time and memory can be measured.
final class ServiceProcess {
    /// Scheme, host and port.
    let address: String
    let port: UInt16
    private let process: ChildProcess

    /// Starts a program and waits until it prints the address that it listens on.
    init(_ program: String, _ arguments: [String]) throws {
        process = try ChildProcess([program] + arguments, output: .pipe, errors: .inherited, endingWithinSeconds: 24 * 3_600)
        var lines: [String] = []
        var found: UInt16?
        while found == nil, let line = process.line() {
            lines.append(line)
            found = line.split(separator: ":").last.flatMap { UInt16($0) }
        }
        guard let found else {
            process.kill()
            throw BenchmarkFailure("`\(program)` ended before it printed its address. It printed: \(lines)")
        }
        port = found
        address = "http://127.0.0.1:\(found)"
    }

    /// The resident memory of the process now, in bytes.
    var residentBytes: Double {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            guard let kilobytes = line?.split(separator: " ").dropLast().last.flatMap({ Double($0) }) else {
                throw BenchmarkFailure("the memory of process \(process.processIdentifier) is not known")
            }
            return kilobytes * 1024
        }
    }

    /// Stops the process with SIGTERM.
    ///
    /// - Throws: ``BenchmarkFailure`` if it still runs after 10 seconds; SIGKILL has then ended it.
    func stop() throws {
        process.terminate()
        for _ in 0..<1_000 where process.isRunning { usleep(10_000) }
        guard process.isRunning else { return }
        process.kill()
        throw BenchmarkFailure("process \(process.processIdentifier) did not obey SIGTERM within 10 s and was killed")
    }

    /// Runs `body` with a program as a server, and stops the server.
    static func with<R>(_ program: String, _ arguments: [String], _ body: (ServiceProcess) throws -> R) throws -> R {
        let process = try ServiceProcess(program, arguments)
        let result = Result { try body(process) }
        try process.stop()
        return try result.get()
    }
}

import Foundation
import Synchronization

/// A server in a process of its own, so that its time and memory are its own.
final class ServiceProcess {
    /// Scheme, host and port.
    let address: String
    let port: UInt16
    private let process: Process

    /// Starts a program and waits until it says where it listens.
    init(_ program: String, _ arguments: [String]) throws {
        process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var text = ""
        var found: UInt16?
        while found == nil, let line = try pipe.fileHandleForReading.read(upToCount: 1), !line.isEmpty {
            text += String(decoding: line, as: UTF8.self)
            guard text.hasSuffix("\n") else { continue }
            found = text.split(separator: "\n").last.flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) }
        }
        guard let found else { throw BenchmarkFailure("`\(program)` did not say where it listens: \(text)") }
        port = found
        address = "http://127.0.0.1:\(found)"
    }

    /// The bytes of memory that it holds at this moment.
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

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}

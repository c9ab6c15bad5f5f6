import Foundation
import MunimentClient
import MunimentReplica
import Primitives
import TestSupport

/// Fills a new replica in a process of its own, so that its memory can be measured.
enum ReplicaFill {
    struct Result {
        let objects: Int
        let seconds: Double
        /// The most memory that the process has used.
        let peakBytes: Double
    }

    static let word = "--fill-replica"

    /// Runs a process that fills a replica.
    ///
    /// - Parameters:
    ///   - address: the address of the service.
    ///   - token: a token with the right `ask`.
    ///   - className: the class of the objects.
    ///   - file: the path of the replica.
    static func measure(address: String, token: String, className: String, file: String) throws -> Result {
        let process = try ChildProcess(
            [CommandLine.arguments[0], word, address, token, className, file], errors: .inherited, endingWithinSeconds: 600)
        let output = try process.finish().output
        let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 3 else { throw BenchmarkFailure("the process that fills a replica printed: \(output)") }
        return Result(objects: Int(numbers[0]), seconds: numbers[1], peakBytes: numbers[2] * 1024)
    }

    /// Fills a replica, and prints the number of its objects, the seconds and the most memory in KiB.
    static func run(_ arguments: [String]) async throws {
        guard arguments.count == 4 else { throw BenchmarkFailure("\(word) needs an address, a token, a class and a file") }
        let connection = ServiceConnection(try ServiceAddress(arguments[0]), tokens: FixedToken(arguments[1]))
        let replica = try Replica(
            at: arguments[3], user: "user:0", classes: [arguments[2]],
            transport: ServiceReplicaTransport(connection, actsAsUser: true))
        var updates = replica.updates.makeAsyncIterator()
        let start = ContinuousClock.now
        try await replica.connect()
        while let update = await updates.next() {
            if case .status(let status) = update, status.connection == .connected { break }
        }
        let seconds = start.duration(to: .now).nanoseconds / 1e9
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(separator: " ").dropLast().last ?? ""
        var (count, last) = (0, Name?.none)
        repeat {
            let page = try await replica.objects(ofClass: arguments[2], after: last, limit: 1_000)
            (count, last) = (count + page.objects.count, page.next)
        } while last != nil
        print(count, seconds, peak)
    }
}

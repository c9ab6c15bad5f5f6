import ServiceSupport
import Synchronization
import TestSupport
import Testing

/// Callers who write and query during an attack.
struct OrdinaryCallers {
    /// The second-slowest of each hundred commits, and of each hundred checks.
    struct Waits {
        let commits: Duration
        let checks: Duration
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    let curl: Curl
    let store: String
    let writer: String
    let asker: String

    /// - Parameters:
    ///   - writer: The token of a user who may create objects of the class `doc`.
    ///   - asker: A token with `ask`.
    init(_ curl: Curl, store: String = "default", writer: String, asker: String) {
        (self.curl, self.store, self.writer, self.asker) = (curl, store, writer, asker)
    }

    /// Writes and queries until the attack ends, at least twenty times. Every response must be a success. Prints a row of the table
    /// of waits in Docs/ThreatModel.md.
    @discardableResult
    func served(during attack: String, _ body: @escaping @Sendable () async throws -> Void) async throws -> Waits {
        let isOver = Flag()
        async let attacked: Void = {
            defer { isOver.isSet.store(true, ordering: .relaxed) }
            try await body()
        }()
        let clock = ContinuousClock()
        var (commits, checks): ([Duration], [Duration]) = ([], [])
        while !isOver.isSet.load(ordering: .relaxed) || commits.count < 20 {
            let change = #"{"do":[{"op":"createObject","object":"doc:ordinary\#(commits.count)"}]}"#
            commits.append(
                try await clock.measure {
                    let answer = try await curl.send("POST", "/v1/stores/\(store)/transactions", token: writer, json: change)
                    #expect(answer.status == 200, "\(answer.text)")
                })
            let question = #"{"subject":"user:ordinary","privilege":"read","object":"doc:ordinary0"}"#
            checks.append(
                try await clock.measure {
                    let answer = try await curl.send("POST", "/v1/stores/\(store)/check", token: asker, json: question)
                    #expect(answer.status == 200, "\(answer.text)")
                })
        }
        try await attacked
        let slowest = { (waits: [Duration]) in waits.sorted()[(waits.count * 99 - 1) / 100] }
        let waits = Waits(commits: slowest(commits), checks: slowest(checks))
        print("| \(attack) | \(commits.count) | \(Self.milliseconds(waits.commits)) | \(Self.milliseconds(waits.checks)) |")
        return waits
    }

    private static func milliseconds(_ wait: Duration) -> String {
        let (seconds, attoseconds) = wait.components
        return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
    }
}

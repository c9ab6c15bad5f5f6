/// An expectation of a scenario that was not met.
public struct ScenarioFailure: Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// The line number, from 1.
    public let line: Int
    /// The expected outcome, as JSON.
    public let expected: String
    /// The actual outcome, as JSON.
    public let actual: String

    public var description: String { "\(file):\(line): expected \(expected), got \(actual)" }
}

/// The result of one or more scenarios.
public struct ScenarioResult: Hashable, Sendable, CustomStringConvertible {
    /// The number of transactions and questions that matched their expectations.
    public private(set) var passed: Int
    /// The failed expectations, in order.
    public private(set) var failures: [ScenarioFailure]

    public init(passed: Int = 0, failures: [ScenarioFailure] = []) {
        self.passed = passed
        self.failures = failures
    }

    public var failed: Int { failures.count }

    mutating func recordSuccess() { passed += 1 }
    mutating func record(_ failure: ScenarioFailure) { failures.append(failure) }

    /// Combines two results.
    public static func + (left: ScenarioResult, right: ScenarioResult) -> ScenarioResult {
        ScenarioResult(passed: left.passed + right.passed, failures: left.failures + right.failures)
    }

    /// `N passed, N failed`.
    public var description: String { "\(passed) passed, \(failed) failed" }
}

/// An expectation of a scenario that was not met.
public struct ScenarioFailure: Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// What the line expects, as JSON.
    public let expected: String
    /// What happened instead, as JSON.
    public let actual: String

    public var description: String { "\(file):\(line): expected \(expected), got \(actual)" }
}

/// How a scenario went, or several together.
public struct ScenarioResult: Hashable, Sendable, CustomStringConvertible {
    /// How many transactions and questions went as expected.
    public private(set) var passed: Int
    /// The others, in order.
    public private(set) var failures: [ScenarioFailure]

    public init(passed: Int = 0, failures: [ScenarioFailure] = []) {
        self.passed = passed
        self.failures = failures
    }

    public var failed: Int { failures.count }

    mutating func recordSuccess() { passed += 1 }
    mutating func record(_ failure: ScenarioFailure) { failures.append(failure) }

    /// Both results together.
    public static func + (left: ScenarioResult, right: ScenarioResult) -> ScenarioResult {
        ScenarioResult(passed: left.passed + right.passed, failures: left.failures + right.failures)
    }

    /// `N passed, N failed`.
    public var description: String { "\(passed) passed, \(failed) failed" }
}

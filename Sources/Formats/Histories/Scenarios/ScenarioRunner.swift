package import Events
import Foundation
import Muniment
import Permissions
import Synchronization

/// Runs `scenario/1` files, each in a new store that is deleted afterwards.
public struct ScenarioRunner: Sendable {
    public init() {}

    /// Runs one file.
    ///
    /// - Throws: ``FormatError`` if the file is malformed, ``UnreadableFileError``, or an error of the store. An unmet expectation does
    ///   not throw: it is in the result.
    public func run(file: String) throws -> ScenarioResult { try run(try LineReader(file: file)) }

    /// Runs the lines of a text; `named` is its name in failures and errors.
    public func run(text: String, named name: String) throws -> ScenarioResult {
        try run(LineReader(text: text, named: name))
    }

    private func run(_ lines: LineReader) throws -> ScenarioResult {
        var lines = lines
        var parser = LineParser(file: lines.file, kind: .scenario)
        guard let first = try lines.next(), case .header(let header) = try parser.parse(first) else { return ScenarioResult() }

        let directory = FileManager.default.temporaryDirectory.appending(path: "muniment-scenario-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        var run = try ScenarioRun(header, in: directory.path(percentEncoded: false))
        do {
            while let raw = try lines.next() {
                do {
                    try run.take(try parser.parse(raw), file: lines.file, line: raw.number)
                } catch let problem as MemberProblem {
                    throw problem.at(lines.file, raw.number)
                }
            }
        } catch {
            // The store is deleted with its directory; the first error is the relevant one.
            try? run.close()
            throw error
        }
        try run.close()
        return run.result
    }
}

/// A scenario that is running.
private struct ScenarioRun {
    private let store: Store
    private let clock = ScenarioClock()
    private var answering: QuestionEvaluator
    private(set) var result = ScenarioResult()

    init(_ header: Header, in directory: String) throws {
        var options = StoreOptions()
        options.clock = { [clock] in clock.now }
        options.expiryRecording = .withCommits
        store = try Store.create(
            at: directory, preset: header.preset ?? .locked, administrator: header.administratorOrDefault, options: options)
        answering = QuestionEvaluator(store: store, levels: header.levels)
    }

    func close() throws { try store.close() }

    mutating func take(_ line: Line, file: String, line number: Int) throws {
        let expected: JSONValue
        let actual: JSONValue
        switch line {
        case .header: return
        case .mark(let name):
            answering.marks[ExactText(name)] = try store.head.revision
            return
        case .clock(let moment): return try advance(to: moment, "clock")
        case .transaction(let transaction):
            if let time = transaction.time { try advance(to: time, "time") }
            (expected, actual) = try outcome(of: transaction)
        case .question(let question):
            (expected, actual) = (question.answer ?? .null, try answering.answer(question).unordered)
        }
        if Expectation.matches(expected, actual) {
            result.passed += 1
        } else {
            result.failures.append(
                ScenarioFailure(
                    file: file, line: number, expected: OrderedJSON.value(expected).text, actual: OrderedJSON.value(actual).text))
        }
    }

    /// The clock cannot go back. Access that is due by the new time expires at its own time.
    private func advance(to moment: Instant, _ key: String) throws {
        guard moment >= clock.now else {
            throw MemberProblem(
                path: key, problem: "goes back: \(moment) is before \(clock.now), the time of the scenario's clock",
                remedy: "write a time that is not earlier")
        }
        clock.advance(to: moment)
        try store.advance(to: moment)
    }
}

extension ScenarioRun {
    private static let success = JSONValue.string("ok")

    /// Returns the expected and the actual outcome of a transaction.
    private func outcome(of line: TransactionLine) throws -> (expected: JSONValue, actual: JSONValue) {
        if line.isEach {
            let actual = try line.changes.map { change in
                let refusal = try refusal(of: [change], line)
                return refusal.map { ScenarioRun.json($0, withChange: false) } ?? ScenarioRun.success
            }
            let expected = line.expectation ?? .array(actual.map { _ in ScenarioRun.success })
            return (expected, .array(actual))
        }
        let expected = line.expectation ?? ScenarioRun.success
        guard let refusal = try refusal(of: line.changes, line) else { return (expected, ScenarioRun.success) }
        // If the line does not name the refused change, any change matches.
        return (expected, ScenarioRun.json(refusal, withChange: expected["change"] != nil))
    }

    private func refusal(of changes: [Change], _ line: TransactionLine) throws -> Refusal? {
        do {
            _ = try store.commit(Transaction(line.caller, changes, origin: Origin(requestID: line.id), authority: .scenario))
            return nil
        } catch let refusal as Refusal {
            return refusal
        }
    }

    private static func json(_ refusal: Refusal, withChange: Bool) -> JSONValue {
        var members: JSONObject = ["refused": .string(refusal.code.rawValue)]
        if withChange, let change = refusal.change { members["change"] = .integer(Int64(change)) }
        return .object(members)
    }
}

/// The clock of a scenario or of a replay. Only a line or an entry advances it.
package final class ScenarioClock: Sendable {
    private let instant: Mutex<Instant>

    /// 2026-01-01T00:00:00Z, the start of every scenario.
    package static let start = Instant(microseconds: 1_767_225_600_000_000)

    package init(_ start: Instant = ScenarioClock.start) { instant = Mutex(start) }

    package var now: Instant { instant.withLock { $0 } }

    package func advance(to moment: Instant) { instant.withLock { $0 = max($0, moment) } }
}

/// Compares the expectations of a scenario with the actual outcomes.
enum Expectation {
    /// Whether `actual` matches `expected`: `"*"` matches anything; members and elements are compared one by one.
    static func matches(_ expected: JSONValue, _ actual: JSONValue) -> Bool {
        switch (expected, actual) {
        case (.string("*"), _): true
        case (.object(let expected), .object(let actual)):
            expected.count == actual.count
                && expected.allSatisfy { name, value in actual[name].map { matches(value, $0) } ?? false }
        case (.array(let expected), .array(let actual)):
            expected.count == actual.count && zip(expected, actual).allSatisfy { matches($0, $1) }
        default: expected == actual
        }
    }
}

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
    public fileprivate(set) var passed: Int
    /// The failed expectations, in order.
    public fileprivate(set) var failures: [ScenarioFailure]

    public init(passed: Int = 0, failures: [ScenarioFailure] = []) {
        self.passed = passed
        self.failures = failures
    }

    public var failed: Int { failures.count }

    /// Combines two results.
    public static func + (left: ScenarioResult, right: ScenarioResult) -> ScenarioResult {
        ScenarioResult(passed: left.passed + right.passed, failures: left.failures + right.failures)
    }

    /// `N passed, N failed`.
    public var description: String { "\(passed) passed, \(failed) failed" }
}

import Foundation

/// The lines that a service reports.
final class Reports: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [String] = []

    var lines: [String] { lock.withLock { all } }

    func add(_ line: String) { lock.withLock { all.append(line) } }
}

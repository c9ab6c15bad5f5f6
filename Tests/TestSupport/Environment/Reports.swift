import Synchronization

/// The lines that code under test reports, from any thread.
public final class Reports: Sendable {
    private let all = Mutex<[String]>([])

    public init() {}

    public var lines: [String] { all.withLock { $0 } }

    public func add(_ line: String) { all.withLock { $0.append(line) } }
}

import Foundation
import Synchronization

/// Watches the memory of this process, without mapped files, from its creation until it is stopped.
final class MemorySampler: Sendable {
    /// The most memory so far in bytes; nil once stopped.
    private let most = Mutex<Double?>(0)

    init() {
        Thread.detachNewThread { [self] in
            while sample() { Thread.sleep(forTimeInterval: 0.02) }
        }
    }

    /// Returns the most memory of all samples, in bytes.
    func stop() -> Double {
        most.withLock { most in
            defer { most = nil }
            return most ?? 0
        }
    }

    /// Returns whether more samples are needed.
    private func sample() -> Bool {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0
        return most.withLock { most in
            most = most.map { max($0, kilobytes * 1024) }
            return most != nil
        }
    }
}

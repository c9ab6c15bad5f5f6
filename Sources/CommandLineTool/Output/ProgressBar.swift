import Foundation
import Glibc

/// A line on standard error that shows how far long work has come, where standard error is a terminal.
final class ProgressBar: @unchecked Sendable {
    /// The one line that a terminal has for it.
    static let standard = ProgressBar(
        isShown: isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb")

    private let isShown: Bool
    private let clock = ContinuousClock()
    /// Guards what is below; progress comes from the threads that make it.
    private let lock = NSLock()
    /// When the line was last drawn, or else when there was first something to draw.
    private var lastDrawn: ContinuousClock.Instant?
    /// Whether the line is on the terminal.
    private var isDrawn = false

    private static let redrawEvery = Duration.milliseconds(100)
    private static let cells = 30

    private init(isShown: Bool) { self.isShown = isShown }

    /// Redraws the line, at most ten times a second; what takes less than a tenth is not worth a line.
    ///
    /// - Parameters:
    ///   - stage: what is being done, such as "folding the log".
    ///   - done: how much of `total` is behind; a `total` of 0 stands for one that is not known.
    ///   - note: what else is worth saying.
    func show(_ stage: String, done: UInt64, total: UInt64, note: String = "") {
        guard isShown else { return }
        lock.withLock {
            let now = clock.now
            let isDue = lastDrawn.map { now - $0 >= Self.redrawEvery }
            if isDue != false { lastDrawn = now }
            guard isDue == true else { return }
            isDrawn = true
            write("\r" + Self.text(stage, done: done, total: total, note: note) + "\u{1B}[K")
        }
    }

    /// Takes the line away, so that something else can be written in its place.
    func clear() {
        guard isShown else { return }
        lock.withLock {
            lastDrawn = nil
            guard isDrawn else { return }
            isDrawn = false
            write("\r\u{1B}[K")
        }
    }

    private static func text(_ stage: String, done: UInt64, total: UInt64, note: String) -> String {
        let note = note.isEmpty ? "" : "  " + note
        guard total > 0 else { return "\(stage)  \(done)\(note)" }
        let share = min(1, Double(done) / Double(total))
        let full = Int(share * Double(cells))
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: cells - full)
        return "\(stage)  [\(bar)] \(Int(share * 100))%\(note)"
    }

    /// A terminal that is gone does not stop the work.
    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

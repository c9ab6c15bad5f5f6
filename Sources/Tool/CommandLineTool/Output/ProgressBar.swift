import Dispatch
import Foundation
import Glibc

/// A progress line on standard error, if standard error is a terminal.
final class ProgressBar: @unchecked Sendable {
    /// The only instance, because a terminal has one line for it.
    static let standard = ProgressBar(
        isShown: isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb")

    private let isShown: Bool
    private let clock = ContinuousClock()
    /// Guards the properties below; several threads report progress.
    private let lock = NSLock()
    /// When the line was last drawn, or when there first was progress to draw.
    private var lastDrawn: ContinuousClock.Instant?
    /// Whether the line is on the terminal.
    private var isDrawn = false
    /// Shows how long a command runs that reports no progress.
    private var ticker: (any DispatchSourceTimer)?

    private static let redrawEvery = Duration.milliseconds(100)
    private static let cells = 30

    private init(isShown: Bool) { self.isShown = isShown }

    /// Redraws the line, at most ten times per second. Work of less than a tenth of a second shows no line.
    ///
    /// - Parameters:
    ///   - stage: the current work, such as "folding the log".
    ///   - done: the completed part of `total`; a `total` of 0 means unknown.
    ///   - note: additional text.
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

    /// Shows the running time of a command, every second in which it reports no other progress.
    func begin(_ command: String) {
        guard isShown else { return }
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + 1, repeating: 1)
        let start = clock.now
        timer.setEventHandler { [self] in
            let seconds = (clock.now - start).components.seconds
            lock.withLock {
                guard ticker != nil, lastDrawn.map({ clock.now - $0 >= .seconds(1) }) ?? true else { return }
                isDrawn = true
                write("\r\(command)  \(seconds) s\u{1B}[K")
            }
        }
        lock.withLock { ticker = timer }
        timer.resume()
    }

    /// Removes the line, and shows no more running time.
    func end() {
        lock.withLock {
            ticker?.cancel()
            ticker = nil
        }
        clear()
    }

    /// Removes the line, so that other output can replace it.
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

    /// A closed terminal does not stop the work.
    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

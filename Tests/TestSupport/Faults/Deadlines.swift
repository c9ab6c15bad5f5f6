public import Foundation

/// Something did not come to be so in time.
public struct NotInTime: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}

/// Returns once something is so, which other tasks see to.
///
/// - Parameter seconds: how long it may take: long beside what it takes, since the tests share the machine.
/// - Throws: ``NotInTime`` where it does not come to be so, so that a test that is wrong ends.
public func until(
    _ what: String, withinSeconds seconds: Int = 120, isolation: isolated (any Actor)? = #isolation, _ isSo: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try !isSo() {
        guard .now < end else { throw NotInTime(description: "\(what): not so within \(seconds) s") }
        await Task.yield()
    }
}

extension Process {
    /// Starts it, and ends it as the system would where it goes on for too long: whoever waits for it or reads from it comes to an end.
    ///
    /// - Parameter seconds: how long it may go on; far more than it takes.
    public func run(endingWithinSeconds seconds: Int) throws {
        try run()
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
            guard let self, isRunning else { return }
            kill(processIdentifier, SIGKILL)
        }
    }
}

/// A condition was not met in time.
public struct NotInTime: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}

/// Waits until a condition is true.
///
/// - Parameter seconds: the time limit. It is much longer than the expected time, since the tests share the machine.
/// - Throws: ``NotInTime`` if the condition is not met in time, so that a failing test ends.
public func until(
    _ what: String, withinSeconds seconds: Int = 1_200, isolation: isolated (any Actor)? = #isolation, _ isSo: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try !isSo() {
        guard .now < end else { throw NotInTime(description: "\(what): not so within \(seconds) s") }
        try await Task.sleep(for: .milliseconds(2))
    }
}

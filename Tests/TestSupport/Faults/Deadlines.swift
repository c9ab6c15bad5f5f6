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

/// Stops reads if their result is not needed any longer.
public enum ReadInterruption {
    /// Returns true as soon as reads should stop; nil if they run to their end.
    ///
    /// A ``ReadTransaction`` takes it over when it begins or is renewed, and calls it once per 256 reads.
    @TaskLocal public static var isRequested: (@Sendable () -> Bool)?

    /// Reads between two calls of ``isRequested``.
    static let interval: UInt = 256
}

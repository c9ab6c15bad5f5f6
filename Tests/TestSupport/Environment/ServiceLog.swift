internal import Foundation

/// The logs of the services that tests start. `Tools/test` prints the end of a log if the test of its service fails.
public enum ServiceLog {
    /// The folder for the logs; nil for tests that run by themselves.
    private static let folder = ProcessInfo.processInfo.environment["SERVICE_LOGS"]

    /// Keeps what a service has reported. Does nothing outside of `Tools/test`.
    ///
    /// - Parameters:
    ///   - text: all lines of the log.
    ///   - service: what the service is, such as `serve` or `in process`.
    public static func keep(_ text: String, of service: String) {
        guard let folder, !text.isEmpty else { return }
        try? Data(text.utf8).write(to: URL(filePath: "\(folder)/\(service) \(UUID().uuidString).log"))
    }
}

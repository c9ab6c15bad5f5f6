internal import Foundation
public import Primitives

/// The configuration of a manager.
public struct AuthConfiguration: Sendable {
    public var service: ServiceAddress
    /// Stores the session between two starts of the process.
    public var store: any SessionStore
    /// The name of this device in the list of sessions, at most 128 bytes; nil for no name.
    public var device: String?
    /// How failed requests are repeated.
    public var retries: RetryPolicy
    /// The timeout of a request in seconds.
    public var timeoutSeconds: Int
    /// Called with an error if the session could not be stored on this device. The text contains no secrets.
    public var report: @Sendable (String) -> Void
    /// Returns the current time. It decides when tokens are renewed and whether a sign-in is recent.
    public var clock: @Sendable () -> Instant
    /// Waits for the given time. Returns early if the task is cancelled.
    var pause: @Sendable (_ milliseconds: Int64) async -> Void
    /// Sends the requests to the service; nil for HTTP.
    public var transport: (any AuthTransport)?

    /// - Parameters:
    ///   - service: the address of the service.
    ///   - store: stores the session. The default is in memory, so the session is lost when the process ends.
    ///   - device: the name of this device in the list of sessions.
    public init(service: ServiceAddress, store: any SessionStore = InMemorySessionStore(), device: String? = nil) {
        self.service = service
        self.store = store
        self.device = device
        retries = RetryPolicy()
        timeoutSeconds = 15
        report = { _ in }
        clock = { Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
        pause = { milliseconds in try? await Task.sleep(for: .milliseconds(milliseconds)) }
        transport = nil
    }
}

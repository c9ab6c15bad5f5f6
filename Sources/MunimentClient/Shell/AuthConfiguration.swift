public import Events
internal import Foundation

/// What a manager works with.
public struct AuthConfiguration: Sendable {
    public var service: ServiceAddress
    /// Where the session is kept between two starts.
    public var store: any SessionStore
    /// What this device is called in the list of sessions, at most 128 bytes; nil for nothing.
    public var device: String?
    /// How often something is sent again that did not get through.
    public var retries: RetryPolicy
    /// Seconds until an answer has to be there.
    public var timeoutSeconds: Int
    /// Is told what could not be kept on this device, in words without secrets.
    public var report: @Sendable (String) -> Void
    /// The time, by which tokens are renewed and recent sign-ins known before they are asked for.
    public var clock: @Sendable () -> Instant
    /// How a pause is waited for. Ends early where the task is cancelled.
    var pause: @Sendable (_ milliseconds: Int64) async -> Void
    /// The way to the service; nil for HTTP.
    public var transport: (any AuthTransport)?

    /// - Parameters:
    ///   - service: where the service is.
    ///   - store: where the session is kept; in memory unless it is said, so that it is over with the process.
    ///   - device: what this device is called in the list of sessions.
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

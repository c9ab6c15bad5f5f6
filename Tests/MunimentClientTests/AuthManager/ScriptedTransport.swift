import Events
import Synchronization
import TestSupport

@testable import MunimentClient

/// A service with responses that the test defines. It records the requests, for tests of the client's messages and their number.
final class ScriptedTransport: HTTPTransport {
    typealias Script = @Sendable (ServiceRequest) -> Result<ServiceResponse, TransportError>

    private let script: Script
    private let asked = Mutex<[ServiceRequest]>([])

    init(_ script: @escaping Script) { self.script = script }

    /// The requests so far, in order.
    var requests: [ServiceRequest] { asked.withLock { $0 } }

    func count(_ description: String) -> Int { requests.count { $0.description == description } }

    func send(_ request: ServiceRequest) async throws(TransportError) -> ServiceResponse {
        asked.withLock { $0.append(request) }
        return try script(request).get()
    }

    /// The manager opens no streams.
    func open(_ request: ServiceRequest) async throws(TransportError) -> any ResponseStream {
        throw .notSent("the test has no streams")
    }
}

extension ServiceRequest {
    /// Returns a member of the body.
    func member(_ name: String) throws -> JSONValue? { try JSONText.decode(body ?? [])[name] }
}

extension AuthConfiguration {
    /// Creates a configuration with a clock of the test and pauses that take no time.
    static func test(
        _ transport: any HTTPTransport, _ clock: ManualClock, store: any SessionStore = InMemorySessionStore()
    ) throws -> AuthConfiguration {
        var configuration = AuthConfiguration(service: try ServiceAddress("http://127.0.0.1"), store: store)
        configuration.transport = transport
        configuration.clock = { clock.now }
        configuration.pause = { _ in }
        return configuration
    }
}

extension AuthenticationStateSequence {
    /// Returns the first state that matches, or nil if the sequence ends first.
    func first(_ isSo: (AuthenticationState) -> Bool) async -> AuthenticationState? {
        for await state in self where isSo(state) { return state }
        return nil
    }
}

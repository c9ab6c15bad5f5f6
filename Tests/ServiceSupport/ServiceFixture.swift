package import Credentials
package import Events
import Foundation
package import HTTPServer
import Muniment
package import Service
import Synchronization
package import TestSupport

/// A service for one test, with a separate data directory and a clock that the test moves.
package final class ServiceFixture {
    package let directory: String
    package let clock = ManualClock()
    package let service: MunimentService
    private var server: HTTPServer?
    private let reports = Reports()

    /// - Parameter change: Changes the settings before the service starts.
    package init(_ change: (inout ServiceSettings) -> Void = { _ in }) throws {
        directory = FileManager.default.temporaryDirectory.path + "/muniment-service-\(UUID().uuidString)"
        let clock = clock
        let options = StoreOptions(clock: { clock.now }, expiryRecording: .withCommits)
        let reports = reports
        var settings = ServiceSettings(
            dataDirectory: directory, clock: { clock.now }, storeOptions: options, report: { reports.add($0) })
        change(&settings)
        service = try MunimentService(settings)
    }

    /// Stops everything and removes the data directory.
    package func end() {
        server?.stop(graceSeconds: 5)
        try? service.close()
        ServiceLog.keep(reports.lines.joined(separator: "\n"), of: "in process")
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Calls the service without a socket.
    package var direct: InProcessClient { InProcessClient(service) }

    /// Calls the service with curl. The service starts to listen at the first use.
    package func live() throws -> Curl { Curl("http://127.0.0.1:\(try listen())") }

    /// Returns the port of the service. The service starts to listen at the first call.
    package func listen() throws -> UInt16 {
        if let server { return server.port }
        let started = try HTTPServer(HTTPServerSettings(), application: service)
        server = started
        try service.announce(started, on: "127.0.0.1")
        return started.port
    }

    /// Finishes the requests in progress, and stops listening.
    package func stopListening() throws {
        server?.stop(graceSeconds: 5)
        server = nil
    }

    /// Makes a token for some stores, by default for the default store.
    package func token(_ right: Right, _ stores: StoreScope = .named(["default"]), until: Instant? = nil) throws -> String {
        try TokenRegistry(dataDirectory: directory).create(stores: stores, right: right, until: until, at: clock.now).secret
    }

    /// Makes a token with all rights.
    package func administrator() throws -> String { try token(.administer, .all) }
}

/// Calls a service without a socket.
package struct InProcessClient: ServiceClient {
    private let service: MunimentService
    private let peer: String

    /// - Parameter peer: The client address of the requests, or empty for none.
    package init(_ service: MunimentService, peer: String = "") { (self.service, self.peer) = (service, peer) }

    package func send(_ method: String, _ target: String, headers: [HTTPHeader], body: [UInt8]) async throws -> Answer {
        let response = try await withCheckedThrowingContinuation { continuation in
            let pending = PendingAnswer(continuation)
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1_200)) {
                pending.resume(.failure(NotInTime(description: "\(method) \(target) is not answered")))
            }
            let request = HTTPRequest(method: method, target: target, headers: headers, body: body, peer: peer) {
                pending.resume(.success($0))
            }
            switch service.admit(request) {
            case .refused(let response): request.respond(response)
            case .body(let limitBytes):
                if body.count > limitBytes {
                    request.respond(service.refusal(of: request, status: 413, detail: "the body has more than \(limitBytes) bytes"))
                } else if case .now(let response) = service.answer(request) {
                    request.respond(response)
                }
            }
        }
        let bytes: [UInt8] =
            switch response.body {
            case .bytes(let bytes): bytes
            case .stream(let stream): await stream.collected()
            }
        return Answer(status: response.status, headers: response.headers, body: method == "HEAD" ? [] : bytes)
    }
}

/// A pending response. The wait for it ends when it arrives or when it times out.
private final class PendingAnswer: Sendable {
    private let waiter: Mutex<CheckedContinuation<HTTPResponse, any Error>?>

    init(_ waiter: CheckedContinuation<HTTPResponse, any Error>) { self.waiter = Mutex(waiter) }

    func resume(_ result: Result<HTTPResponse, any Error>) {
        let waiter = waiter.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }
        waiter?.resume(with: result)
    }
}

/// Runs a test with a service and ends it afterwards.
package func withService(
    _ change: (inout ServiceSettings) -> Void = { _ in }, _ body: (ServiceFixture) async throws -> Void
) async throws {
    let fixture = try ServiceFixture(change)
    defer { fixture.end() }
    try await body(fixture)
}

package import Credentials
package import Events
import Foundation
package import HTTPServer
import Muniment
package import Service
import Synchronization
package import TestSupport

/// A service on a data directory of its own, for one test, by a clock that the test moves.
package final class ServiceFixture {
    package let directory: String
    package let clock = ManualClock()
    package let service: MunimentService
    private var server: HTTPServer?

    /// - Parameter change: changes the settings before the service is started.
    package init(_ change: (inout ServiceSettings) -> Void = { _ in }) throws {
        directory = FileManager.default.temporaryDirectory.path + "/muniment-service-\(UUID().uuidString)"
        let clock = clock
        let options = StoreOptions(clock: { clock.now }, recordsEnds: .withCommits)
        var settings = ServiceSettings(dataDirectory: directory, clock: { clock.now }, storeOptions: options, report: { _ in })
        change(&settings)
        service = try MunimentService(settings)
    }

    /// Stops everything and removes the data directory.
    package func end() {
        server?.stop(graceSeconds: 5)
        try? service.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The service, asked without a socket.
    package var direct: DirectDoor { DirectDoor(service) }

    /// The service, asked by curl. It listens from the first time on.
    package func live() throws -> Curl { Curl("http://127.0.0.1:\(try listen())") }

    /// The port that the service listens on, from the first time that it is asked for.
    package func listen() throws -> UInt16 {
        if let server { return server.port }
        let started = try HTTPServer(HTTPServerSettings(), application: service)
        server = started
        try service.announce(host: "127.0.0.1", port: started.port)
        return started.port
    }

    /// Finishes what is being answered, and listens no more.
    package func stopListening() throws {
        server?.stop(graceSeconds: 5)
        server = nil
    }

    /// A token for some stores; for the default store unless it is said.
    package func token(_ right: Right, _ stores: StoreScope = .named(["default"]), until: Instant? = nil) throws -> String {
        try TokenRegistry(dataDirectory: directory).create(stores: stores, right: right, until: until, at: clock.now).secret
    }

    /// A token that may do everything.
    package func administrator() throws -> String { try token(.administer, .all) }
}

/// A service that is asked without a socket.
package struct DirectDoor: Door {
    private let service: MunimentService
    private let peer: String

    /// - Parameter peer: the address that its requests are to come from; empty for none.
    package init(_ service: MunimentService, peer: String = "") { (self.service, self.peer) = (service, peer) }

    package func send(_ method: String, _ target: String, headers: [HTTPHeader], body: [UInt8]) async throws -> Answer {
        let response = try await withCheckedThrowingContinuation { continuation in
            let pending = PendingAnswer(continuation)
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(300)) {
                pending.resume(.failure(NotInTime(description: "\(method) \(target) is not answered")))
            }
            let request = HTTPRequest(method: method, target: target, headers: headers, body: body, peer: peer) {
                pending.resume(.success($0))
            }
            switch service.admit(request) {
            case .refused(let response): request.respond(response)
            case .body(let limitBytes):
                if body.count > limitBytes {
                    request.respond(service.refusal(status: 413, detail: "the body has more than \(limitBytes) bytes"))
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

/// An answer that somebody waits for until it comes, or until it should have come.
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

import Dispatch
import Foundation
import HTTPServer
import Synchronization

/// An application with responses that the test defines. By default it responds with the text of the request.
final class TestApplication: HTTPApplication {
    struct Ended: Sendable {
        let path: String
        let status: Int
        let bytesSent: UInt64
    }

    private let bodyLimit: Int
    private let admission: @Sendable (HTTPRequest) -> HTTPResponse?
    private let answering: @Sendable (HTTPRequest) -> HTTPHandling
    private let log = Mutex<[Ended]>([])
    private let changed = DispatchSemaphore(value: 0)

    init(
        bodyLimit: Int = 1_000, refusing admission: @escaping @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil },
        answering: @escaping @Sendable (HTTPRequest) -> HTTPHandling = { .now(.text(TestApplication.words(for: $0))) }
    ) {
        self.bodyLimit = bodyLimit
        self.admission = admission
        self.answering = answering
    }

    static func words(for request: HTTPRequest) -> String {
        "\(request.method) \(request.path) ? \(request.query) : \(String(decoding: request.body, as: UTF8.self))"
    }

    func admit(_ request: HTTPRequest) -> HTTPAdmission {
        admission(request).map { .refused($0) } ?? .body(limitBytes: bodyLimit)
    }

    func answer(_ request: HTTPRequest) -> HTTPHandling { answering(request) }

    func refusal(of request: HTTPRequest?, status: Int, detail: String) -> HTTPResponse {
        .text("refused: \(detail)", status: status)
    }

    func ended(_ request: HTTPRequest, status: Int, bytesSent: UInt64, nanoseconds: UInt64) {
        log.withLock { $0.append(Ended(path: request.path, status: status, bytesSent: bytesSent)) }
        changed.signal()
    }

    /// Waits for the given number of ended requests. Returns those that ended, fewer after a timeout of ten seconds.
    func waitForEnded(_ count: Int) -> [Ended] {
        while log.withLock({ $0.count }) < count, changed.wait(timeout: .now() + 1_200) == .success {}
        return log.withLock { $0 }
    }
}

extension HTTPResponse {
    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: [HTTPHeader("Content-Type", "text/plain")], body: .bytes(Array(text.utf8)))
    }
}

/// Runs a server while the body runs.
func withServer<R>(
    _ application: TestApplication = TestApplication(), _ settings: HTTPServerSettings = HTTPServerSettings(),
    _ body: (HTTPServer) throws -> R
) throws -> R {
    let server = try HTTPServer(settings, application: application)
    defer { server.stop(graceSeconds: 5) }
    return try body(server)
}

/// Sends a text on a new connection, and reads until the server closes it.
func exchange(_ text: String, with server: HTTPServer) throws -> RawResponses? {
    try exchange(Array(text.utf8), with: server)
}

/// Sends bytes on a new connection, and reads until the server closes it.
func exchange(_ bytes: [UInt8], with server: HTTPServer) throws -> RawResponses? {
    let client = try RawClient(port: server.port)
    client.send(bytes)
    return client.receiveAll().map { RawResponses($0) }
}

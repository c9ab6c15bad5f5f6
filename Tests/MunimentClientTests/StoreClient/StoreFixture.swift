import Events
import Service
import ServiceSupport
import Synchronization

@testable import MunimentClient

/// Runs a test with a store of a running service, and a client of an administrator over sockets.
func withStore(
    _ change: (inout ServiceSettings) -> Void = { _ in },
    _ body: (_ store: StoreClient, _ service: ServiceFixture) async throws -> Void
) async throws {
    try await withService(change) { service in
        let address = try ServiceAddress("http://127.0.0.1:\(try service.listen())")
        let connection = ServiceConnection(address, tokens: FixedToken(try service.administrator()))
        try await body(StoreClient(connection, actor: "user:root"), service)
    }
}

extension StoreClient {
    /// Creates documents that Bob may read and query.
    @discardableResult func share(_ objects: Name...) async throws -> CommitReceipt {
        try await commit(
            objects.enumerated().flatMap { number, object -> [StoreChange] in
                [
                    .create(object, .object(["pages": .integer(Int64(number))])),
                    .grant("user:bob", ["read", "query"], on: object),
                ]
            }, comment: "shared")
    }

    /// Defines documents and users, and lets everyone use the store and the class.
    @discardableResult func prepare() async throws -> CommitReceipt {
        let all = ["read", "query", "update", "delete", "create", "setPermissions"]
        return try await commit([
            .defineClass("doc", ["properties": .array([.string("pages")])]), .register("user:ann"), .register("user:bob"),
            .grant(.everyone, all, on: .store), .grant(.everyone, all, on: "class:doc"),
        ])
    }
}

/// A transport that passes requests on, and loses the responses that the test selects after the service has executed the request.
final class LossyTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let losses: Mutex<Int>
    private let sent = Mutex<[ServiceRequest]>([])

    init(_ inner: any HTTPTransport, losing count: Int) {
        self.inner = inner
        losses = Mutex(count)
    }

    var requests: [ServiceRequest] { sent.withLock { $0 } }

    func send(_ request: ServiceRequest) async throws(TransportError) -> ServiceResponse {
        sent.withLock { $0.append(request) }
        let response = try await inner.send(request)
        let isLost = losses.withLock { left in
            left -= 1
            return left >= 0
        }
        if isLost { throw .noAnswer("the response was lost") }
        return response
    }

    func open(_ request: ServiceRequest) async throws(TransportError) -> any ResponseStream { try await inner.open(request) }
}

/// Answers requests with these results, in order.
final class ScriptedService: HTTPTransport {
    private let results: Mutex<[Result<ServiceResponse, TransportError>]>
    private let sent = Mutex<[ServiceRequest]>([])

    init(_ results: Result<ServiceResponse, TransportError>...) { self.results = Mutex(results) }

    var requests: [ServiceRequest] { sent.withLock { $0 } }

    func send(_ request: ServiceRequest) async throws(TransportError) -> ServiceResponse {
        sent.withLock { $0.append(request) }
        return try results.withLock { $0.removeFirst() }.get()
    }

    func open(_ request: ServiceRequest) async throws(TransportError) -> any ResponseStream { throw .notSent("no streams") }
}

extension Result where Success == ServiceResponse, Failure == TransportError {
    static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> Self {
        .success(ServiceResponse(status: status, headers: headers, body: Array(text.utf8)))
    }

    static func problem(_ status: Int, _ kind: String, headers: [String: String] = [:], code: String? = nil) -> Self {
        let member = code.map { #","code":"\#($0)""# } ?? ""
        return .json(
            #"{"type":"/problems/\#(kind)","status":\#(status),"detail":"wrong"\#(member)}"#, status: status, headers: headers)
    }

    static var lost: Self { .failure(.noAnswer("lost")) }
    static var unsent: Self { .failure(.notSent("no route")) }
}

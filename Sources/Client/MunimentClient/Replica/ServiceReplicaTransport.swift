public import MunimentReplica
public import Primitives

/// Connects a replica to a store of the service.
///
/// ```swift
/// let replica = try Replica(
///     at: path, user: ann, classes: ["doc"], transport: ServiceReplicaTransport(service, store: "default"))
/// try await replica.connect()
/// ```
public struct ServiceReplicaTransport: ReplicaTransport {
    private let connection: ServiceConnection
    private let store: String
    private let actsAsUser: Bool

    /// - Parameters:
    ///   - connection: the connection to the service. The replica repeats failed requests itself.
    ///   - store: the name of the store.
    ///   - actsAsUser: whether requests name the replica's user: for a token of an application server. The token of a user acts as this
    ///     user without it.
    public init(_ connection: ServiceConnection, store: String = "default", actsAsUser: Bool = false) {
        var connection = connection
        connection.retries = RetryPolicy(attempts: 1)
        (self.connection, self.store, self.actsAsUser) = (connection, store, actsAsUser)
    }

    public func receive(
        _ request: ReplicaStreamRequest, _ receive: @escaping @Sendable (ReplicaStreamPart) async throws -> Void
    ) async -> ReplicaStreamEnd {
        var query = request.classes.map { "class=" + $0.percentEncoded }
        if actsAsUser { query.append("as=" + request.user.text.percentEncoded) }
        let path = "/v1/stores/\(store.percentEncoded)/replica?" + query.joined(separator: "&")
        do {
            let stream = try await connection.openEvents(ServiceRequest(.get, path), after: request.after)
            defer { stream.cancel() }
            while let block = try await stream.nextBlock() {
                try await receive(try ReplicaStreamPart(event: block.event, id: block.id, data: block.data.map { Array($0.utf8) }))
            }
            return stream.isCut ? .overtaken : .lost(retryAfterSeconds: nil)
        } catch let error as ServiceError {
            guard let problem = error.problem else { return .lost(retryAfterSeconds: nil) }
            return problem.isWorthAnotherAttempt
                ? .lost(retryAfterSeconds: problem.retryAfterSeconds) : .refused(TransactionRefusal(problem))
        } catch let error as ReplicaError {
            return .refused(TransactionRefusal(code: "malformed", message: "\(error)", remedy: "update the client or the service"))
        } catch {
            return .lost(retryAfterSeconds: nil)
        }
    }

    public func send(_ changes: [ReplicaChange], key: String, as user: Name) async -> ReplicaSendOutcome {
        var body: JSONObject = ["do": .array(changes.map { .object($0.json) })]
        if actsAsUser { body["as"] = .string(user.text) }
        do {
            let path = "/v1/stores/\(store.percentEncoded)/transactions"
            let headers = ["Content-Type": "application/json", "Accept": "application/json", "Idempotency-Key": key]
            let request = ServiceRequest(.post, path, headers: headers, body: try JSONText.encode(.object(body)))
            let response = try await connection.send(request, effect: .changeWithKey)
            guard case .object(let receipt) = try JSONText.decode(response.body),
                // A transaction without an effect has no revision: the head contains it.
                case .integer(let revision)? = receipt["revision"] == .null
                    ? receipt["head"] : receipt["revision"] ?? receipt["head"]
            else { return .unknown(retryAfterSeconds: nil) }
            return .committed(Revision(UInt64(clamping: revision)))
        } catch let error as ServiceError {
            guard let problem = error.problem else { return .unknown(retryAfterSeconds: nil) }
            return problem.isWorthAnotherAttempt
                ? .unknown(retryAfterSeconds: problem.retryAfterSeconds) : .refused(TransactionRefusal(problem))
        } catch let error as JSONError {
            return .refused(TransactionRefusal(code: "malformed", message: "\(error)"))
        } catch {
            return .unknown(retryAfterSeconds: nil)
        }
    }
}

extension ServiceProblem {
    /// Whether the same request may succeed later. The service has not decided it.
    fileprivate var isWorthAnotherAttempt: Bool { [401, 408, 429].contains(status) || status >= 500 || kind == .keyInUse }
}

extension TransactionRefusal {
    fileprivate init(_ problem: ServiceProblem) {
        self.init(code: problem.code ?? problem.kind.rawValue, message: problem.detail, remedy: problem.remedy)
    }
}

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
    /// The bytes of a fill in one response. Two such responses are in memory.
    package var windowBytes = 3 << 19

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
        do {
            var window = try await open(request, after: request.after, containing: request.containing, before: receive)
            while window.stream == nil, let last = window.lastPosition {
                // The service prepares and sends the next window while the replica stores this one.
                async let next = open(request, after: last) { _ in }
                for part in window.parts { try await receive(part) }
                window = try await next
            }
            for part in window.parts { try await receive(part) }
            guard let stream = window.stream else { return .lost(retryAfterSeconds: nil) }
            defer { stream.cancel() }
            while let block = try await stream.nextBlock() { try await receive(try ReplicaStreamPart(block)) }
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

    /// Opens a stream, and reads the pages of a fill until its window ends.
    ///
    /// - Parameters:
    ///   - request: the user and the classes.
    ///   - position: where to begin; nil for the beginning.
    ///   - commit: a commit that the history must contain; nil for the next windows of a fill.
    ///   - before: receives the parts before the first step.
    private func open(
        _ request: ReplicaStreamRequest, after position: String?, containing commit: ReplicaCommit? = nil,
        before: @escaping @Sendable (ReplicaStreamPart) async throws -> Void
    ) async throws -> FillWindow {
        var query = request.classes.map { "class=" + $0.percentEncoded }
        if actsAsUser { query.append("as=" + request.user.text.percentEncoded) }
        if let commit { query.append("contains=\(commit)") }
        query.append("window=\(windowBytes)")
        let path = "/v1/stores/\(store.percentEncoded)/replica?" + query.joined(separator: "&")
        let stream = try await connection.openEvents(ServiceRequest(.get, path), after: position)
        do { return try await FillWindow(reading: stream, upTo: 2 * max(windowBytes, 1 << 20), before: before) } catch {
            stream.cancel()
            throw error
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
            let hash: String? = if case .string(let hash)? = receipt["hash"] { hash } else { nil }
            return .committed(Revision(UInt64(clamping: revision)), hash: hash)
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

/// The pages of a fill from one response, which the service ends after some bytes: a stream keeps too little for a slow replica.
private struct FillWindow {
    var parts: [ReplicaStreamPart] = []
    /// The rest of the response: what follows the last page of the fill, or a stream without a fill. Nil after the end of a window.
    var stream: EventStream?
    /// The position after the last page that can be resumed; nil without one.
    var lastPosition: String?

    /// - Parameters:
    ///   - stream: the events of the response.
    ///   - limitBytes: the bytes to read, if the service does not end the window.
    ///   - before: receives the parts before the first step.
    init(
        reading stream: EventStream, upTo limitBytes: Int, before: (ReplicaStreamPart) async throws -> Void
    ) async throws {
        var (isInFill, byteCount) = (false, 0)
        while let block = try await stream.nextBlock() {
            let part = try ReplicaStreamPart(block)
            switch part {
            case .alive where !isInFill, .position where !isInFill:
                try await before(part)
                continue
            case .begin(.fill), .begin(.resumedFill), .begin(.restored): isInFill = true
            case .begin(.changes), .end: isInFill = false
            case .objects(_, _, let position?): lastPosition = position
            case .objects, .position, .alive: break
            }
            parts.append(part)
            byteCount += block.data?.utf8.count ?? 0
            guard isInFill, byteCount < limitBytes else {
                self.stream = stream
                return
            }
        }
        stream.cancel()
    }
}

extension ReplicaStreamPart {
    fileprivate init(_ block: EventBlock) throws(ReplicaError) {
        try self.init(event: block.event, id: block.id, data: block.data.map { Array($0.utf8) })
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

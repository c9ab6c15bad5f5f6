import Dispatch
import Foundation
import MunimentClient
import Primitives
import Synchronization

@testable import MunimentReplica

/// A client with a replica of a service. It carries out the commands on its standard input, one line of JSON each.
struct ReplicaClientCommand {
    private let replica: Replica

    init(address: String, token: String, user: String, file: String) throws {
        let connection = ServiceConnection(try ServiceAddress(address), tokens: FixedToken(token))
        var options = Replica.Options()
        options.pause = { try await Task.sleep(for: .milliseconds(max($0 / 50, 2))) }
        replica = try Replica(
            at: file, user: Name(user), classes: ["doc"], transport: ServiceReplicaTransport(connection), options: options)
    }

    func run() throws {
        try waiting { [replica] in try await replica.connect() }
        FaultHelper.say("ready")
        while let line = readLine() {
            let command = try JSONText.decode(Array(line.utf8))
            FaultHelper.say(try waiting { try await answer(command) })
        }
    }

    /// Runs an asynchronous function, and blocks this thread until it returns.
    private func waiting<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        let (result, done) = (ResultBox<R>(), DispatchSemaphore(value: 0))
        Task {
            do { result.set(.success(try await body())) } catch { result.set(.failure(error)) }
            done.signal()
        }
        done.wait()
        return try result.get()
    }

    /// `{"do":[…]}` writes a transaction. `{"until":"doc:last","value":V}` waits for this value and for the ends of all transactions, and
    /// returns the state.
    private func answer(_ command: JSONValue) async throws -> String {
        if case .array(let changes)? = command["do"] {
            do {
                let id = try await replica.write(
                    changes.compactMap { if case .object(let json) = $0 { try ReplicaChange(json) } else { nil } })
                return "written \(id)"
            } catch let error as ReplicaError {
                return "rejected \(error)"
            }
        }
        guard case .string(let last)? = command["until"], let value = command["value"] else { return "unknown command" }
        for _ in 0..<60_000 {
            let status = await replica.status
            if status.connection == .connected, status.pendingTransactions == 0,
                try await replica.object(Name(last))?.value == value
            {
                return "state " + String(decoding: try JSONText.encode(try await state()), as: UTF8.self)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return "stuck \(await replica.status)"
    }

    private func state() async throws -> JSONValue {
        var objects = JSONObject()
        for object in try await replica.objects(ofClass: "doc", limit: 10_000).objects {
            objects[object.name.text] = .object([
                "value": object.value, "parent": object.parent.map { .string($0.text) } ?? .null,
                "privileges": .array((object.privileges?.names ?? []).map { .string($0) }),
            ])
        }
        let ends = try await replica.endedTransactions(limit: 100_000).map { end -> JSONValue in
            let id = JSONValue.integer(Int64(end.id.rawValue))
            switch end.outcome {
            case .committed(let revision): return .object(["id": id, "revision": .integer(Int64(revision.rawValue))])
            case .refused(let refusal):
                return .object([
                    "id": id, "refused": .string(refusal.code), "changes": .array(end.changes.map { .object($0.json) }),
                ])
            case .withdrawn: return .object(["id": id])
            }
        }
        return .object(["objects": .object(objects), "ends": .array(ends)])
    }
}

/// The result of a task, for another thread.
private final class ResultBox<R: Sendable>: Sendable {
    private let result = Mutex<Result<R, any Error>?>(nil)

    struct Missing: Error {}

    func set(_ new: Result<R, any Error>) { result.withLock { $0 = new } }
    func get() throws -> R { try result.withLock { $0 ?? .failure(Missing()) }.get() }
}

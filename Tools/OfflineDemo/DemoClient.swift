import Foundation
import MunimentClient
import MunimentReplica
import Primitives

/// A client process: carries out the commands on standard input, and answers each with one line of JSON.
struct DemoClient {
    let replica: Replica

    init(service: String, file: String, user: String, token: String) throws {
        let connection = ServiceConnection(try ServiceAddress(service), tokens: FixedToken(token))
        replica = try Replica(
            at: file, user: Name(user), classes: ["doc"], transport: ServiceReplicaTransport(connection, store: "default"))
    }

    func run() async throws {
        while let line = readLine() {
            var answer = JSONWriter()
            answer.write(try await carryOut(line.split(separator: " ", maxSplits: 2).map(String.init)))
            print(String(decoding: answer.written, as: UTF8.self))
            fflush(nil)
        }
        await replica.close()
    }

    private func carryOut(_ words: [String]) async throws -> JSONValue {
        switch words[0] {
        case "connect":
            try await replica.connect()
            return .null
        case "disconnect":
            try await replica.disconnect()
            return .null
        case "write":
            let id = try await replica.write([.write(Name(words[1]), .object(["text": .string(words[2])]))])
            return .integer(Int64(clamping: id.rawValue))
        case "merge":
            let id = try await replica.write([.merge(Name(words[1]), .object(["note": .string(words[2])]))])
            return .integer(Int64(clamping: id.rawValue))
        case "may":
            let answer = try await replica.may(words[1], on: Name(words[2]))
            return .string("\(answer.verdict)")
        case "forget":
            for end in try await replica.endedTransactions() { try await replica.forget(end.id) }
            return .null
        default: return try await view()
        }
    }

    /// Returns the view of the application.
    private func view() async throws -> JSONValue {
        var objects = JSONObject()
        for object in try await replica.objects(ofClass: "doc").objects {
            objects[object.name.text] = .object(["value": object.value, "isPending": .bool(object.isPending)])
        }
        let ends = try await replica.endedTransactions().map { end -> JSONValue in
            switch end.outcome {
            case .committed(let revision): .string("\(end.id) committed at \(revision)")
            case .refused(let refusal): .string("\(end.id) refused \(refusal.code), \(end.changes.count) changes given back")
            case .withdrawn: .string("\(end.id) withdrawn")
            }
        }
        let status = await replica.status
        return .object([
            "objects": .object(objects), "ends": .array(ends), "connection": .string("\(status.connection)"),
            "revision": status.revision.map { .integer(Int64(clamping: $0.rawValue)) } ?? .null,
            "pending": .integer(Int64(status.pendingTransactions)),
        ])
    }
}

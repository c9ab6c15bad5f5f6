import Credentials
import Events
import Files
import Muniment
import NetworkClient
import Permissions
import Wire

/// A store that a running service holds. The tool changes it through the service.
struct StoreOfService {
    private let service: RunningService
    private let name: String

    /// Returns nil unless the folder is a store in the data directory of a running service.
    init?(at directory: String) {
        let path = canonicalPath(directory)
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let name = String(path[path.index(after: slash)...])
        guard StoreScope.isStoreName(name), let service = RunningService(dataDirectory: String(path[..<slash])) else { return nil }
        self.service = service
        self.name = name
    }

    /// Commits changes through the service, as one transaction.
    ///
    /// - Parameter comment: the reason of the changes, for the log.
    /// - Throws: ``Permissions/Refusal`` for the same reasons as the store, ``Credentials/ServiceUnreachableError``, or
    ///   ``ServiceResponseError``.
    func commit(_ changes: [Change], as caller: Name, comment: String?) throws -> Receipt {
        var members: JSONObject = ["as": .name(caller), "do": .array(changes.map { $0.json })]
        members["comment"] = comment.map { .string($0) }
        let (status, body) = try service.send(
            .post, "/v1/stores/\(name)/transactions", json: try JSONText.encode(.object(members)))
        let answer = try? JSONText.decode(body)
        if status == 200, let receipt = answer.flatMap(Receipt.init(answer:)) { return receipt }
        if let refusal = answer.flatMap(Refusal.init(answer:)) { throw refusal }
        throw ServiceResponseError(status: status, detail: answer?.text("detail"))
    }
}

/// The service responded, but neither made the change nor refused it.
struct ServiceResponseError: Error, CustomStringConvertible {
    let status: Int
    let detail: String?

    var description: String {
        "the service of the store returned status \(status): \(detail ?? "no reason given; its log has details")"
    }
}

/// A command that needs exclusive access to a store that a service holds.
struct HeldByServiceError: Error, CustomStringConvertible {
    let command: String
    let path: String

    var description: String {
        "a service uses `\(path)`, and `muniment \(command)` needs exclusive access: stop the service, run this again, and start it again"
    }
}

extension Receipt {
    fileprivate init?(answer: JSONValue) {
        func revision(_ name: String) -> Revision? {
            if case .integer(let number)? = answer[name] { UInt64(exactly: number).map { Revision($0) } } else { nil }
        }
        guard let head = revision("head"), let time = answer.text("time").flatMap({ try? Instant($0) }),
            revision("revision") != nil || answer["revision"] == .null
        else { return nil }
        var notes: [ChangeNote] = []
        if case .array(let found)? = answer["notes"] { notes = found.compactMap(ChangeNote.init(json:)) }
        self.init(revision: revision("revision"), head: head, time: time, hash: answer.text("hash"), notes: notes)
    }
}

extension Refusal {
    /// Reads the refusal in a problem document of the service; nil if the problem is not a refusal.
    fileprivate init?(answer: JSONValue) {
        guard let code = answer.text("code").flatMap(Code.init), let message = answer.text("detail") else { return nil }
        self.init(code, message)
    }
}

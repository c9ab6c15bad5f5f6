import Credentials
import Events
import Files
import Muniment
import Permissions

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
        var writer = JSONWriter()
        writer.raw(#"{"as":"#)
        writer.write(caller.text)
        writer.raw(#","do":["#)
        for (index, change) in changes.enumerated() {
            if index > 0 { writer.raw(",") }
            change.write(into: &writer)
        }
        writer.raw("]")
        if let comment {
            writer.raw(#","comment":"#)
            writer.write(comment)
        }
        writer.raw("}")
        let (status, body) = try service.post("/v1/stores/\(name)/transactions", json: Array(writer.text.utf8))
        let answer = try? JSONText.decode(body)
        if status == 200, let receipt = answer.flatMap(Receipt.init(answer:)) { return receipt }
        if let refusal = answer.flatMap(Refusal.init(answer:)) { throw refusal }
        throw ServiceResponseError(
            status: status, detail: answer?["detail"].flatMap { if case .string(let text) = $0 { text } else { nil } })
    }
}

/// The service responded, but neither made the change nor refused it.
struct ServiceResponseError: Error, CustomStringConvertible {
    let status: Int
    let detail: String?

    var description: String {
        "the service of the store returned status \(status): \(detail ?? "no reason given"); its log has details"
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
        guard case .integer(let head)? = answer["head"], let head = UInt64(exactly: head), case .string(let text)? = answer["time"],
            let time = try? Instant(text)
        else { return nil }
        switch answer["revision"] {
        case .null?: self.init(revision: nil, head: Revision(head), time: time)
        case .integer(let number)?:
            guard let number = UInt64(exactly: number) else { return nil }
            self.init(revision: Revision(number), head: Revision(head), time: time)
        default: return nil
        }
    }
}

extension Refusal {
    /// Reads the refusal in a problem document of the service; nil if the problem is not a refusal.
    fileprivate init?(answer: JSONValue) {
        guard case .string(let word)? = answer["code"], let code = Code(rawValue: word),
            case .string(let message)? = answer["detail"]
        else { return nil }
        self.init(code, message)
    }
}

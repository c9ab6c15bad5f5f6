internal import Events
package import Muniment
internal import Permissions

extension AuditRecord {
    /// The line of the record in a CSV file, with times in UTC and visible codes for invisible characters.
    package var csvLine: CSVLine {
        get throws { CSVLine(try row(sentence: sentence).map { try $0.text(time: { "\($0)" }).escapingInvisible() }) }
    }
}

extension AuditRecord {
    package static let columns = [
        "time", "outcome", "revision", "refusal", "actor", "kind", "objects", "subjects", "privileges", "code", "description",
        "request", "comment", "credential",
    ]

    /// Returns the cells of ``columns``.
    ///
    /// - Parameter sentence: what happened, with its times in the zone of the reader.
    package func row(sentence: String) -> [Cell] {
        let changed = json["event"] ?? json["tried"]
        let first: [Cell] = [.time(time), .text(isDone ? "done" : "refused")]
        let place: [Cell] =
            switch source {
            case .event(_, let revision, _): [.revision(revision), .text(nil)]
            case .refusal(let refusal): [.text(nil), .number(refusal.number.rawValue)]
            }
        let what: [Cell] = [
            .text(actor), .text(kind), .list(objects), .list(subjects), .value(changed?["privileges"] ?? .null),
            .value(json["code"] ?? .null), .text(sentence),
        ]
        return first + place + what + origin.cells
    }
}

extension Origin {
    /// The request id, the comment and the credential.
    package var cells: [Cell] { [.text(requestID), .text(comment), .text(credential)] }
}

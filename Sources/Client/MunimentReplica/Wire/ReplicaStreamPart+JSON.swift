internal import Primitives

extension ReplicaStreamPart {
    /// Reads a block of the service's stream of server-sent events.
    ///
    /// - Parameters:
    ///   - event: the type of the event.
    ///   - id: the position of the block; nil for a block without one.
    ///   - data: the data of the event: one JSON object; nil for a block without data.
    /// - Throws: ``ReplicaError/malformed(_:)`` for a block that is not part of the protocol.
    public init(event: String, id: String?, data: [UInt8]?) throws(ReplicaError) {
        guard let data else {
            self = id.map { .position($0) } ?? .alive
            return
        }
        do {
            let json = try JSONText.decode(data, limit: ReplicaStreamPart.limitBytes)
            switch event {
            case "begin": self = .begin(try ReplicaStep(json: json))
            case "objects": self = try .objects(json, id)
            case "end": self = try .end(json, id)
            default: throw MemberProblem(path: "event", problem: "is unknown: `\(event.prefix(80))`", remedy: "update the client")
            }
        } catch {
            throw .malformed("a part of the replica's stream cannot be read: \(error)")
        }
    }

    /// The maximum bytes of one part: a value of the maximum size, and what surrounds it.
    static let limitBytes = 16 << 20

    private static func objects(_ json: JSONValue, _ id: String?) throws(MemberProblem) -> ReplicaStreamPart {
        var reader = try ObjectReader<MemberProblem>(json)
        let changed =
            try reader.optional("changed") { json throws(MemberProblem) in
                try json.readList("a list of objects") { json throws(MemberProblem) in try ReplicaObject(json: json) }
            } ?? []
        return .objects(changed, removed: (try reader.optionalTexts("removed") ?? []).map { Name($0) }, position: id)
    }

    private static func end(_ json: JSONValue, _ id: String?) throws(MemberProblem) -> ReplicaStreamPart {
        var reader = try ObjectReader<MemberProblem>(json)
        let revision = try reader.required("revision", try reader.optionalNumber("revision", 0...Int64.max))
        return .end(
            position: try reader.required("id", id), Revision(UInt64(revision)),
            time: try reader.required("time", try reader.optionalInstant("time")), classes: try readClasses(&reader))
    }
}

extension ReplicaStep {
    fileprivate init(json: JSONValue) throws(MemberProblem) {
        var reader = try ObjectReader<MemberProblem>(json)
        switch try reader.text("kind") {
        case "changes":
            let after = try reader.required("after", try reader.optionalNumber("after", 0...Int64.max))
            self = .changes(after: Revision(UInt64(after)))
        case "fill" where reader.has("reset"): self = .restored
        case "fill": self = try reader.flag("resumed") ? .resumedFill : .fill
        default: throw MemberProblem(path: "kind", problem: "is unknown", remedy: "update the client")
        }
    }
}

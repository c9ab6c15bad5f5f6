internal import Primitives

extension ReplicaStreamPart {
    /// Decodes one server-sent event of the replica's stream.
    ///
    /// - Parameters:
    ///   - event: the type of the event.
    ///   - id: the id of the event, which is a position in the stream; nil if the event has none.
    ///   - data: the data of the event, one JSON object. Nil for an event without data: it reports a position, or only that the
    ///     connection is alive.
    /// - Throws: ``ReplicaError/malformed(_:)`` if the event has an unknown type or invalid data.
    public init(event: String, id: String?, data: [UInt8]?) throws(ReplicaError) {
        guard let data else {
            self = id.map { .position($0) } ?? .alive
            return
        }
        do {
            var reader = try JSONReader(data, limit: ReplicaStreamPart.limitBytes)
            switch event {
            case "begin": self = .begin(try ReplicaStep(json: try reader.whole()))
            case "objects": self = try .objects(&reader, id)
            case "end": self = try .end(try reader.whole(), id)
            default: throw MemberProblem(path: "event", problem: "is unknown: `\(event.prefix(80))`", remedy: "update the client")
            }
        } catch {
            throw .malformed("an event of the replica's stream is invalid: \(error)")
        }
    }

    /// The maximum bytes of the data of one event. An object with a value of the maximum size, 1 MiB, fits.
    static let limitBytes = 16 << 20

    private static func objects(_ reader: inout JSONReader, _ id: String?) throws(JSONError) -> ReplicaStreamPart {
        var (changed, removed) = ([ReplicaObject](), [Name]())
        try reader.expect(.object, "an object with lists")
        try reader.takeMembers { reader, name throws(JSONError) in
            if name == .changed {
                try reader.takeList { reader throws(JSONError) in changed.append(try ReplicaObject(&reader, keepsText: true)) }
            } else if name == .removed {
                try reader.takeList { reader throws(JSONError) in removed.append(Name(try reader.takeExpectedText())) }
            } else {
                try reader.skip()
            }
        }
        try reader.end()
        return .objects(changed, removed: removed, position: id)
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

extension JSONReader {
    fileprivate mutating func takeList(_ take: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        try expect(.array, "a list")
        try takeElements(take)
    }
}

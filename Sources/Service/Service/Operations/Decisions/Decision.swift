public import Events

/// The result of one check, as recorded in the decision log.
public struct Decision: Hashable, Sendable {
    /// Its number in the log: the decisions of a store are numbered without a gap. 0 if it is not in the log yet.
    public var number: UInt64 = 0
    /// The time of the decision.
    public var time: Instant
    /// The id of the credential's token; nil for an unknown credential.
    public var credential: String?
    public var subject: String
    /// The privilege, or the name of its action.
    public var action: String
    public var resource: String
    public var isAllowed: Bool
    /// The revision of the decision.
    public var revision: Revision
    public var requestID: String?
}

/// A line of a decision log.
enum DecisionLine {
    case decision(Decision)
    /// The number of decisions that were not written because writing was too slow.
    case dropped(number: UInt64, time: Instant, count: UInt64)

    var number: UInt64 {
        switch self {
        case .decision(let decision): decision.number
        case .dropped(let number, _, _): number
        }
    }

    /// Reads a line; nil for any other text.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONText.decode(bytes), case .integer(let number)? = json["number"], number > 0,
            case .string(let timeText)? = json["time"], let time = try? Instant(timeText)
        else { return nil }
        if case .integer(let count)? = json["dropped"] {
            self = .dropped(number: UInt64(number), time: time, count: UInt64(clamping: count))
            return
        }
        guard case .string(let subject)? = json["subject"], case .string(let action)? = json["action"],
            case .string(let resource)? = json["resource"], case .bool(let isAllowed)? = json["allowed"],
            case .integer(let revision)? = json["revision"], revision >= 0
        else { return nil }
        var decision = Decision(
            number: UInt64(number), time: time, subject: subject, action: action, resource: resource, isAllowed: isAllowed,
            revision: Revision(UInt64(revision)))
        if case .string(let credential)? = json["credential"] { decision.credential = credential }
        if case .string(let id)? = json["request"] { decision.requestID = id }
        self = .decision(decision)
    }

    static func drop(_ number: UInt64, _ time: Instant, _ count: UInt64) -> [UInt8] {
        Array(#"{"number":\#(number),"time":"\#(time)","dropped":\#(count)}"#.utf8) + [UInt8(ascii: "\n")]
    }
}

extension Decision {
    /// The members of its line after the number, with the line end.
    var tail: [UInt8] {
        var writer = JSONWriter()
        writer.raw(#","time":""# + time.description + #"","allowed":\#(isAllowed),"subject":"#)
        writer.write(subject)
        writer.raw(#","action":"#)
        writer.write(action)
        writer.raw(#","resource":"#)
        writer.write(resource)
        writer.raw(#","revision":\#(revision.rawValue)"#)
        for (name, value) in [("credential", credential), ("request", requestID)] {
            guard let value else { continue }
            writer.raw(",\"\(name)\":")
            writer.write(value)
        }
        writer.raw("}\n")
        return Array(writer.text.utf8)
    }

    /// The format of the API and the tool.
    package var json: JSONObject {
        var members: JSONObject = [
            "number": .integer(Int64(clamping: number)), "time": .string(time.description), "allowed": .bool(isAllowed),
            "subject": .string(subject), "action": .string(action), "resource": .string(resource),
            "revision": .integer(Int64(clamping: revision.rawValue)),
        ]
        if let credential { members["credential"] = .string(credential) }
        if let requestID { members["request"] = .string(requestID) }
        return members
    }
}

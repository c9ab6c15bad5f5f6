public import Events

/// One answer to the question whether somebody may do something, as the decision log keeps it.
public struct Decision: Hashable, Sendable {
    /// Its place in the log: the decisions of a store are numbered without a gap. 0 where it is not in the log yet.
    public var number: UInt64 = 0
    /// When it was made.
    public var time: Instant
    /// Who asked: the id of its token; nil where nobody is known.
    public var caller: String?
    public var subject: String
    /// The privilege, or the action that stands for it.
    public var action: String
    public var resource: String
    public var isAllowed: Bool
    /// The revision that it was made on.
    public var revision: Revision
    public var requestID: String?

    public init(
        time: Instant, caller: String?, subject: String, action: String, resource: String, isAllowed: Bool, revision: Revision,
        requestID: String?
    ) {
        self.time = time
        self.caller = caller
        self.subject = subject
        self.action = action
        self.resource = resource
        self.isAllowed = isAllowed
        self.revision = revision
        self.requestID = requestID
    }
}

/// A line of a decision log.
enum DecisionLine {
    case decision(Decision)
    /// So many decisions were made, and not written since nobody took them fast enough.
    case dropped(number: UInt64, time: Instant, count: UInt64)

    var number: UInt64 {
        switch self {
        case .decision(let decision): decision.number
        case .dropped(let number, _, _): number
        }
    }

    /// Reads a line; nil for one that is none.
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
            time: time, caller: nil, subject: subject, action: action, resource: resource, isAllowed: isAllowed,
            revision: Revision(UInt64(revision)), requestID: nil)
        if case .string(let caller)? = json["caller"] { decision.caller = caller }
        if case .string(let id)? = json["request"] { decision.requestID = id }
        decision.number = UInt64(number)
        self = .decision(decision)
    }

    static func drop(_ number: UInt64, _ time: Instant, _ count: UInt64) -> [UInt8] {
        Array(#"{"number":\#(number),"time":"\#(time)","dropped":\#(count)}"#.utf8) + [UInt8(ascii: "\n")]
    }
}

extension Decision {
    /// The members of its line behind the number, with the line's end.
    var tail: [UInt8] {
        var writer = JSONWriter()
        writer.raw(#","time":""# + time.description + #"","allowed":\#(isAllowed),"subject":"#)
        writer.write(subject)
        writer.raw(#","action":"#)
        writer.write(action)
        writer.raw(#","resource":"#)
        writer.write(resource)
        writer.raw(#","revision":\#(revision.rawValue)"#)
        for (name, value) in [("caller", caller), ("request", requestID)] {
            guard let value else { continue }
            writer.raw(",\"\(name)\":")
            writer.write(value)
        }
        writer.raw("}\n")
        return Array(writer.text.utf8)
    }

    /// As the API and the tool show it.
    package var json: JSONObject {
        var members: JSONObject = [
            "number": .integer(Int64(clamping: number)), "time": .string(time.description), "allowed": .bool(isAllowed),
            "subject": .string(subject), "action": .string(action), "resource": .string(resource),
            "revision": .integer(Int64(clamping: revision.rawValue)),
        ]
        if let caller { members["caller"] = .string(caller) }
        if let requestID { members["request"] = .string(requestID) }
        return members
    }
}

internal import Events
internal import Muniment
internal import Wire

/// The subject, the action, the resource and the context of a request, if present.
struct RequestParts {
    var subject: EntityPart?
    var action: ActionPart?
    var resource: EntityPart?
    var context: ContextPart?

    /// The error of the first part that is duplicate or contains a value of the wrong type.
    var fault: RequestFault? { subject?.fault ?? action?.fault ?? resource?.fault ?? context?.fault }

    /// Reads the value of a member if it is one of the four parts. Returns whether it was.
    mutating func take(_ name: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch name {
        case "subject": subject = try EntityPart(&reader, .subject, isRepeated: subject != nil)
        case "action": action = try ActionPart(&reader, isRepeated: action != nil)
        case "resource": resource = try EntityPart(&reader, .resource, isRepeated: resource != nil)
        case "context": context = try ContextPart(&reader, isRepeated: context != nil)
        default: return false
        }
        return true
    }
}

/// The error of a request that is valid JSON, in words.
struct RequestFault: Hashable {
    let message: String

    init(_ message: String) { self.message = message }

    static func missing(_ member: String) -> RequestFault { RequestFault("`\(member)` is missing or empty: write a string") }
    static func wrongType(_ member: String, _ wanted: String) -> RequestFault { RequestFault("`\(member)` must be \(wanted)") }
    static func repeated(_ member: String) -> RequestFault { RequestFault("`\(member)` appears twice: keep one of them") }
}

/// A subject or a resource. A class, because batches pass the same parts repeatedly.
final class EntityPart {
    /// Empty if missing.
    private(set) var type = ""
    /// Empty if missing.
    private(set) var id = ""
    private(set) var fault: RequestFault?

    enum Role: String {
        case subject, resource
    }

    fileprivate init(_ reader: inout JSONReader, _ role: Role, isRepeated: Bool) throws(JSONError) {
        guard try reader.next() == .object else {
            fault = .wrongType(role.rawValue, "an object with `type` and `id`")
            try reader.skip()
            return
        }
        var (type, id) = (String?.none, String?.none)
        var fault = isRepeated ? RequestFault.repeated(role.rawValue) : nil
        try reader.takeMembers { reader, name throws(JSONError) in
            switch name {
            case "type": try reader.takeText(role.rawValue, "type", &type, &fault)
            case "id": try reader.takeText(role.rawValue, "id", &id, &fault)
            case "properties": try reader.skipObject(role.rawValue, "properties", &fault)
            default: try reader.skip()
            }
        }
        (self.type, self.id, self.fault) = (type ?? "", id ?? "", fault)
    }
}

/// An action. Also a class.
final class ActionPart {
    /// Empty if missing.
    private(set) var name = ""
    private(set) var fault: RequestFault?

    fileprivate init(_ reader: inout JSONReader, isRepeated: Bool) throws(JSONError) {
        guard try reader.next() == .object else {
            fault = .wrongType("action", "an object with `name`")
            try reader.skip()
            return
        }
        var (name, fault) = (String?.none, isRepeated ? RequestFault.repeated("action") : nil)
        try reader.takeMembers { reader, member throws(JSONError) in
            switch member {
            case "name": try reader.takeText("action", "name", &name, &fault)
            case "properties": try reader.skipObject("action", "properties", &fault)
            default: try reader.skip()
            }
        }
        (self.name, self.fault) = (name ?? "", fault)
    }
}

/// The members of a request's context that this service uses; others are ignored.
struct ContextPart {
    /// The moment of the query; nil for now.
    private(set) var moment: Moment?
    /// Whether the response must contain the reason.
    private(set) var wantsReason = false
    private(set) var fault: RequestFault?

    fileprivate init(_ reader: inout JSONReader, isRepeated: Bool) throws(JSONError) {
        guard try reader.next() == .object else {
            fault = .wrongType("context", "an object")
            try reader.skip()
            return
        }
        var (at, reason) = (JSONValue?.none, false)
        var fault = isRepeated ? RequestFault.repeated("context") : nil
        try reader.takeMembers { reader, name throws(JSONError) in
            switch name {
            case "at":
                if at != nil { fault = .repeated("context.at") }
                at = try reader.takeValue()
            case "reason" where try reader.next() == .flag: reason = try reader.takeValue() == .bool(true)
            default: try reader.skip()
            }
        }
        (wantsReason, self.fault) = (reason, fault)
        if let at { readMoment(at) }
    }

    private mutating func readMoment(_ value: JSONValue) {
        switch value {
        case .integer(let number) where number >= 0: moment = .revision(Revision(UInt64(number)))
        case .string(let text): moment = Instant(text: text).map(Moment.time)
        default: break
        }
        if moment == nil {
            fault = fault ?? .wrongType("context.at", "the number of a revision, or a time like 2026-01-01T10:00:00Z")
        }
    }
}

extension JSONReader {
    /// Reads a text as a member of a part. A value of another type is an error.
    fileprivate mutating func takeText(
        _ part: String, _ member: String, _ text: inout String?, _ fault: inout RequestFault?
    ) throws(JSONError) {
        guard try next() == .text else {
            fault = fault ?? .wrongType("\(part).\(member)", "a string")
            return try skip()
        }
        if text != nil { fault = fault ?? .repeated("\(part).\(member)") }
        text = try takeText()
    }

    /// Skips an unused object. A value that is not an object is an error.
    fileprivate mutating func skipObject(
        _ part: String, _ member: String, _ fault: inout RequestFault?
    ) throws(JSONError) {
        if try next() != .object { fault = fault ?? .wrongType("\(part).\(member)", "an object") }
        try skip()
    }
}

internal import Events
internal import Muniment
internal import Wire

/// The subject, the action, the resource and the context of a request, as far as it has them.
struct RequestParts {
    var subject: EntityPart?
    var action: ActionPart?
    var resource: EntityPart?
    var context: ContextPart?

    /// The first part that has a value of the wrong type in it, or stands there twice.
    var fault: RequestFault? { subject?.fault ?? action?.fault ?? resource?.fault ?? context?.fault }

    /// Takes the value of a member, where it is one of the four; says whether it was.
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

/// What is wrong with a request that is JSON, in words.
struct RequestFault: Hashable {
    let message: String

    init(_ message: String) { self.message = message }

    static func missing(_ member: String) -> RequestFault { RequestFault("`\(member)` is missing or empty: give it as a text") }
    static func wrongType(_ member: String, _ wanted: String) -> RequestFault { RequestFault("`\(member)` is to be \(wanted)") }
    static func repeated(_ member: String) -> RequestFault { RequestFault("`\(member)` stands twice: keep one of the two") }
}

/// A subject or a resource. Batches hand the same ones on again and again, so that they go by reference.
final class EntityPart {
    /// Empty where there is none.
    private(set) var type = ""
    /// Empty where there is none.
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

/// An action. It goes by reference too.
final class ActionPart {
    /// Empty where there is none.
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

/// What a request's context says to this service; what else is in it is the business of others.
struct ContextPart {
    /// When the question is about; nil for now.
    private(set) var moment: Moment?
    /// Whether the answer is to say why.
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
    /// Takes the text that comes next as a member of a part. One of another type is a fault.
    fileprivate mutating func takeText(
        _ part: String, _ member: String, _ text: inout String?, _ fault: inout RequestFault?
    ) throws(JSONError) {
        guard try next() == .text else {
            fault = fault ?? .wrongType("\(part).\(member)", "a text")
            return try skip()
        }
        if text != nil { fault = fault ?? .repeated("\(part).\(member)") }
        text = try takeText()
    }

    /// Goes over an object that nobody asks about. What is no object is a fault.
    fileprivate mutating func skipObject(
        _ part: String, _ member: String, _ fault: inout RequestFault?
    ) throws(JSONError) {
        if try next() != .object { fault = fault ?? .wrongType("\(part).\(member)", "an object") }
        try skip()
    }
}

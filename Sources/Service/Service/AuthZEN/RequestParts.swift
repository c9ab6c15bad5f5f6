internal import Events
internal import Muniment
internal import Permissions
internal import Wire

/// The subject, the action, the resource and the context of a request, if present.
struct RequestParts {
    var subject: EntityPart?
    var action: ActionPart?
    var resource: EntityPart?
    var context: ContextPart?

    /// The error of the first part that is duplicate or contains a value of the wrong type.
    var fault: AuthZENError? { subject?.fault ?? action?.fault ?? resource?.fault ?? context?.fault }

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

/// A subject or a resource. A class, because batches pass the same parts repeatedly.
final class EntityPart {
    /// Empty if missing.
    private(set) var type = ""
    /// Empty if missing.
    private(set) var id = ""
    private(set) var fault: AuthZENError?

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
        var fault = isRepeated ? AuthZENError.repeated(role.rawValue) : nil
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
    private(set) var fault: AuthZENError?

    fileprivate init(_ reader: inout JSONReader, isRepeated: Bool) throws(JSONError) {
        guard try reader.next() == .object else {
            fault = .wrongType("action", "an object with `name`")
            try reader.skip()
            return
        }
        var (name, fault) = (String?.none, isRepeated ? AuthZENError.repeated("action") : nil)
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
    private(set) var fault: AuthZENError?

    fileprivate init(_ reader: inout JSONReader, isRepeated: Bool) throws(JSONError) {
        guard try reader.next() == .object else {
            fault = .wrongType("context", "an object")
            try reader.skip()
            return
        }
        var (at, reason) = (JSONValue?.none, false)
        var fault = isRepeated ? AuthZENError.repeated("context") : nil
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
        _ part: String, _ member: String, _ text: inout String?, _ fault: inout AuthZENError?
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
        _ part: String, _ member: String, _ fault: inout AuthZENError?
    ) throws(JSONError) {
        if try next() != .object { fault = fault ?? .wrongType("\(part).\(member)", "an object") }
        try skip()
    }
}

/// Converts an AuthZEN type and id to names of the store.
extension EntityPart {
    /// The principal of this type and id; nil if they are not valid for a principal.
    ///
    /// `user`, `thing` and `role` are types with names as ids. `everyone`, any signed-in caller, and `anonymous`, any caller, are
    /// types with a single id equal to the type.
    var principal: Name? {
        switch type {
        case "user", "thing", "role": wellFormed(Name(type + ":" + id))
        case "everyone": id == "everyone" ? .everyone : nil
        case "anonymous": id == "anonymous" ? .anonymous : nil
        default: nil
        }
    }

    /// The object of this type and id; nil if they are not valid for an object. The only object of the type `store` is the store's
    /// own.
    var object: Name? {
        if type == "store" { return id == "store" ? .store : nil }
        // With a colon in the type, the same text would mean another class and another id.
        guard !type.utf8.contains(UInt8(ascii: ":")) else { return nil }
        return wellFormed(Name(type + ":" + id))
    }

    private func wellFormed(_ name: Name) -> Name? { name.isWellFormed ? name : nil }
}

extension Name {
    /// The type and the id of the object or principal of this name.
    var typeAndID: (type: String, id: String) {
        guard let id else { return (text, text) }
        return (className, id)
    }
}

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
    mutating func take(_ name: JSONName, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch name {
        case .subject: subject = try EntityPart(&reader, .subject, isRepeated: subject != nil)
        case .action: action = try ActionPart(&reader, isRepeated: action != nil)
        case .resource: resource = try EntityPart(&reader, .resource, isRepeated: resource != nil)
        case .context: context = try ContextPart(&reader, isRepeated: context != nil)
        default: return false
        }
        return true
    }
}

/// The names of the members that AuthZEN defines.
extension JSONName {
    static let subject = JSONName("subject")
    static let action = JSONName("action")
    static let resource = JSONName("resource")
    static let context = JSONName("context")
    static let properties = JSONName("properties")
    static let type = JSONName("type")
    static let id = JSONName("id")
    static let name = JSONName("name")
    static let at = JSONName("at")
    static let reason = JSONName("reason")
    static let evaluations = JSONName("evaluations")
    static let options = JSONName("options")
    static let evaluationsSemantic = JSONName("evaluations_semantic")
    static let page = JSONName("page")
    static let token = JSONName("token")
    static let limit = JSONName("limit")
}

/// A subject or a resource. A class, because batches pass the same parts repeatedly.
final class EntityPart {
    /// Empty if missing.
    let type: String
    /// Empty if missing.
    let id: String
    let fault: AuthZENError?

    enum Role: String {
        case subject, resource
    }

    fileprivate init(_ reader: inout JSONReader, _ role: Role, isRepeated: Bool) throws(JSONError) {
        guard case .object = try reader.next() else {
            try reader.skip()
            (type, id, fault) = ("", "", .wrongType(role.rawValue, "an object with `type` and `id`"))
            return
        }
        var (type, id) = (String?.none, String?.none)
        var fault = isRepeated ? AuthZENError.repeated(role.rawValue) : nil
        try reader.takeMembers { reader, name throws(JSONError) in
            switch name {
            case .type: try reader.takeText("\(role).type", &type, &fault)
            case .id: try reader.takeText("\(role).id", &id, &fault)
            case .properties: try reader.skipObject("\(role).properties", &fault)
            default: try reader.skip()
            }
        }
        (self.type, self.id, self.fault) = (type ?? "", id ?? "", fault)
    }
}

/// An action. Also a class.
final class ActionPart {
    /// Empty if missing.
    let name: String
    let fault: AuthZENError?

    fileprivate init(_ reader: inout JSONReader, isRepeated: Bool) throws(JSONError) {
        guard case .object = try reader.next() else {
            try reader.skip()
            (name, fault) = ("", .wrongType("action", "an object with `name`"))
            return
        }
        var (name, fault) = (String?.none, isRepeated ? AuthZENError.repeated("action") : nil)
        try reader.takeMembers { reader, member throws(JSONError) in
            switch member {
            case .name: try reader.takeText("action.name", &name, &fault)
            case .properties: try reader.skipObject("action.properties", &fault)
            default: try reader.skip()
            }
        }
        (self.name, self.fault) = (name ?? "", fault)
    }
}

/// The members of a request's context that this service uses; others are ignored. Also a class.
final class ContextPart {
    /// The moment of the query; nil for now.
    private(set) var moment: Moment?
    /// Whether the response must contain the reason.
    private(set) var wantsReason = false
    private(set) var fault: AuthZENError?

    fileprivate init(_ reader: inout JSONReader, isRepeated: Bool) throws(JSONError) {
        guard case .object = try reader.next() else {
            fault = .wrongType("context", "an object")
            try reader.skip()
            return
        }
        var (at, reason) = (JSONValue?.none, false)
        var fault = isRepeated ? AuthZENError.repeated("context") : nil
        try reader.takeMembers { reader, name throws(JSONError) in
            switch name {
            case .at:
                if at != nil { fault = .repeated("context.at") }
                at = try reader.takeValue()
            case .reason where try reader.next() == .flag: reason = try reader.takeValue() == .bool(true)
            default: try reader.skip()
            }
        }
        (wantsReason, self.fault) = (reason, fault)
        if let at { readMoment(at) }
    }

    private func readMoment(_ value: JSONValue) {
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
        _ place: @autoclosure () -> String, _ text: inout String?, _ fault: inout AuthZENError?
    ) throws(JSONError) {
        guard case .text = try next() else {
            fault = fault ?? .wrongType(place(), "a string")
            return try skip()
        }
        if text != nil { fault = fault ?? .repeated(place()) }
        text = try takeText()
    }

    /// Skips an unused object. A value that is not an object is an error.
    fileprivate mutating func skipObject(
        _ place: @autoclosure () -> String, _ fault: inout AuthZENError?
    ) throws(JSONError) {
        if try next() != .object { fault = fault ?? .wrongType(place(), "an object") }
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
        case "user", "thing", "role": wellFormed(name)
        case "everyone": id == "everyone" ? .everyone : nil
        case "anonymous": id == "anonymous" ? .anonymous : nil
        default: nil
        }
    }

    /// The object of this type and id; nil if they are not valid for an object. The only object of the type `store` is the store's
    /// own.
    var object: Name? {
        if type == "store" { return id == "store" ? .store : nil }
        return isTypeAmbiguous ? nil : wellFormed(name)
    }

    /// Whether the type has a colon: the name would then mean another class and another id.
    var isTypeAmbiguous: Bool {
        let bytes = type.utf8Span.span
        for index in bytes.indices where bytes[index] == UInt8(ascii: ":") { return true }
        return false
    }

    /// The type and the id as a name, which may be ill-formed.
    var name: Name { Name(type + ":" + id) }

    private func wellFormed(_ name: Name) -> Name? { name.isWellFormed ? name : nil }
}

extension Name {
    /// The type and the id of the object or principal of this name.
    var typeAndID: (type: String, id: String) {
        guard let id else { return (text, text) }
        return (className, id)
    }
}

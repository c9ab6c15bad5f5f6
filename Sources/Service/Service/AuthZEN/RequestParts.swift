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

    /// The error of the first part that contains a value of the wrong type.
    var fault: AuthZENError? { fault(ofSearchFor: nil) }

    /// Returns the error of the first part that contains a value of the wrong type.
    ///
    /// - Parameter kind: what the request searches for; nil for an evaluation. A search ignores the id of the searched entity, and a
    ///   search for actions the action.
    func fault(ofSearchFor kind: SearchedKind?) -> AuthZENError? {
        subject?.fault ?? (kind == .subject ? nil : subject?.idFault) ?? (kind == .action ? nil : action?.fault)
            ?? resource?.fault ?? (kind == .resource ? nil : resource?.idFault) ?? context?.fault
    }

    /// Reads the value of a member if it is one of the four parts. Returns whether it was. `null` is the same as no part.
    ///
    /// - Parameter subjectTypes: types of subjects that mean another type, by the type in a request.
    mutating func take(
        _ name: JSONName, _ reader: inout JSONReader, subjectTypes: [String: String]
    ) throws(JSONError) -> Bool {
        switch name {
        case .subject: if try !reader.takeNull() { subject = try EntityPart(&reader, .subject, types: subjectTypes) }
        case .action: if try !reader.takeNull() { action = try ActionPart(&reader) }
        case .resource: if try !reader.takeNull() { resource = try EntityPart(&reader, .resource) }
        case .context: if try !reader.takeNull() { context = try ContextPart(&reader) }
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
    static let at = JSONName(ContextPart.momentName)
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
    /// The type in the store. Empty if missing.
    let type: String
    /// The type in the request.
    let givenType: String
    /// Empty if missing.
    let id: String
    /// The error of the part, apart from its id.
    let fault: AuthZENError?
    /// The error of the id.
    let idFault: AuthZENError?

    enum Role: String {
        case subject, resource
    }

    /// - Parameter types: types that mean another type.
    fileprivate init(_ reader: inout JSONReader, _ role: Role, types: [String: String] = [:]) throws(JSONError) {
        guard case .object = try reader.next() else {
            try reader.skip()
            (type, givenType, id, idFault) = ("", "", "", nil)
            fault = .wrongType(role.rawValue, "an object with `type` and `id`")
            return
        }
        var (type, id) = (String?.none, String?.none)
        var (fault, idFault) = (AuthZENError?.none, AuthZENError?.none)
        try reader.takeMembers { reader, name throws(JSONError) in
            switch name {
            case .type: type = try reader.takeText("\(role).type", &fault)
            case .id: id = try reader.takeText("\(role).id", &idFault)
            case .properties: try reader.skipObject("\(role).properties", &fault)
            default: try reader.skip()
            }
        }
        givenType = type ?? ""
        self.type = types.isEmpty ? givenType : types[givenType] ?? givenType
        (self.id, self.fault, self.idFault) = (id ?? "", fault, idFault)
    }
}

/// An action. Also a class.
final class ActionPart {
    /// Empty if missing.
    let name: String
    let fault: AuthZENError?

    fileprivate init(_ reader: inout JSONReader) throws(JSONError) {
        guard case .object = try reader.next() else {
            try reader.skip()
            (name, fault) = ("", .wrongType("action", "an object with `name`"))
            return
        }
        var (name, fault) = (String?.none, AuthZENError?.none)
        try reader.takeMembers { reader, member throws(JSONError) in
            switch member {
            case .name: name = try reader.takeText("action.name", &fault)
            case .properties: try reader.skipObject("action.properties", &fault)
            default: try reader.skip()
            }
        }
        (self.name, self.fault) = (name ?? "", fault)
    }
}

/// The members of a request's context that this service uses; others are ignored. Also a class.
final class ContextPart {
    /// The name of the member with the moment of a query. It has a prefix, because a caller's context may have an `at` of its own.
    static let momentName = "muniment_at"

    /// The moment of the query; nil for now.
    private(set) var moment: Moment?
    /// Whether the response must contain the reason.
    private(set) var wantsReason = false
    private(set) var fault: AuthZENError?
    /// Whether an evaluation with this context has a context in its response, even in a list.
    var wantsContext: Bool { wantsReason || moment != nil }

    fileprivate init(_ reader: inout JSONReader) throws(JSONError) {
        guard case .object = try reader.next() else {
            fault = .wrongType("context", "an object")
            try reader.skip()
            return
        }
        var (at, reason) = (JSONValue.null, false)
        try reader.takeMembers { reader, name throws(JSONError) in
            switch name {
            case .at: at = try reader.takeValue()
            case .reason where try reader.next() == .flag: reason = try reader.takeValue() == .bool(true)
            default: try reader.skip()
            }
        }
        wantsReason = reason
        readMoment(at)
    }

    private func readMoment(_ value: JSONValue) {
        switch value {
        case .null: return
        case .integer(let number) where number >= 0: moment = .revision(Revision(UInt64(number)))
        case .string(let text): moment = Instant(text: text).map(Moment.time)
        default: break
        }
        if moment == nil {
            fault = .wrongType("context.\(Self.momentName)", "the number of a revision, or a time like 2026-01-01T10:00:00Z")
        }
    }
}

extension JSONReader {
    /// Reads `null` if it is the next value. Returns whether it was.
    mutating func takeNull() throws(JSONError) -> Bool {
        guard try next() == .null else { return false }
        try skip()
        return true
    }

    /// Reads a text as a member of a part; nil for `null`. A value of another type is an error.
    fileprivate mutating func takeText(
        _ place: @autoclosure () -> String, _ fault: inout AuthZENError?
    ) throws(JSONError) -> String? {
        switch try next() {
        case .text: return try takeText()
        case .null: break
        default: fault = fault ?? .wrongType(place(), "a string")
        }
        try skip()
        return nil
    }

    /// Skips an unused object, or `null`. Another value is an error.
    mutating func skipObject(_ place: @autoclosure () -> String, _ fault: inout AuthZENError?) throws(JSONError) {
        let type = try next()
        if type != .object, type != .null { fault = fault ?? .wrongType(place(), "an object") }
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

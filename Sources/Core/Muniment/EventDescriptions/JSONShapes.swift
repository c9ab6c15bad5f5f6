package import Events
internal import Permissions

extension JSONValue {
    package static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
    package static func name(_ name: Name) -> JSONValue { .string(name.text) }
    package static func count(_ number: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: number)) }
    package static func revision(_ revision: Revision) -> JSONValue { .count(revision.rawValue) }
    package static func time(_ instant: Instant) -> JSONValue { .string(instant.description) }
    package static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    /// Returns this object with additional members.
    package func with(_ members: JSONObject) -> JSONValue {
        guard case .object(let own) = self else { return .object(members) }
        return .object(own.with(members))
    }
}

extension Origin {
    /// The known parts of the origin, as members of an object.
    package var members: JSONObject {
        var members: JSONObject = [:]
        if let requestID { members["id"] = .string(requestID) }
        if let idempotencyKey { members["idempotencyKey"] = .string(idempotencyKey) }
        if let comment { members["comment"] = .string(comment) }
        if let importLine { members["importLine"] = .count(importLine) }
        if let credential { members["credential"] = .string(credential) }
        return members
    }
}

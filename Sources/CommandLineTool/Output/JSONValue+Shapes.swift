import Events
import Permissions

/// How answers become JSON.
extension JSONValue {
    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
    static func name(_ name: Name) -> JSONValue { .string(name.text) }
    static func count(_ number: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: number)) }
    static func revision(_ revision: Revision) -> JSONValue { .count(revision.rawValue) }
    static func time(_ instant: Instant) -> JSONValue { .string(instant.description) }
    static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    /// This object with further members.
    func with(_ members: JSONObject) -> JSONValue {
        guard case .object(let own) = self else { return .object(members) }
        return .object(own.with(members))
    }
}

extension JSONObject {
    /// These members and further ones, which replace those of the same name.
    func with(_ members: JSONObject) -> JSONObject {
        var all = self
        for (name, value) in members { all[name] = value }
        return all
    }
}

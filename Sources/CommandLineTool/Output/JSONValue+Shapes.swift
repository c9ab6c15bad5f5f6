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
    func with(_ members: [String: JSONValue]) -> JSONValue {
        guard case .object(let own) = self else { return .object(members) }
        return .object(own.merging(members) { _, new in new })
    }
}

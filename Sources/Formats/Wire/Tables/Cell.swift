package import Events
internal import Muniment

/// A value in a row.
package enum Cell {
    case value(JSONValue)
    /// Printed in the zone of the reader.
    case time(Instant?)

    package static func text(_ text: String?) -> Cell { .value(.optional(text)) }
    package static func list(_ texts: [String]) -> Cell { .value(.texts(texts)) }
    package static func number(_ number: some BinaryInteger) -> Cell { .value(.count(number)) }
    package static func revision(_ revision: Revision?) -> Cell { .value(revision.map(JSONValue.revision) ?? .null) }
    package static func flag(_ flag: Bool) -> Cell { .value(.bool(flag)) }

    /// The value as JSON. A time is in UTC.
    package var json: JSONValue {
        switch self {
        case .value(let value): value
        case .time(let time): time.map(JSONValue.time) ?? .null
        }
    }

    /// The value in one line: a list separated by commas, nothing for null.
    ///
    /// - Parameter text: returns a time in the zone of the reader.
    package func text(time text: (Instant) -> String) throws -> String {
        switch self {
        case .time(let time): time.map(text) ?? ""
        case .value(.null): ""
        case .value(.string(let string)): string
        case .value(.array(let values)): try values.map { try Cell.value($0).text(time: text) }.joined(separator: ",")
        case .value(let value): String(decoding: try JSONText.encode(value), as: UTF8.self)
        }
    }
}

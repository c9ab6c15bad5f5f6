import Events
import Muniment
import Wire

/// The records of a list as rows with named columns.
struct Table {
    let columns: [String]
    let rows: [[Cell]]

    init(_ columns: [String], _ rows: [[Cell]]) {
        self.columns = columns
        self.rows = rows
    }

    /// A list of names, in one column.
    init(_ column: String, _ names: [String]) { self.init([column], names.map { [.text($0)] }) }

    /// A JSON object for each row.
    var objects: [JSONValue] {
        rows.map { Table.object(columns, $0) }
    }

    /// Returns the cells of a row by the names of their columns.
    static func object(_ columns: [String], _ row: [Cell]) -> JSONValue {
        .object(zip(columns, row).reduce(into: JSONObject()) { object, pair in object[pair.0] = pair.1.json })
    }
}

/// A value in a row.
enum Cell {
    case value(JSONValue)
    /// Printed in the zone of the call.
    case time(Instant?)

    static func text(_ text: String?) -> Cell { .value(.optional(text)) }
    static func list(_ texts: [String]) -> Cell { .value(.texts(texts)) }
    static func number(_ number: some BinaryInteger) -> Cell { .value(.count(number)) }
    static func revision(_ revision: Revision?) -> Cell { .value(revision.map(JSONValue.revision) ?? .null) }
    static func flag(_ flag: Bool) -> Cell { .value(.bool(flag)) }

    /// The value as JSON. A time is in UTC.
    var json: JSONValue {
        switch self {
        case .value(let value): value
        case .time(let time): time.map(JSONValue.time) ?? .null
        }
    }

    /// The value in one line: a list separated by commas, nothing for null.
    func text(in zone: Zone) throws -> String {
        switch self {
        case .time(let time): time.map(zone.text) ?? ""
        case .value(.null): ""
        case .value(.string(let text)): text
        case .value(.array(let values)): try values.map { try Cell.value($0).text(in: zone) }.joined(separator: ",")
        case .value(let value): String(decoding: try JSONText.encode(value), as: UTF8.self)
        }
    }
}

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

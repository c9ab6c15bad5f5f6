import Events
import Wire

/// Prints the records of a list one by one, in the format of the call.
struct ListPrinter {
    private let output: Output
    private let format: ListFormat
    private var rows: RowWriter?
    private var count = 0
    /// Whether no record was printed.
    var isEmpty: Bool { count == 0 }
    /// The zone of the times in lines.
    let zone: Zone

    init(_ call: Invocation, columns: [String]) throws {
        output = call.output
        format = try call.format(ofJSON: .jsonl)
        zone = try call.zone
        if format == .csv || format == .table {
            rows = try RowWriter(output, columns: columns, isCSV: format == .csv, zone: zone)
        }
    }

    /// Prints a record. Only the description that the format needs is evaluated.
    mutating func print(
        _ json: @autoclosure () throws -> JSONValue, lines: @autoclosure () throws -> [String],
        rows: @autoclosure () throws -> [[Cell]]
    ) throws {
        count += 1
        switch format {
        case .text: for line in try lines() { try output.line(line) }
        case .json: try output.json(try json(), after: count == 1 ? "[" : ",")
        case .jsonl: try output.json(try json())
        case .csv, .table: for row in try rows() { try self.rows?.write(row) }
        }
    }

    /// Completes the list. Must be called after the last record.
    mutating func end() throws {
        if format == .json { try output.raw(count == 0 ? "[]" : "]") }
        try rows?.end()
    }
}

import Permissions
import Wire

/// Writes rows as CSV or as aligned columns, after a line with the names of the columns.
struct RowWriter {
    private let output: Output
    private let columns: [String]
    private let isCSV: Bool
    private let zone: Zone
    /// The first rows of a table, until the widths of the columns are known.
    private var held: [[String]] = []
    private var widths: [Int]?

    /// The number of rows that determine the widths of a table. Memory does not grow with the length of a list.
    private static let heldRows = 1_000

    init(_ output: Output, columns: [String], isCSV: Bool, zone: Zone) throws {
        self.output = output
        self.columns = columns
        self.isCSV = isCSV
        self.zone = zone
        if isCSV { try writeCSV(columns) } else { held = [columns.map { $0.uppercased() }] }
    }

    mutating func write(_ row: [Cell]) throws {
        let texts = try row.map { try $0.text(time: zone.text).escapingInvisible() }
        if isCSV { return try writeCSV(texts) }
        if let widths { return try writeLine(texts, widths) }
        held.append(texts)
        if held.count > Self.heldRows { try end() }
    }

    /// Writes the rows that are still held. Must be called after the last row.
    mutating func end() throws {
        guard !isCSV, widths == nil else { return }
        let found = columns.indices.map { column in held.map { $0[column].count }.max() ?? 0 }
        for (index, row) in held.enumerated() { try writeLine(row, found, isHeading: index == 0) }
        (held, widths) = ([], found)
    }

    private func writeLine(_ texts: [String], _ widths: [Int], isHeading: Bool = false) throws {
        var line = ""
        for (text, width) in zip(texts, widths) { line += text.padded(to: width) + "  " }
        while line.last == " " { line.removeLast() }
        try output.raw(isHeading ? Coloring.heading(line) : line)
    }

    private func writeCSV(_ texts: [String]) throws {
        try output.raw(CSVLine(texts).text)
    }
}

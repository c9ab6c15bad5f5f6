import FoundationEssentials

/// The rows of a run, as a table for people and as JSON for programs.
struct Table: Sendable {
    var title: String
    var rows: [Row] = []

    init(_ title: String) { self.title = title }

    mutating func add(_ row: Row) { rows.append(row) }

    /// Whether every row with a goal reaches it.
    var isReached: Bool { rows.allSatisfy { $0.isReached != false } }

    private func cells(_ row: Row) -> [String] {
        let reached =
            switch row.isReached {
            case true?: "yes"
            case false?: "no"
            case nil: ""
            }
        return [
            row.name, row.figure.description, row.raw?.description ?? "", row.ratio.map { Figure.rounded($0) + " ×" } ?? "",
            row.goal?.description ?? "", reached,
        ]
    }

    /// The table in Markdown.
    var text: String { Table.markdown(title, ["what", "figure", "raw", "ratio", "target", "reached"], rows.map(cells)) }

    /// Returns a table in Markdown with columns that are aligned in a terminal as well; the second to the fourth contain numbers.
    static func markdown(_ title: String, _ header: [String], _ rows: [[String]]) -> String {
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return (1...3).contains(column) ? space + cell.0 : cell.0 + space
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = widths.enumerated().map { column, width in
            (1...3).contains(column) ? String(repeating: "-", count: width + 1) + ":" : String(repeating: "-", count: width + 2)
        }
        let body = [line(header), "|" + rule.joined(separator: "|") + "|"] + rows.map(line)
        return "### \(title)\n\n" + body.joined(separator: "\n") + "\n"
    }
}

extension Row: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, figure, unit, raw, ratio, target, reached
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let unit = try container.decode(Figure.Unit.self, forKey: .unit)
        self.init(
            try container.decode(String.self, forKey: .name),
            Figure(value: try container.decode(Double.self, forKey: .figure), unit: unit),
            raw: try container.decodeIfPresent(Double.self, forKey: .raw).map { Figure(value: $0, unit: unit) })
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(figure.value, forKey: .figure)
        try container.encode(figure.unit, forKey: .unit)
        try container.encodeIfPresent(raw?.value, forKey: .raw)
        try container.encodeIfPresent(ratio, forKey: .ratio)
        try container.encodeIfPresent(goal?.description, forKey: .target)
        try container.encodeIfPresent(isReached, forKey: .reached)
    }
}

extension Table: Codable {
    /// Reads the tables that another run has written.
    static func read(_ path: String) throws -> [Table] {
        try JSONDecoder().decode([Table].self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// Writes tables as one JSON document.
    static func write(_ tables: [Table], to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var document = try encoder.encode(tables)
        document.append(contentsOf: "\n".utf8)
        try document.write(to: URL(filePath: path))
    }
}

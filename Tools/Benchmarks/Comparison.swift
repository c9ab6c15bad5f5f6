/// The rows of this run beside the same rows of another run.
///
/// Rows with a raw figure are compared by their ratio to it, since the speed of the machine can differ between the runs.
struct Comparison {
    private let now: [Table]
    private let before: [String: Row]

    init(of now: [Table], with before: [Table]) {
        self.now = now
        self.before = Dictionary(
            before.flatMap { table in table.rows.map { (table.title + "/" + $0.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// A table in Markdown. `worse` is in rows that are worse by more than 5 %.
    var text: String {
        let rows = now.flatMap { table in
            table.rows.compactMap { row in before[table.title + "/" + row.name].map { cells(row, $0, table) } }
        }
        return Table.markdown("Compared", ["what", "before", "now", "now / before", ""], rows)
    }

    private func cells(_ row: Row, _ earlier: Row, _ table: Table) -> [String] {
        let change: Double
        let shown: (String, String)
        if let ratio = row.ratio, let earlierRatio = earlier.ratio {
            change = ratio / earlierRatio
            shown = (Figure.rounded(earlierRatio) + " ×", Figure.rounded(ratio) + " ×")
        } else {
            change = row.figure.value / earlier.figure.value
            shown = (earlier.figure.description, row.figure.description)
        }
        let isWorse = row.figure.unit == .perSecond ? change < 0.95 : change > 1.05
        return ["\(table.title): \(row.name)", shown.0, shown.1, Figure.rounded(change), isWorse ? "worse" : ""]
    }
}

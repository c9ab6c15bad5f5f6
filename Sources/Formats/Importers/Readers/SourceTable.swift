/// Rows with named columns, of a CSV file or a database.
struct SourceTable {
    struct Record {
        /// The place in messages.
        let place: String
        let fields: [String]
    }

    /// The name in messages.
    let name: String
    let header: [String]
    let records: [Record]
}

extension SourceTable {
    /// Reads a CSV file whose first line names the columns.
    init(csv file: SourceFile) throws(SourceFileError) {
        let records: [CSVRecords.Record]
        do { records = try CSVRecords.records(of: file.text) } catch {
            throw SourceFileError(file: file.place(error.line), "a quote is not closed; double a quote inside a quoted field")
        }
        self.init(
            name: file.name, header: records[0].fields,
            records: records.dropFirst().map { Record(place: file.place($0.line), fields: $0.fields) })
    }
}

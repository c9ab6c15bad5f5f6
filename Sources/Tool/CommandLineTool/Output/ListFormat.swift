import Events

/// The format of a list.
enum ListFormat: String, CaseIterable {
    /// Lines for people; only names if the list has only names.
    case text
    /// Aligned columns with a heading.
    case table
    /// One JSON value.
    case json
    /// One JSON object per record and line.
    case jsonl
    /// RFC 4180, with a heading.
    case csv
}

extension Option {
    static let format = Option("format", value: "text|table|json|jsonl|csv", "the format of the list (default text)")
}

extension Invocation {
    /// The format in `--format`. `--json` has the meaning of the format `json`, or `jsonl` for the records of a log.
    func format(ofJSON json: ListFormat = .json) throws -> ListFormat {
        let format: ListFormat? = try options.choice(of: .format, "is not a format; write text, table, json, jsonl or csv")
        guard let format else { return isJSON ? json : .text }
        guard !isJSON else { throw UsageError("`--json` and `--format` exclude each other; write one of them") }
        return format
    }

    /// Prints an answer in the format of the call, and returns the exit code.
    ///
    /// - Parameters:
    ///   - json: the whole answer as one object.
    ///   - lines: the answer for people.
    ///   - table: the records of a list, for a command with the option `--format`.
    func answer(
        _ json: @autoclosure () throws -> JSONValue, lines: @autoclosure () throws -> [String],
        table: @autoclosure () throws -> Table = Table([], []), _ code: ExitCode = .success
    ) throws -> ExitCode {
        switch try format() {
        case .text: for line in try lines() { try output.line(line) }
        case .json: try output.json(try json())
        case .jsonl: for object in try table().objects { try output.json(object) }
        case .csv, .table:
            let table = try table()
            var writer = try RowWriter(output, columns: table.columns, isCSV: format() == .csv, zone: zone)
            for row in table.rows { try writer.write(row) }
            try writer.end()
        }
        return code
    }
}

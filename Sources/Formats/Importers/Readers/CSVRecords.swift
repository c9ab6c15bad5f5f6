/// The records of a text with comma-separated values (RFC 4180).
struct CSVRecords {
    struct Record {
        /// The line on which it begins, from 1.
        let line: Int
        let fields: [String]
    }

    /// An opening quote without a closing one.
    struct UnclosedQuoteError: Error {
        let line: Int
    }

    /// Returns the records of a text. Blank lines are left out. A quote inside a field that does not begin with one is a character.
    static func records(of text: String) throws(UnclosedQuoteError) -> [Record] {
        var (records, fields, field): ([Record], [String], [UInt8]) = ([], [], [])
        var (line, start, quoteLine) = (1, 1, 0)
        var (isQuoted, wasQuoted) = (false, false)
        func endField() {
            fields.append(String(decoding: field, as: UTF8.self))
            (field, wasQuoted) = ([], false)
        }
        func endRecord() {
            endField()
            if fields != [""] { records.append(Record(line: start, fields: fields)) }
            fields = []
        }
        var bytes = text.utf8.makeIterator()
        var next = bytes.next()
        while let byte = next {
            next = bytes.next()
            if byte == UInt8(ascii: "\n") { line += 1 }
            switch byte {
            case UInt8(ascii: "\"") where isQuoted && next == UInt8(ascii: "\""):
                field.append(byte)
                next = bytes.next()
            case UInt8(ascii: "\"") where isQuoted: isQuoted = false
            case _ where isQuoted: field.append(byte)
            case UInt8(ascii: "\"") where field.isEmpty && !wasQuoted: (isQuoted, wasQuoted, quoteLine) = (true, true, line)
            case UInt8(ascii: ","): endField()
            case UInt8(ascii: "\r") where next == UInt8(ascii: "\n"): break
            case UInt8(ascii: "\n"):
                endRecord()
                start = line
            default: field.append(byte)
            }
        }
        guard !isQuoted else { throw UnclosedQuoteError(line: quoteLine) }
        if !field.isEmpty || !fields.isEmpty || wasQuoted { endRecord() }
        return records
    }
}

import Events
import Muniment

/// Parses the lines of one file in order.
struct LineParser: Sendable {
    let file: String
    private let kind: FileKind
    private var context: LineContext
    private(set) var header: Header?

    init(file: String, kind: FileKind) {
        self.file = file
        self.kind = kind
        context = LineContext(kind: kind)
    }

    /// Parses a line. A header is stored: its levels apply to the lines after it.
    mutating func parse(_ raw: RawLine) throws(FormatError) -> Line {
        let line: Line
        do {
            line = try Line(raw.json(), context)
        } catch {
            throw error.at(file, raw.number)
        }
        try accept(line, at: raw.number)
        return line
    }

    /// Reads the header, which is the first line of the file.
    mutating func readHeader(from lines: inout LineReader) throws -> Header {
        guard let first = try lines.next(), case .header(let header) = try parse(first) else {
            throw FormatError(
                file: file, line: 1, key: "format", problem: "is missing: the file is empty",
                remedy: "start it with a header: {\"format\":\"\(kind.format.rawValue)\"}")
        }
        return header
    }

    /// Checks the order of lines: a header first if the file needs one, and never a second one.
    private mutating func accept(_ line: Line, at number: Int) throws(FormatError) {
        guard case .header(let header) = line else {
            guard self.header != nil || kind == .questions else {
                throw FormatError(
                    file: file, line: number, key: "format", problem: "is missing",
                    remedy: "the first line is a header such as {\"format\":\"\(kind.format.rawValue)\"}")
            }
            return
        }
        guard self.header == nil else {
            throw FormatError(
                file: file, line: number, key: "format", problem: "appears a second time here",
                remedy: "a file has one header, its first line; put the rest into a separate file")
        }
        guard kind == .questions || header.format == kind.format else {
            throw FormatError(
                file: file, line: number, key: "format", problem: "says `\(header.format.rawValue)`, not `\(kind.format.rawValue)`",
                remedy: header.format == .history ? "use `muniment import` for a history" : "use `muniment scenario` for a scenario"
            )
        }
        self.header = header
        context.levels = header.levels.map(LineContext.byName)
    }
}

extension FileKind {
    /// The format that the header of such a file names.
    fileprivate var format: Header.Format { self == .history ? .history : .scenario }
}

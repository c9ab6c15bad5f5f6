import Events
import Foundation
import Muniment
import Permissions

/// Understands the lines of one file, one after the other.
struct LineParser: Sendable {
    let file: String
    private let kind: FileKind
    private let decoder = JSONDecoder()
    private(set) var header: Header?

    init(file: String, kind: FileKind) {
        self.file = file
        self.kind = kind
        setContext(levels: nil)
    }

    /// What the line says. A header is remembered: its levels hold for the lines that follow.
    mutating func parse(_ raw: RawLine) throws(FormatError) -> Line {
        let line: Line
        do {
            try JSONCheck.run(raw.bytes.span)
            line = try decoder.decode(Line.self, from: raw.bytes)
        } catch let problem as LineProblem {
            throw problem.at(file, raw.number)
        } catch let fault as JSONFault {
            throw LineProblem(
                problem: "is not well-formed JSON: \(fault.problem), at byte \(fault.offset)",
                remedy: "write one JSON object a line, in UTF-8"
            ).at(file, raw.number)
        } catch let error as DecodingError {
            throw LineProblem(error).at(file, raw.number)
        } catch {
            throw FormatError(
                file: file, line: raw.number, problem: "cannot be decoded: \(error)", remedy: "write one JSON object a line")
        }
        try accept(line, at: raw.number)
        return line
    }

    /// Keeps the order of lines: a header first where the file needs one, and never a second.
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
                file: file, line: number, key: "format", problem: "stands here for the second time",
                remedy: "one file has one header, its first line; put the rest into a file of its own")
        }
        guard kind == .questions || header.format == kind.format else {
            throw FormatError(
                file: file, line: number, key: "format", problem: "says `\(header.format.rawValue)`, not `\(kind.format.rawValue)`",
                remedy: header.format == .history ? "use `muniment import` for a history" : "use `muniment scenario` for a scenario"
            )
        }
        self.header = header
        setContext(levels: header.levels)
    }

    private func setContext(levels: [Level]?) {
        let byName = levels.map { levels in
            Dictionary(levels.map { ($0.name, $0.privileges) }, uniquingKeysWith: { first, _ in first })
        }
        decoder.userInfo[LineContext.key] = LineContext(kind: kind, levels: byName)
    }
}

extension FileKind {
    /// The format that the header of such a file names.
    fileprivate var format: Header.Format { self == .history ? .history : .scenario }
}

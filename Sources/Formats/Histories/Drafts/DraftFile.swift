internal import Events
public import Muniment
public import Permissions

/// Transactions to try before they are made.
///
/// A line contains a transaction in the syntax of scenarios (`as`, `do`, and optional keys), a list of changes, or one change. The
/// last two have no caller in the line. A header is optional. Expectations in a line are ignored.
public struct DraftFile: Sendable {
    /// A transaction and its line number, from 1.
    public struct Entry: Sendable {
        public let line: Int
        public let transaction: Transaction
    }

    public let entries: [Entry]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: a file of JSON Lines.
    ///   - caller: the caller of changes without one.
    ///   - levels: the definitions of levels in grants, unless the file's header has some; nil for none.
    /// - Throws: ``FormatError``, ``UnreadableFile``.
    public init(file: String, caller: Name, levels: [Level]? = nil) throws {
        var lines = try LineReader(file: file)
        var context = LineContext(kind: .scenario, levels: levels.map(DraftFile.byName))
        var entries: [Entry] = []
        while let raw = try lines.next() {
            do throws(LineProblem) {
                let transactions = try DraftFile.transactions(in: raw, by: caller, &context)
                entries += transactions.map { Entry(line: raw.number, transaction: $0) }
            } catch {
                throw error.at(file, raw.number)
            }
        }
        self.entries = entries
    }

    private static func transactions(
        in raw: RawLine, by caller: Name, _ context: inout LineContext
    ) throws(LineProblem) -> [Transaction] {
        let value: JSONValue
        do { value = try JSONText.decode(raw.bytes, limit: LineReader.lineBytes) } catch {
            throw LineProblem(error, indent: raw.indent)
        }
        if case .array = value {
            let context = context
            let changes = try value.list { value throws(LineProblem) in try ChangeLine(value, context).change }
            return [Transaction(caller, changes)]
        }
        if value["op"] != nil { return [Transaction(caller, [try ChangeLine(value, context).change])] }
        switch try Line(value, context) {
        case .header(let header):
            if let levels = header.levels { context.levels = byName(levels) }
            return []
        case .transaction(let line): return line.transactions(authority: .caller)
        case .question, .mark, .clock:
            throw LineProblem(
                problem: "is not a transaction", remedy: "write `as` and `do`, a list of changes, or one change with its `op`")
        }
    }

    private static func byName(_ levels: [Level]) -> [ExactText: [String]] {
        Dictionary(levels.map { (ExactText($0.name), $0.privileges) }, uniquingKeysWith: { first, _ in first })
    }
}

extension TransactionLine {
    /// Returns the transactions of the line: one, or with `"mode":"each"` one for each change.
    func transactions(authority: Authority) -> [Transaction] {
        let origin = Origin(requestID: id)
        guard isEach else { return [Transaction(caller, changes, origin: origin, authority: authority, time: time)] }
        // The first one has the time of the line; the others follow without delay.
        return changes.enumerated().map { index, change in
            Transaction(caller, [change], origin: origin, authority: authority, time: index == 0 ? time : nil)
        }
    }
}

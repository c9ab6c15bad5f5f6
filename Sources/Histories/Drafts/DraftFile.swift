internal import Events
public import Muniment
public import Permissions

/// Transactions that somebody wants to try before making them.
///
/// A line is a transaction as scenarios have it (`as`, `do`, and what else goes with them), a list of changes, or one change; the
/// last two have no caller of their own. A header may come first. What a line expects does not matter here.
public struct DraftFile: Sendable {
    /// A transaction and the line that it stands on, from 1.
    public struct Entry: Sendable {
        public let line: Int
        public let transaction: Transaction
    }

    public let entries: [Entry]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: the file, of JSON Lines.
    ///   - caller: who wants the changes that have no caller of their own.
    ///   - levels: what levels in grants mean, unless the file's own header says; nil where there are none.
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
                problem: "is no transaction", remedy: "write `as` and `do`, a list of changes, or one change with its `op`")
        }
    }

    private static func byName(_ levels: [Level]) -> [ExactText: [String]] {
        Dictionary(levels.map { (ExactText($0.name), $0.privileges) }, uniquingKeysWith: { first, _ in first })
    }
}

extension TransactionLine {
    /// What the line wants done: one transaction, or with `"mode":"each"` one for each change.
    func transactions(authority: Authority) -> [Transaction] {
        let origin = Origin(requestID: id)
        guard isEach else { return [Transaction(caller, changes, origin: origin, authority: authority, time: time)] }
        // The first brings the time; the others follow at once.
        return changes.enumerated().map { index, change in
            Transaction(caller, [change], origin: origin, authority: authority, time: index == 0 ? time : nil)
        }
    }
}

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
    /// - Throws: ``FormatError``, ``UnreadableFileError``.
    public init(file: String, caller: Name, levels: [AccessLevel]? = nil) throws {
        var lines = try LineReader(file: file)
        var context = LineContext(kind: .scenario, levels: levels.map(LineContext.byName))
        var entries: [Entry] = []
        while let raw = try lines.next() {
            do throws(MemberProblem) {
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
    ) throws(MemberProblem) -> [Transaction] {
        let value = try raw.json()
        if case .array = value {
            let context = context
            let changes = try value.readList("a list") { value throws(MemberProblem) in try Change(value, context) }
            return [Transaction(caller, changes)]
        }
        if value["op"] != nil { return [Transaction(caller, [try Change(value, context)])] }
        switch try Line(value, context) {
        case .header(let header):
            if let levels = header.levels { context.levels = LineContext.byName(levels) }
            return []
        case .transaction(let line): return line.transactions(authority: .caller)
        case .question, .mark, .clock:
            throw MemberProblem(
                problem: "is not a transaction", remedy: "write `as` and `do`, a list of changes, or one change with its `op`")
        }
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

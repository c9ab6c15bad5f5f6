package import Events
package import Muniment
package import Permissions

/// A whole history or scenario in memory, including its implied changes, ready to replay.
package struct RecordedHistory: Sendable {
    package let title: String?
    package let preset: Preset
    package let administrator: Name
    package let entries: [Entry]

    package enum Entry: Sendable {
        /// A transaction and its expected outcome; nil accepts any outcome.
        case transaction(Transaction, _ expected: Expected?)
        case clock(Instant)
        case mark(String)
    }

    /// The expected outcome of a transaction.
    package enum Expected: Hashable, Sendable {
        case accepted
        case refused(Refusal.Code)
    }

    /// Reads a `permission-history/1` or a `scenario/1` file. The questions of a scenario are ignored.
    ///
    /// - Throws: ``FormatError``, ``UnreadableFileError``.
    package init(file: String) throws { try self.init { try LineReader(file: file) } }

    /// Reads the lines of a text; `named` is its name in errors.
    package init(text: String, named name: String) throws { try self.init { LineReader(text: text, named: name) } }

    private init(_ reader: () throws -> LineReader) throws {
        let kind = try RecordedHistory.kind(try reader())
        var lines = try reader()
        var parser = LineParser(file: lines.file, kind: kind)
        let header = try parser.readHeader(from: &lines)
        let isHistory = kind == .history
        (title, administrator) = (header.title, header.administratorOrDefault)
        let preset = header.preset ?? .locked
        self.preset = preset
        let builtIn = Set(ClassID.builtIn.map(\.name))
        var implied = (isHistory ? header.levels : nil).map { levels in
            ImpliedChanges(levels: levels, isLocked: preset == .locked, isNew: true) { builtIn.contains($0) ? [] : nil }
        }
        var entries: [Entry] = []
        while let raw = try lines.next() {
            switch try parser.parse(raw) {
            case .header, .question: break
            case .mark(let name): entries.append(.mark(name))
            case .clock(let instant): entries.append(.clock(instant))
            case .transaction(var line):
                if let completed = try implied?.complete(line.changes) { line.changes = completed }
                entries += line.entries(authority: isHistory ? .importer : .scenario)
            }
        }
        self.entries = entries
    }

    /// Returns the kind of file from its header.
    private static func kind(_ lines: LineReader) throws -> FileKind {
        var lines = lines
        guard let first = try lines.next(), let value = try? JSONText.decode(first.bytes, limit: LineReader.lineBytes),
            case .string(let format)? = value["format"]
        else { return .scenario }
        return format == Header.Format.history.rawValue ? .history : .scenario
    }
}

extension TransactionLine {
    /// Returns the transactions of the line, each with its expected outcome.
    fileprivate func entries(authority: Authority) -> [RecordedHistory.Entry] {
        let transactions = transactions(authority: authority)
        guard isEach else { return transactions.map { .transaction($0, TransactionLine.expected(expectation)) } }
        var items = transactions.map { _ in expectation == .string("*") ? expectation : nil }
        if case .array(let list)? = expectation {
            for (index, item) in list.enumerated().prefix(items.count) { items[index] = item }
        }
        return zip(transactions, items).map { .transaction($0, TransactionLine.expected($1)) }
    }

    private static func expected(_ value: JSONValue?) -> RecordedHistory.Expected? {
        switch value {
        case nil, .string("ok")?: return .accepted
        case .object(let members)?:
            guard case .string(let code)? = members["refused"] else { return nil }
            return Refusal.Code(rawValue: code).map(RecordedHistory.Expected.refused)
        default: return nil
        }
    }
}

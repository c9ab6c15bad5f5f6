public import Events
internal import Histories
public import Muniment
internal import Permissions

extension History {
    /// Loads a `permission-history/1` or a `scenario/1` file.
    ///
    /// The transactions of a history are applied with the importer's authority, like an import; those of a scenario with the
    /// authority of their callers. The questions of a scenario are ignored: `muniment scenario` runs them.
    ///
    /// - Throws: an error with the problem in the file and its line.
    public init(file: String) throws { self.init(try RecordedHistory(file: file)) }

    /// Loads the lines of a text.
    ///
    /// - Parameters:
    ///   - text: a header and the lines after it.
    ///   - name: the name of the text in errors.
    /// - Throws: an error with the problem in the text and its line.
    public init(text: String, named name: String = "history") throws { self.init(try RecordedHistory(text: text, named: name)) }

    /// Reads the history of a live store. It ends at the time of the last revision, so that access due by then has ended.
    ///
    /// - Parameters:
    ///   - store: the store; it is only read.
    ///   - last: the last revision to read; nil for the head.
    /// - Throws: the errors of the store. Linear in the number of events.
    public init(of store: Store, through last: Revision? = nil) throws {
        var lines: [String] = []
        try HistoryExporter(store).export(to: last) { lines.append($0) }
        self.init(try RecordedHistory(text: lines.joined(separator: "\n"), named: "the store"))
        let time = try store.time(of: min(last ?? store.head.revision, store.head.revision))
        if time > end { moveClock(to: time) }
    }

    private init(_ recorded: RecordedHistory) {
        self.init(recorded.title, preset: recorded.preset, administrator: recorded.administrator)
        entries = recorded.entries.map { Entry(.init($0)) }
        // A history has its recorded times. If it is older than the default start, it begins with its first transaction.
        if let first = transactions.first?.time { start = min(start, first) }
    }
}

extension History.Entry.Event {
    fileprivate init(_ recorded: RecordedHistory.Entry) {
        self =
            switch recorded {
            case .clock(let instant): .clock(instant)
            case .mark(let name): .mark(name)
            case .transaction(let transaction, nil): .transaction(transaction, nil)
            case .transaction(let transaction, .accepted?): .transaction(transaction, .accepted)
            case .transaction(let transaction, .refused(let code)?): .transaction(transaction, .refused(code))
            }
    }
}

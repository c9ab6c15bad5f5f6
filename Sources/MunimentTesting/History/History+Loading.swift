public import Events
internal import Histories
public import Muniment
internal import Permissions

extension History {
    /// Loads a `permission-history/1` or a `scenario/1` file.
    ///
    /// The transactions of a history are applied with the importer's authority, as importing it does; those of a scenario with
    /// their callers' own. The questions of a scenario are left out: `muniment scenario` asks them.
    ///
    /// - Throws: what is wrong with the file, and in which line.
    public init(file: String) throws { self.init(try RecordedHistory(file: file)) }

    /// Loads the lines of a text.
    ///
    /// - Parameters:
    ///   - text: a header and what follows it, a line each.
    ///   - name: what errors call it.
    /// - Throws: what is wrong with the text, and in which line.
    public init(text: String, named name: String = "history") throws { self.init(try RecordedHistory(text: text, named: name)) }

    /// Takes the history of a live store. It ends with the time of the last revision, by which access that was due has ended.
    ///
    /// - Parameters:
    ///   - store: the store; it is only read.
    ///   - last: the last revision to take; nil for the head.
    /// - Throws: what the store throws. Linear in the number of events.
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
        // A history brings its own time; one that is older than the start of most begins with its first transaction.
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

public import Events
internal import Files

/// Which decisions are asked for, and in which order. What is nil leaves out nothing; what is given has to hold together.
public struct DecisionFilter: Hashable, Sendable {
    public var caller: String?
    public var subject: String?
    public var action: String?
    public var resource: String?
    public var isAllowed: Bool?
    public var requestID: String?
    /// The first moment, included.
    public var from: Instant?
    /// The last moment, included.
    public var to: Instant?
    public var newestFirst = false

    public init() {}

    func includes(_ decision: Decision) -> Bool {
        func fits<Value: Equatable>(_ wanted: Value?, _ value: Value?) -> Bool { wanted.map { $0 == value } ?? true }
        return fits(caller, decision.caller) && fits(subject, decision.subject) && fits(action, decision.action)
            && fits(resource, decision.resource) && fits(isAllowed, decision.isAllowed) && fits(requestID, decision.requestID)
            && from.map { $0 <= decision.time } ?? true && to.map { decision.time <= $0 } ?? true
    }
}

/// Some of the decisions that were asked for.
public struct DecisionPage: Sendable {
    public let decisions: [Decision]
    /// How many decisions between those were made and are not in the log.
    public let dropped: UInt64
    /// The number to go on behind; nil where there is nothing more.
    public let next: UInt64?
}

/// Finds decisions in the log of a store.
public struct DecisionSearch: Sendable {
    /// Lines that are looked at for one page at most.
    static let linesPerPage = 200_000

    private let files: DecisionFiles

    /// - Parameters:
    ///   - store: the store's name.
    ///   - dataDirectory: the folder that the stores of the service are in.
    public init(of store: String, in dataDirectory: String) { files = DecisionFiles(of: store, in: dataDirectory) }

    /// Whether there is a log at all.
    public var isThere: Bool { isFolder(files.folder) }

    /// The next decisions that a filter includes. Linear in the decisions that are looked at, 200,000 at most: a page can be short,
    /// or empty, and not be the last one.
    ///
    /// - Parameters:
    ///   - filter: which decisions, and in which order.
    ///   - after: the ``DecisionPage/next`` of the page before; nil for the first page.
    ///   - limit: how many decisions at most.
    /// - Throws: what keeps this process from reading the files.
    public func page(_ filter: DecisionFilter, after: UInt64? = nil, limit: Int) throws -> DecisionPage {
        var search = Page(filter: filter, after: after, limit: limit)
        let all = try files.all()
        // A file has the numbers from its own to the one before the next file's.
        let ends = all.dropFirst().map { $0.first } + [UInt64.max]
        let spans = zip(all, ends).filter { file, end in
            guard let after else { return true }
            return filter.newestFirst ? file.first < after : end - 1 > after
        }
        for (file, _) in filter.newestFirst ? spans.reversed() : spans {
            guard try search.read(file) else { break }
        }
        return search.page
    }
}

/// A page that is being put together.
private struct Page {
    let filter: DecisionFilter
    let after: UInt64?
    let limit: Int
    private var decisions: [Decision] = []
    private var dropped: UInt64 = 0
    private var looked = 0
    private var last: UInt64?
    private var isCut = false

    init(filter: DecisionFilter, after: UInt64?, limit: Int) {
        self.filter = filter
        self.after = after
        self.limit = limit
    }

    var page: DecisionPage { DecisionPage(decisions: decisions, dropped: dropped, next: isCut ? last : nil) }

    /// Goes through a file; false where the page is full.
    mutating func read(_ file: DecisionFiles.File) throws -> Bool {
        // One that is gone was removed meanwhile, as the oldest.
        guard fileExists(file.path) else { return true }
        let bytes = try readFile(file.path)
        // Behind the last end of a line somebody may be writing.
        let whole = bytes[..<(bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0)]
        let lines = whole.split(separator: UInt8(ascii: "\n"))
        for line in filter.newestFirst ? lines.reversed() : lines {
            guard let line = DecisionLine(Array(line)) else { continue }
            if let after, filter.newestFirst ? line.number >= after : line.number <= after { continue }
            guard decisions.count < limit, looked < DecisionSearch.linesPerPage else {
                isCut = true
                return false
            }
            take(line)
        }
        return true
    }

    private mutating func take(_ line: DecisionLine) {
        looked += 1
        last = line.number
        switch line {
        case .decision(let decision): if filter.includes(decision) { decisions.append(decision) }
        case .dropped(_, _, let count): dropped += count
        }
    }
}

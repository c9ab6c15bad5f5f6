public import Events
internal import Files
internal import Foundation

/// Selects decisions, and their order. A nil property filters nothing. A decision must match all other properties.
public struct DecisionFilter: Hashable, Sendable {
    public var credential: String?
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
        return fits(credential, decision.credential) && fits(subject, decision.subject) && fits(action, decision.action)
            && fits(resource, decision.resource) && fits(isAllowed, decision.isAllowed) && fits(requestID, decision.requestID)
            && from.map { $0 <= decision.time } ?? true && to.map { decision.time <= $0 } ?? true
    }
}

/// A page of the matching decisions.
public struct DecisionPage: Sendable {
    public let decisions: [Decision]
    /// The number of decisions in the range that were made but are missing in the log.
    public let dropped: UInt64
    /// The number to continue after; nil on the last page.
    public let next: UInt64?
}

/// Finds decisions in the log of a store.
public struct DecisionSearch: Sendable {
    /// The largest number of lines to read for one page.
    static let linesPerPage = 200_000

    private let files: DecisionFiles

    /// - Parameters:
    ///   - store: the store's name.
    ///   - dataDirectory: the folder of the service's stores.
    public init(of store: String, in dataDirectory: String) { files = DecisionFiles(of: store, in: dataDirectory) }

    /// Whether the log exists.
    public var exists: Bool { isFolder(files.folder) }

    /// Returns the next decisions that match a filter. Linear in the decisions that are read, at most 200,000: a page can be short
    /// or empty without being the last one.
    ///
    /// - Parameters:
    ///   - filter: the decisions to return and their order.
    ///   - after: the ``DecisionPage/next`` of the previous page; nil for the first page.
    ///   - limit: the largest number of decisions.
    /// - Throws: the error of reading the files.
    public func page(_ filter: DecisionFilter, after: UInt64? = nil, limit: Int) throws -> DecisionPage {
        var search = Page(filter: filter, after: after, limit: limit)
        let all = try files.all()
        // A file contains the numbers from its own up to the one before the next file's.
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

/// A page under construction.
private struct Page {
    let filter: DecisionFilter
    let after: UInt64?
    let limit: Int
    var decisions: [Decision] = []
    var dropped: UInt64 = 0
    var looked = 0
    var last: UInt64?
    var isCut = false

    var page: DecisionPage { DecisionPage(decisions: decisions, dropped: dropped, next: isCut ? last : nil) }

    /// Reads a file; returns false if the page is full.
    mutating func read(_ file: DecisionFiles.File) throws -> Bool {
        // A missing file was removed meanwhile, as the oldest.
        guard fileExists(file.path) else { return true }
        let bytes = try readFile(file.path)
        // The text after the last line end may still be incomplete.
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

/// The files of a store's decision log: JSON Lines with one decision per line. Each file is named after the number of its first
/// decision.
struct DecisionFiles: Sendable {
    let folder: String

    /// Creates a reference to the decision log of a store.
    ///
    /// - Parameters:
    ///   - store: the store's name.
    ///   - dataDirectory: the folder of the service's stores.
    init(of store: String, in dataDirectory: String) { folder = dataDirectory + "/.muniment/decisions/" + store }

    struct File: Hashable, Sendable {
        let path: String
        /// The number of the first decision in it.
        let first: UInt64
    }

    private static let ending = ".jsonl"
    /// The number of digits in a file name, so that names sort like their numbers.
    private static let digits = 20

    func file(from first: UInt64) -> File {
        let text = "\(first)"
        let name = String(repeating: "0", count: DecisionFiles.digits - text.count) + text + DecisionFiles.ending
        return File(path: folder + "/" + name, first: first)
    }

    /// Returns the existing files, the oldest first.
    func all() throws -> [File] {
        guard isFolder(folder) else { return [] }
        return try fileNames(in: folder).compactMap { name in
            guard name.hasSuffix(DecisionFiles.ending), let first = UInt64(name.dropLast(DecisionFiles.ending.count)) else {
                return nil
            }
            return file(from: first)
        }.sorted { $0.first < $1.first }
    }

    func bytes(of file: File) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
    }
}

import Dispatch
import Events
import Muniment
import Notices
import Permissions
import Synchronization
import Wire

extension Option {
    fileprivate static let subscriber = Option(
        "for", value: "PRINCIPAL", "the subscriber: a user, a thing, a role, everyone or anonymous")
    fileprivate static let since = Option(
        "since", value: "REVISION|TIME", "print notices after this revision or time (default: the creation)")
    fileprivate static let ending = Option("to", value: "REVISION|TIME", "the end of the span (default: now)")
    fileprivate static let follow = Option("follow", "continue with new notices, until you interrupt it")
}

extension Command {
    static let notices = Command(
        "notices", "show objects shared with or unshared from a subscriber, oldest first",
        sentence: "--for PRINCIPAL", options: [.subscriber, .since, .ending, .follow, .json, .store],
        example: Example(
            "notices --for user:bob --since 8",
            """
            r10  2026-01-31T10:04:00Z  shared             doc:plan
            r16  2026-01-31T10:07:00Z  privilegesChanged  doc:plan  + approve
            r17  2026-01-31T10:08:00Z  privilegesChanged  doc:plan  - approve
            """)
    ) { call in
        try call.end()
        guard let subscriber = try call.name(.subscriber) else {
            throw UsageError("the subscriber is missing; write `\(Option.subscriber.usage)`")
        }
        guard subscriber.isSubject else {
            throw UsageError("`\(subscriber)` cannot receive notices; name a user, a thing, a role, everyone or anonymous")
        }
        let since = try call.options[.since].map(Values.moment) ?? .revision(.genesis)
        let until = try call.options[.ending].map(Values.moment)
        let follows = call.options.isSet(.follow)
        if follows, until != nil { throw UsageError("--follow and --to exclude each other; write one of them") }
        let printer = NoticePrinter(output: call.output, isJSON: call.isJSON)
        try call.withStore(.reading) { store in
            let first = try store.read(at: since) { $0.revision }
            if follows {
                var feed = BlockingFeed(try store.notices(for: subscriber, after: first))
                while let notice = try feed.next() { try printer.write(notice, in: store, flushing: notice.completesRevision) }
            } else {
                let last = try store.read(at: until ?? .now) { $0.revision }
                if last < first { throw UsageError("--to is earlier than --since; swap them") }
                for notice in try store.notices(for: subscriber, after: first, through: last) {
                    try printer.write(notice, in: store, flushing: false)
                }
            }
        }
        return .success
    }
}

/// Prints notices as lines.
private struct NoticePrinter {
    let output: Output
    let isJSON: Bool

    private static let kindWidth = Notice.Kind.allCases.map(\.rawValue.count).max() ?? 0

    func write(_ notice: Notice, in store: Store, flushing: Bool) throws {
        let time = try store.time(of: notice.revision)
        if isJSON {
            try output.json(.object(notice.json(at: time)))
        } else {
            let kind = notice.kind.rawValue
            var line = "r\(notice.revision)  \(time)  \(kind)"
            line += String(repeating: " ", count: Self.kindWidth - kind.count) + "  \(notice.object)"
            if !notice.gained.isEmpty { line += "  + " + notice.gained.joined(separator: ", ") }
            if !notice.lost.isEmpty { line += "  - " + notice.lost.joined(separator: ", ") }
            try output.line(line)
        }
        if flushing { try output.flush() }
    }
}

/// A feed for a thread that only waits for it.
private struct BlockingFeed {
    private var iterator: NoticeFeed.Iterator

    init(_ feed: NoticeFeed) { iterator = feed.makeAsyncIterator() }

    private final class Step: Sendable {
        let result = Mutex<(NoticeFeed.Iterator, Result<Notice?, NoticeFeedError>)?>(nil)
        let isThere = DispatchSemaphore(value: 0)
    }

    mutating func next() throws -> Notice? {
        let step = Step()
        Task { [iterator] in
            var iterator = iterator
            let result: Result<Notice?, NoticeFeedError>
            do throws(NoticeFeedError) { result = .success(try await iterator.next()) } catch { result = .failure(error) }
            step.result.withLock { $0 = (iterator, result) }
            step.isThere.signal()
        }
        step.isThere.wait()
        guard let (iterator, result) = step.result.withLock({ $0 }) else { return nil }
        self.iterator = iterator
        return try result.get()
    }
}

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
    static let follow = Option("follow", "continue with new notices, until you interrupt it")
}

extension Command {
    static let notices = Command(
        "notices", "show objects shared with or unshared from a subscriber, oldest first",
        sentence: "--for PRINCIPAL",
        options: [
            .subscriber, .firstMoment, .lastMoment, .limit, .reverse, .follow, .format, .utc, .json, .store,
        ],
        example: Example(
            "notices --for user:bob --from 9",
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
        let follows = call.options.isSet(.follow)
        for option in [Option.lastMoment, .limit, .reverse] where follows && call.options[option] != nil {
            throw UsageError("--follow and --\(option.name) exclude each other; write one of them")
        }
        var printer = try NoticePrinter(call)
        try call.withStore(.reading) { store in
            let span = try store.revisions(from: try call.moment(.firstMoment), to: try call.lastMoment(.lastMoment))
            let before = Revision(max(span.lowerBound, 1) - 1)
            if follows {
                var feed = BlockingFeed(try store.notices(for: subscriber, after: before))
                while let notice = try feed.next() {
                    try printer.print(notice, in: store)
                    if notice.completesRevision { try call.output.flush() }
                }
            } else {
                let last = Revision(max(span.upperBound, 1) - 1)
                let all = last > before ? try store.notices(for: subscriber, after: before, through: last) : []
                let limit = try call.options.value(of: .limit, Values.count) ?? .max
                let isReverse = call.options.isSet(.reverse)
                for notice in isReverse ? all.reversed().prefix(limit) : all.prefix(limit) { try printer.print(notice, in: store) }
                if all.count > limit { call.note("\(counted(all.count - limit, "notice")) more: raise --limit") }
            }
        }
        try printer.end()
        return .success
    }
}

/// Prints notices.
private struct NoticePrinter {
    private var list: ListPrinter

    private static let kindWidth = Notice.Kind.allCases.map(\.rawValue.count).max() ?? 0

    init(_ call: Invocation) throws {
        list = try ListPrinter(call, columns: ["revision", "time", "kind", "object", "gained", "lost"])
    }

    mutating func print(_ notice: Notice, in store: Store) throws {
        let (time, zone) = (try store.time(of: notice.revision), list.zone)
        try list.print(
            .object(notice.json(at: time)), lines: [Self.line(notice, zone.text(time))],
            rows: [
                [
                    .revision(notice.revision), .time(time), .text(notice.kind.rawValue), .text(notice.object.text),
                    .list(notice.gained), .list(notice.lost),
                ]
            ])
    }

    mutating func end() throws { try list.end() }

    private static func line(_ notice: Notice, _ time: String) -> String {
        var line = "r\(notice.revision)  \(time)  \(notice.kind.rawValue.padded(to: kindWidth))  \(notice.object)"
        if !notice.gained.isEmpty { line += "  + " + notice.gained.joined(separator: ", ") }
        if !notice.lost.isEmpty { line += "  - " + notice.lost.joined(separator: ", ") }
        return line
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

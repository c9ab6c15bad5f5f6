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
            r14  2026-01-31T10:05:00Z  privilegesChanged  doc:plan  + query, update
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
        var printer = try ListPrinter(call, columns: ["revision", "time", "kind", "object", "gained", "lost"])
        let zone = printer.zone
        func print(_ notice: Notice, in store: Store) throws {
            let time = try store.time(of: notice.revision)
            try printer.print(.object(notice.json(at: time)), lines: [notice.line(zone.text(time))], rows: [notice.row(at: time)])
        }
        try call.withStore(.reading) { store in
            let span = try store.revisions(from: try call.moment(.firstMoment), to: try call.lastMoment(.lastMoment))
            let before = Revision(max(span.lowerBound, 1) - 1)
            if follows {
                var feed = BlockingFeed(try store.notices(for: subscriber, after: before))
                while let notice = try feed.next() {
                    try print(notice, in: store)
                    if notice.completesRevision { try call.output.flush() }
                }
            } else {
                let last = Revision(max(span.upperBound, 1) - 1)
                let all = last > before ? try store.notices(for: subscriber, after: before, through: last) : []
                let limit = try call.options.value(of: .limit, Values.count) ?? .max
                let isReverse = call.options.isSet(.reverse)
                if all.isEmpty, try !store.read({ try call.noteUnknown($0, [subscriber]) }) { call.note("no notice in this span") }
                for notice in isReverse ? all.reversed().prefix(limit) : all.prefix(limit) { try print(notice, in: store) }
                if all.count > limit { call.note("\(counted(all.count - limit, "notice")) more: raise --limit") }
            }
        }
        try printer.end()
        return .success
    }
}

extension Notice {
    private static let kindWidth = Kind.allCases.map(\.rawValue.count).max() ?? 0

    fileprivate func line(_ time: String) -> String {
        "r\(revision)  \(time)  \(kind.rawValue.padded(to: Self.kindWidth))  \(object)" + gainsAndLosses(gained, lost)
    }

    fileprivate func row(at time: Instant) -> [Cell] {
        [.revision(revision), .time(time), .text(kind.rawValue), .text(object.text), .list(gained), .list(lost)]
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

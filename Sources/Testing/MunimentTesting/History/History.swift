public import Events
public import Muniment
public import Permissions

/// A sequence of transactions in a store, as a value: callers, changes, times and expected outcomes.
///
/// ```swift
/// let history = History("Ann shares her plan", preset: .open, [
///     Transaction("user:root", [.defineClass("doc"), .register("user:ben")]),
///     Transaction("user:ann", [.createObject("doc:plan"), .grant("user:ben", on: "doc:plan", ["read"])]),
/// ])
/// try history.replay { step in try step.expect("user:eve", mayNot: "read", on: "doc:plan") }
/// ```
///
/// It can be written by hand, loaded from a file of histories or scenarios, or read from a live store (CONFORMANCE E12).
public struct History: Sendable {
    /// The title, for failures and files; nil for none.
    public var title: String?
    /// The preset of the store.
    public var preset: Preset
    /// The first administrator of the store.
    public var administrator: Name
    /// When the store is created.
    public var start: Instant
    /// The entries, in order.
    public var entries: [Entry]

    /// One step of a history.
    public struct Entry: Sendable {
        public var event: Event
        /// The index in the original history. It does not change when other entries are inserted or removed.
        var place: Int?

        public enum Event: Sendable {
            /// A transaction and its expected outcome; nil accepts any outcome.
            case transaction(Transaction, Outcome?)
            /// The clock advances, and access that is due ends.
            case clock(Instant)
            /// The current revision gets a name.
            case mark(String)
        }

        public init(_ event: Event) { self.event = event }
    }

    /// The outcome of a transaction.
    public enum Outcome: Hashable, Sendable {
        case accepted
        case refused(Refusal.Code)
    }

    /// 2026-01-01T00:00:00Z, the default start of histories.
    public static let newYear = Instant(microseconds: 1_767_225_600_000_000)

    /// Creates a history.
    ///
    /// - Parameters:
    ///   - title: the title.
    ///   - preset: the preset of the store.
    ///   - administrator: the first administrator of the store.
    ///   - start: when the store is created.
    ///   - transactions: the first transactions; each is expected to be accepted.
    public init(
        _ title: String? = nil, preset: Preset = .locked, administrator: Name = "user:root", start: Instant = newYear,
        _ transactions: [Transaction] = []
    ) {
        (self.title, self.preset, self.administrator, self.start) = (title, preset, administrator, start)
        entries = transactions.map { Entry(.transaction($0, .accepted)) }
    }
}

// MARK: Appending

extension History {
    /// Appends a transaction with its expected outcome. A replay fails if the outcome differs.
    ///
    /// - Parameters:
    ///   - transaction: the transaction. Without a time it has the time of the previous one.
    ///   - outcome: the expected outcome; nil accepts any.
    public mutating func append(_ transaction: Transaction, expecting outcome: Outcome? = .accepted) {
        entries.append(Entry(.transaction(transaction, outcome)))
    }

    /// Advances the clock, so that access that is due by then ends.
    public mutating func moveClock(to instant: Instant) { entries.append(Entry(.clock(instant))) }

    /// Names the current revision; ``replay(_:)`` reports the name.
    public mutating func mark(_ name: String) { entries.append(Entry(.mark(name))) }

    /// The transactions, in order.
    public var transactions: [Transaction] {
        entries.compactMap { if case .transaction(let transaction, _) = $0.event { transaction } else { nil } }
    }
}

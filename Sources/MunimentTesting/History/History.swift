public import Events
public import Muniment
public import Permissions

/// What happens in a store, as a value: who wants what changed, when, and what is to come of it.
///
/// ```swift
/// let history = History("Ann shares her plan", preset: .open, [
///     Transaction("user:root", [.defineClass("doc"), .register("user:ben")]),
///     Transaction("user:ann", [.createObject("doc:plan"), .grant("user:ben", on: "doc:plan", ["read"])]),
/// ])
/// try history.replay { step in try step.expect("user:eve", mayNot: "read", on: "doc:plan") }
/// ```
///
/// It can be written by hand, loaded from a file of histories or scenarios, or taken from a live store (CONFORMANCE E12).
public struct History: Sendable {
    /// What it is about, for failures and files; nil where nobody said.
    public var title: String?
    /// What everyone has in the store at first.
    public var preset: Preset
    /// Who administers the store at first.
    public var administrator: Name
    /// When the store is made.
    public var start: Instant
    /// What happens, in order.
    public var entries: [Entry]

    /// One thing that happens.
    public struct Entry: Sendable {
        public var event: Event
        /// What it was in the history that this one was made from; keeps its value when others are put in or left out.
        var place: Int?

        public enum Event: Sendable {
            /// Somebody wants changes made, and this is to come of it; nil where anything may.
            case transaction(Transaction, Outcome?)
            /// Time passes, and access that is due ends.
            case clock(Instant)
            /// The present revision gets a name.
            case mark(String)
        }

        public init(_ event: Event) { self.event = event }
    }

    /// What comes of a transaction.
    public enum Outcome: Hashable, Sendable {
        case accepted
        case refused(Refusal.Code)
    }

    /// 2026-01-01T00:00:00Z, where histories start unless they say otherwise.
    public static let newYear = Instant(microseconds: 1_767_225_600_000_000)

    /// Begins a history.
    ///
    /// - Parameters:
    ///   - title: what it is about.
    ///   - preset: what everyone has in the store at first.
    ///   - administrator: who administers the store at first.
    ///   - start: when the store is made.
    ///   - transactions: what happens first; each is expected to be accepted.
    public init(
        _ title: String? = nil, preset: Preset = .locked, administrator: Name = "user:root", start: Instant = newYear,
        _ transactions: [Transaction] = []
    ) {
        (self.title, self.preset, self.administrator, self.start) = (title, preset, administrator, start)
        entries = transactions.map { Entry(.transaction($0, .accepted)) }
    }
}

// MARK: Going on

extension History {
    /// Adds a transaction, and what is to come of it: a replay fails where something else does.
    ///
    /// - Parameters:
    ///   - transaction: who wants what changed. Without a time it happens when the one before did.
    ///   - outcome: what is to come of it; nil where anything may.
    public mutating func append(_ transaction: Transaction, expecting outcome: Outcome? = .accepted) {
        entries.append(Entry(.transaction(transaction, outcome)))
    }

    /// Lets time pass until a moment, so that access that is due by then ends.
    public mutating func moveClock(to instant: Instant) { entries.append(Entry(.clock(instant))) }

    /// Gives the present revision a name, under which ``replay(_:)`` tells of it.
    public mutating func mark(_ name: String) { entries.append(Entry(.mark(name))) }

    /// Who wants what changed, in order.
    public var transactions: [Transaction] {
        entries.compactMap { if case .transaction(let transaction, _) = $0.event { transaction } else { nil } }
    }
}

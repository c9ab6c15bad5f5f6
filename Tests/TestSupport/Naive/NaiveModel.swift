public import Events

/// A slow and simple interpretation of the log. It copies the whole state at every revision, and computes every answer anew.
///
/// It uses only the events, and no code of the store. Therefore agreement between the two is evidence that both are right.
public struct NaiveModel: Sendable {
    private var states: [(time: Instant, state: NaiveState)] = []

    public init() {}

    /// The model of a whole log, from the genesis commit on.
    public init(_ commits: some Sequence<Commit>) throws(Contradiction) {
        for commit in commits { try append(commit) }
    }

    /// The last revision. The model has at least one.
    public var head: Revision { Revision(UInt64(states.count - 1)) }

    /// The number of commits, including the genesis commit.
    public var commitCount: Int { states.count }

    /// Returns the commit time of a revision.
    public func time(of revision: Revision) -> Instant { states[Int(revision.rawValue)].time }

    /// Applies the next commit. Throws if it contradicts the commits before it, and then changes nothing.
    public mutating func append(_ commit: Commit) throws(Contradiction) {
        guard commit.revision.rawValue == UInt64(states.count) else {
            throw Contradiction("revision \(commit.revision) comes after \(states.count) commits")
        }
        if let last = states.last, commit.time < last.time {
            throw Contradiction("revision \(commit.revision) is earlier than the one before it")
        }
        if commit.events.isEmpty { throw Contradiction("revision \(commit.revision) has no events") }
        var state = states.last?.state ?? NaiveState()
        for event in commit.events { try state.apply(event) }
        for event in commit.events { state.resolveLinks(writtenBy: event) }
        guard state.names.has(commit.actor) else { throw Contradiction("revision \(commit.revision) has an unnamed actor") }
        states.append((commit.time, state))
    }

    /// The state of the log at a point. `now` is the time of the clock for queries about the head.
    public func view(_ point: Point, now: Instant) -> NaiveView {
        switch point {
        case .head: return NaiveView(state: states[states.count - 1].state, now: now)
        case .revision(let revision):
            let (time, state) = states[Int(revision.rawValue)]
            return NaiveView(state: state, now: time)
        case .moment(let moment):
            let index = states.lastIndex { $0.time <= moment } ?? 0
            return NaiveView(state: states[index].state, now: moment)
        }
    }
}

/// A state at a point in time: everything that an answer depends on.
public struct NaiveView: Sendable {
    let state: NaiveState
    let now: Instant
}

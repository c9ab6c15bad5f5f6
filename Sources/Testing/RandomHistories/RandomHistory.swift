public import Events
public import Permissions

/// An endless history generated from a seed: transactions for a store, allowed and refused ones.
///
/// It is generated step by step, so that a test can apply each transaction to a store. After a refused step, call ``takeBack()``;
/// later steps then do not depend on it.
public struct RandomHistory: Sendable {
    public let seed: UInt64
    public let preset: Preset
    public let administrator: Name
    /// The time of the store's creation.
    public let start: Instant
    /// The time of the last step.
    public private(set) var now: Instant

    package let vocabulary: Vocabulary
    package var random: SplitMix64
    package var expected = Expectation()
    private var expectedBefore = Expectation()
    private var preparation: [Step] = []
    private var last: [Change] = []

    /// One transaction: the caller, the time, and the changes.
    public struct Step: Hashable, Sendable {
        public var caller: Name
        /// Never earlier than the time of the previous step, and often the same.
        public var time: Instant
        public var changes: [Change]
    }

    /// Starts a history.
    ///
    /// - Parameters:
    ///   - seed: the seed; the same seed and vocabulary give the same history on every machine.
    ///   - vocabulary: the names to use; nil for a small default world.
    ///   - preset: the preset of the store; nil for a random one.
    public init(seed: UInt64, vocabulary: Vocabulary? = nil, preset: Preset? = nil) {
        self.seed = seed
        (administrator, start) = ("user:root", Self.newYear)
        random = SplitMix64(seed: seed)
        let drawn: Preset = random.chance(percent: 60) ? .open : .locked
        self.preset = preset ?? drawn
        now = start
        self.vocabulary = vocabulary ?? Vocabulary(using: &random)
        prepare()
    }

    /// Continues an existing history.
    ///
    /// - Parameters:
    ///   - seed: the seed.
    ///   - vocabulary: the names to use.
    ///   - preset: the preset of the store.
    ///   - administrator: the administrator of the store.
    ///   - changes: the changes so far.
    ///   - now: the time of the last one.
    public init(
        seed: UInt64, vocabulary: Vocabulary, preset: Preset, administrator: Name, after changes: [Change], at now: Instant
    ) {
        self.seed = seed
        (self.preset, self.administrator, self.vocabulary) = (preset, administrator, vocabulary)
        (start, self.now) = (now, now)
        random = SplitMix64(seed: seed)
        for change in changes { expected.note(change) }
    }

    /// 2026-01-01T00:00:00Z
    private static let newYear = Instant(microseconds: 1_767_225_600_000_000)

    public mutating func next() -> Step {
        expectedBefore = expected
        let step = preparation.isEmpty ? drawn() : preparation.removeFirst()
        for change in step.changes { expected.note(change) }
        last = step.changes
        return step
    }

    /// Forgets the expected effect of the last step, after the store refused it.
    public mutating func takeBack() { expected = expectedBefore }

    private mutating func drawn() -> Step {
        if random.chance(percent: 12) { passTime() }
        let caller = drawCaller()
        // The same changes again have no effect, or are refused.
        if random.chance(percent: 4) { return Step(caller: caller, time: now, changes: last) }
        if random.chance(percent: 1) { return Step(caller: caller, time: now, changes: []) }
        if random.chance(percent: 8), vocabulary.allows("createObject") {
            return Step(caller: caller, time: now, changes: sharing().filter { vocabulary.allows($0.operation) })
        }
        let count = random.one(of: [1, 1, 1, 1, 2, 2, 3, 5])
        return Step(caller: caller, time: now, changes: (0..<count).map { _ in allowedChange() })
    }

    private mutating func drawCaller() -> Name {
        switch random.number(0...99) {
        case 0..<45: administrator
        case 45..<85: random.one(of: vocabulary.users)
        case 85..<90: random.one(of: vocabulary.unregisteredUsers)
        case 90..<95: random.one(of: vocabulary.things)
        default: .anonymous
        }
    }

    /// Advances the clock, sometimes exactly to the end of an access.
    private mutating func passTime() {
        let day: Int64 = 86_400_000_000
        let distance = random.one(of: [1, 1_000_000, 3_600_000_000, day, day, 2 * day, 5 * day])
        now = now.advanced(byMicroseconds: distance)
        if random.chance(percent: 50) {
            now = Instant(microseconds: start.microseconds + (now.microseconds - start.microseconds + day - 1) / day * day)
        }
    }

    /// Returns an end for a grant: usually at midnight a few days ahead, sometimes with microseconds, rarely in the past.
    mutating func end() -> Instant {
        let day: Int64 = 86_400_000_000
        let midnight = Instant(microseconds: start.microseconds + (now.microseconds - start.microseconds) / day * day)
        return switch random.number(0...9) {
        case 0: now
        case 1: now.advanced(byMicroseconds: Int64(random.number(1...5_000_000)))
        default: midnight.advanced(byMicroseconds: Int64(random.number(1...9)) * day)
        }
    }
}

// MARK: The first steps

extension RandomHistory {
    /// Creates the initial classes, principals, roles and some objects as the administrator.
    private mutating func prepare() {
        for className in vocabulary.classes { prepare([.defineClass(className, settings(dense: true))]) }
        prepare(vocabulary.users.map { .register($0) } + vocabulary.things.map { .register($0) })
        if preset == .locked {
            let levels = (vocabulary.classes + ["class", "role", "user", "thing", "permission"]).map { Name.class($0) }
            prepare(([.store] + levels).map { .grant(.everyone, on: $0, Privileges.builtInNames) })
        }
        for role in vocabulary.roles.prefix(4) {
            prepare([.createRole(role), .addMember(random.one(of: vocabulary.users), to: role)])
        }
        for (member, role) in zip(vocabulary.roles, vocabulary.roles.dropFirst()).prefix(2) {
            prepare([.addMember(member, to: role)])
        }
        var made: [Name] = []
        for object in vocabulary.objects where random.chance(percent: 60) {
            let parent = made.isEmpty || random.chance(percent: 60) ? nil : random.one(of: made)
            var changes: [Change] = [.createObject(object, parent: parent, value: value())]
            if random.chance(percent: 50) { changes.append(.grant(subject(), on: object, ["query", "read"])) }
            prepare(changes, as: random.one(of: vocabulary.users + [administrator]))
            made.append(object)
        }
    }

    private mutating func prepare(_ changes: [Change], as caller: Name? = nil) {
        preparation.append(Step(caller: caller ?? administrator, time: start, changes: changes))
    }
}

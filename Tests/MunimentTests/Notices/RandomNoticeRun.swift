import Events
import Muniment
import Notices
import Permissions
import StoreSupport
import TestSupport

/// A random history in a real store. Its notices are compared with the differences between every two revisions.
struct RandomNoticeRun {
    /// A difference, with everything needed to reproduce it.
    struct Disagreement: Error, CustomStringConvertible {
        let seed: UInt64
        let what: String

        var description: String { "MUNIMENT_SEED=\(seed) MUNIMENT_HISTORIES=1: \(what)" }
    }

    /// All subscribers: users, the administrator, a user who never connects, `anonymous`, and roles that are created and deleted.
    static let subjects: [Name] =
        (0..<6).map { Name("user:u\($0)") }
        + ["user:new", "thing:t1", "user:root", "user:never-seen", .anonymous, .everyone, "role:r0", "role:r4"]

    /// Whether the subscriber always gets a notice that an object is public. An anonymous subscriber, or a role that does not exist
    /// yet, may gain read access to an object that is already public.
    private static func seesEverythingPublic(_ subject: Name) -> Bool { subject != .anonymous && subject.className != "role" }

    let fixture: StoreFixture
    private var history: RandomHistory
    private(set) var model = NaiveModel()
    private var random: SplitMix64

    private var store: Store { fixture.store }

    init(_ history: RandomHistory, in fixture: StoreFixture) {
        (self.history, self.fixture) = (history, fixture)
        random = SplitMix64(seed: ~history.seed)
    }

    /// Applies the next steps of the history to the store.
    mutating func write(steps: Int) throws {
        for _ in 0..<steps {
            let next = history.next()
            fixture.clock.now = next.time
            do { try store.commit(Transaction(next.caller, next.changes)) } catch is Refusal { history.takeBack() }
        }
        try followLog()
    }

    mutating func followLog() throws {
        for commit in try fixture.commits(from: model.commitCount == 0 ? .genesis : model.head.next) { try model.append(commit) }
    }

    /// Compares the notices of every subject with the model, and the knowledge from the notices with a check of every object.
    mutating func check() throws {
        for subject in Self.subjects {
            let standings = model.standings(of: subject)
            let all = try store.notices(for: subject, after: .genesis, through: model.head)
            try compare(all, model.notices(among: standings, after: .genesis), subject)
            try fold(all, subject, from: .genesis, standings)
            try checkSpans(of: all, subject, standings)
        }
    }

    private func compare(_ notices: [Notice], _ expected: [NaiveNotice], _ subject: Name) throws {
        let found = notices.map(NaiveNotice.init)
        if found != expected {
            let place =
                zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(found.count, expected.count)
            let revisions = [found, expected].compactMap { $0.dropFirst(place).first?.revision }
            let commit = try revisions.min().flatMap { try fixture.commits(from: $0).first }
            throw disagreement(
                """
                \(subject) is told \(found.count) notices and should be told \(expected.count); the first that differs is \
                \(found.dropFirst(place).first.map { "\($0)" } ?? "none"), and should be \
                \(expected.dropFirst(place).first.map { "\($0)" } ?? "none"); \(commit.map { "\($0.events)" } ?? "")
                """)
        }
        for (index, notice) in notices.enumerated() {
            let isLast = index + 1 == notices.count || notices[index + 1].revision > notice.revision
            if notice.completesRevision != isLast { throw disagreement("\(notice) is wrong about being the last of its revision") }
        }
    }
}

// MARK: The knowledge of a subscriber

extension RandomNoticeRun {
    /// Applies the notices after a revision. At each revision, compares the resulting knowledge with a check of every object.
    private func fold(
        _ notices: [Notice], _ subject: Name, from first: Revision, _ standings: [[Name: NaiveStanding]]
    ) throws {
        func known(_ revision: Revision) -> [Name: FoldingSubscriber.Knowledge] {
            standings[Int(revision.rawValue)].filter(\.value.isReadable).mapValues { knowledge($0) }
        }
        var subscriber = FoldingSubscriber(
            at: first, knowing: known(first), hearsOfAllThatIsPublic: Self.seesEverythingPublic(subject))
        var rest = notices[...]
        for number in first.rawValue..<UInt64(standings.count) {
            while let next = rest.first, next.revision.rawValue == number {
                try subscriber.take(next) { object in
                    standings[Int(number)][object].map { model.names(of: $0.privileges) } ?? []
                }
                rest.removeFirst()
            }
            try check(subscriber, subject, known(Revision(number)), at: number)
        }
        if let left = rest.first { throw disagreement("\(subject) is told \(left), behind the head") }
    }

    /// The knowledge is correct. It is also complete, except for readable objects that are neither public nor shared: when they
    /// become readable, no notice is sent (Docs/Decisions/0041).
    private func check(
        _ subscriber: FoldingSubscriber, _ subject: Name, _ truth: [Name: FoldingSubscriber.Knowledge], at revision: UInt64
    ) throws {
        for (object, known) in subscriber.known {
            guard let so = truth[object] else { throw disagreement("\(subject) still knows \(object) at \(revision)") }
            guard known.privileges == so.privileges, known.isShared == so.isShared,
                known.isPublic == so.isPublic || !Self.seesEverythingPublic(subject)
            else { throw disagreement("\(subject) knows \(known) of \(object) at \(revision); it is \(so)") }
        }
        for (object, so) in truth where subscriber.known[object] == nil {
            guard !so.isShared, !so.isPublic || !Self.seesEverythingPublic(subject) else {
                throw disagreement("\(subject) does not know of \(object) at \(revision), which is \(so)")
            }
        }
    }

    private func knowledge(_ standing: NaiveStanding) -> FoldingSubscriber.Knowledge {
        FoldingSubscriber.Knowledge(
            privileges: Set(model.names(of: standing.privileges)), isPublic: standing.isPublic, isShared: standing.isShared)
    }
}

// MARK: Any two revisions

extension RandomNoticeRun {
    /// A span has the same notices as that part of the whole feed. A subscriber that begins at any revision has complete knowledge
    /// at the end.
    private mutating func checkSpans(of all: [Notice], _ subject: Name, _ standings: [[Name: NaiveStanding]]) throws {
        for _ in 0..<4 {
            let first = Revision(UInt64(random.number(0...Int(model.head.rawValue))))
            let last = Revision(UInt64(random.number(Int(first.rawValue)...Int(model.head.rawValue))))
            let found = try store.notices(for: subject, after: first, through: last)
            guard found == all.filter({ $0.revision > first && $0.revision <= last }) else {
                throw disagreement("\(subject) is told otherwise of the revisions behind \(first) up to \(last)")
            }
            try fold(found, subject, from: first, Array(standings[...Int(last.rawValue)]))
        }
    }

    /// A subscriber that resumes after any revision gets the same remaining notices as one that was connected from the beginning.
    func checkResuming() throws {
        for subject in Self.subjects {
            let all = try store.notices(for: subject, after: .genesis, through: model.head)
            for number in 0...model.head.rawValue {
                let rest = try store.notices(for: subject, after: Revision(number), through: model.head)
                guard rest == all.filter({ $0.revision.rawValue > number }) else {
                    throw disagreement("\(subject), resuming behind \(number), is told otherwise")
                }
            }
        }
    }

    func disagreement(_ what: String) -> Disagreement { Disagreement(seed: history.seed, what: what) }
}

extension NaiveNotice {
    init(_ notice: Notice) {
        guard let kind = Kind(rawValue: notice.kind.rawValue) else { preconditionFailure("no such kind: \(notice.kind)") }
        self.init(
            revision: notice.revision, kind: kind, object: notice.object, gained: notice.gained, lost: notice.lost,
            wasAccessible: notice.wasAccessible)
    }
}

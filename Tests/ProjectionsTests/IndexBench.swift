import Events
import Hashing
import Muniment
import Permissions
import Projections
import TestSupport

/// An index in a separate folder, built from commits that a test defines.
final class IndexBench {
    let index: Index
    private let workingSet: WorkingSet
    private(set) var commits: [Commit] = []

    init(in folder: String) throws {
        index = try Index(path: folder, isReadOnly: false, mapBytes: 1 << 28)
        workingSet = try index.workingSet()
    }

    /// Folds commits, and writes the index after each batch of the given size.
    convenience init(in folder: String, folding commits: [Commit], inBatchesOf size: Int) throws {
        try self.init(in: folder)
        for (number, commit) in commits.enumerated() {
            try fold(commit)
            if (number + 1) % size == 0 || number + 1 == commits.count { try flush() }
        }
    }

    func close() {
        workingSet.end()
        index.close()
    }

    var head: Revision { Revision(UInt64(commits.count) - 1) }

    func fold(_ commit: Commit) throws {
        workingSet.begin(commit.revision, actor: commit.actor)
        for event in commit.events { try workingSet.apply(event) }
        workingSet.finish(commit)
        commits.append(commit)
    }

    func flush() throws { try index.flush(workingSet, hash: .zero) }

    /// Applies events and rolls them back.
    func foldInVain(_ events: [Event]) throws {
        workingSet.begin(Revision(UInt64(commits.count)), actor: .system)
        defer { workingSet.rollBack() }
        for event in events { try workingSet.apply(event) }
    }

    /// Folds events as the next commit, one second after the last one, and writes the index.
    func commit(_ events: [Event]) throws {
        let number = commits.count
        try fold(
            Commit(
                revision: Revision(UInt64(number)), time: .newYear.later(seconds: Int64(number)), actor: .system,
                events: number == 0 ? [.storeCreated(.open)] + events : events))
        try flush()
    }
}

extension Event {
    static func granted(
        _ privileges: Privileges, on object: ObjectID, to subject: PrincipalID, until: Instant = .forever
    ) -> Event {
        .accessGranted(AccessGranted(object: object, subject: subject, privileges: privileges, until: until))
    }

    static func revoked(_ privileges: Privileges, on object: ObjectID, from subject: PrincipalID) -> Event {
        .accessRevoked(AccessLoss(object: object, subject: subject, privileges: privileges))
    }

    static func user(_ id: PrincipalID) -> Event {
        .principalRegistered(Introduction(id, name: "user:\(id.rawValue)"))
    }

    static func role(_ id: PrincipalID) -> Event {
        .roleCreated(Introduction(id, name: "role:\(id.rawValue)"))
    }

    static func object(_ id: ObjectID, in classID: ClassID, below parent: ObjectID? = nil) -> Event {
        .objectCreated(
            ObjectCreated(
                object: Introduction(id, name: "doc:\(id.rawValue)"), classID: classID, parent: parent, owner: .system))
    }

    static func docClass(_ id: ClassID, _ options: ClassOptions = ClassOptions()) -> Event {
        .classDefined(ClassDefined(classID: Introduction(id, name: "class:doc"), options: options))
    }
}

/// Returns the log of a random history.
func randomLog(seed: UInt64, steps: Int) throws -> [Commit] {
    try withTemporaryFolder { folder in
        var history = RandomHistory(seed: seed)
        let clock = ManualClock(history.start)
        let store = try Store.create(
            at: folder + "/store", preset: history.preset, administrator: history.administrator,
            options: StoreOptions(clock: { clock.now }, expiryRecording: .withCommits))
        defer { try? store.close() }
        let importer = try store.importer()
        for _ in 0..<steps {
            let step = history.next()
            clock.now = step.time
            do { try importer.add(Transaction(step.caller, step.changes)) } catch is Refusal { history.takeBack() }
        }
        try importer.finish()
        var commits: [Commit] = []
        try store.log(from: .genesis, to: store.head.revision) { commits.append($0.commit) }
        return commits
    }
}

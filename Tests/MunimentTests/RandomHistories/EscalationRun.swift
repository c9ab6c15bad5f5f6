import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport

/// A random history, one change at a time. The access of all principals is compared before and after each change that can give
/// access.
struct EscalationRun {
    struct Escalation: Error, CustomStringConvertible {
        let description: String
    }

    private var history: RandomHistory
    private let store: Store
    private let clock = ManualClock()
    private let subjects: [Name]
    private let targets: [Name]

    private static let steps = 120

    init(seed: UInt64, in folder: String) throws {
        let history = RandomHistory(seed: seed)
        let clock = clock
        clock.now = history.start
        store = try Store.create(
            at: folder + "/store", preset: history.preset, administrator: history.administrator,
            options: StoreOptions(clock: { clock.now }, expiryRecording: .withCommits))
        subjects =
            history.vocabulary.users + history.vocabulary.unregisteredUsers + history.vocabulary.things + [.everyone, .anonymous]
        let classes = history.vocabulary.classes.map { Name.class($0) }
        targets = history.vocabulary.objects + classes + history.vocabulary.roles + [.store]
        self.history = history
    }

    mutating func run() throws {
        defer { try? store.close() }
        for _ in 0..<Self.steps {
            let step = history.next()
            clock.now = step.time
            for change in step.changes { try make(change, as: step.caller) }
        }
    }

    private func make(_ change: Change, as caller: Name) throws {
        let isAdministrator = try store.read { try $0.administrators().contains(caller.text) }
        let named = try isAdministrator ? [] : objects(givenBy: change)
        let before = try access(to: named, and: caller)
        // A privilege on a class or on the store applies to all objects there. Callers who may set permissions there have this
        // right.
        let isLocal = !named.isEmpty && (named == targets || named.allSatisfy { $0.kind != .class && $0 != .store })
        let ownBefore = try isLocal ? access(of: caller) : [:]
        do { _ = try store.commit(Transaction(caller, [change])) } catch is Refusal { return }
        let after = try access(to: named, and: caller)
        if isLocal {
            for (object, privileges) in try access(of: caller) where !privileges.isSubset(of: ownBefore[object] ?? []) {
                throw Escalation(
                    description: """
                        MUNIMENT_SEED=\(history.seed) MUNIMENT_HISTORIES=1: by \(change) `\(caller)` gained \
                        \(privileges.subtracting(ownBefore[object] ?? []).sorted()) on `\(object)`
                        """)
            }
        }
        for object in named {
            let own = before[caller]?[object] ?? []
            for subject in subjects {
                let gained = (after[subject]?[object] ?? []).subtracting(before[subject]?[object] ?? [])
                guard gained.isSubset(of: own) else {
                    throw Escalation(
                        description: """
                            MUNIMENT_SEED=\(history.seed) MUNIMENT_HISTORIES=1: by \(change) `\(caller)` gave `\(subject)` \
                            \(gained.subtracting(own).sorted()) on `\(object)`, and has \(own.sorted()) there
                            """)
                }
            }
        }
    }

    /// Returns the objects that a change affects: for a write every object, because links lead to others.
    private func objects(givenBy change: Change) throws -> [Name] {
        switch change {
        case .grant(_, let object, _, _, _, _), .setAccess(_, let object, _, _), .attachPermission(_, let object): [object]
        case .moveObject(let object, _): [object]
        case .writeObject: targets
        case .changePermission(let permission, _, _):
            try store.read { snapshot in
                try targets.filter { try snapshot.entries(on: $0).contains { $0.permission == permission.id } }
            }
        default: []
        }
    }

    /// Returns the privileges of a caller on every object. Other objects may inherit a privilege that is given on one object.
    private func access(of caller: Name) throws -> [Name: Set<String>] {
        try store.read { snapshot in
            try Dictionary(uniqueKeysWithValues: targets.map { ($0, Set(try snapshot.privileges(of: caller, on: $0))) })
        }
    }

    private func access(to objects: [Name], and caller: Name) throws -> [Name: [Name: Set<String>]] {
        guard !objects.isEmpty else { return [:] }
        return try store.read { snapshot in
            var access: [Name: [Name: Set<String>]] = [:]
            for subject in Set(subjects + [caller]) {
                for object in objects {
                    access[subject, default: [:]][object] = Set(try snapshot.privileges(of: subject, on: object))
                }
            }
            return access
        }
    }
}

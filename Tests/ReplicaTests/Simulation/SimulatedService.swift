import Events
import Foundation
import Muniment
import Permissions
import Projections
import TestSupport

@testable import MunimentReplica

/// A real store with a stream that a naive program computes: the difference of two dictionaries.
final class SimulatedService {
    typealias Shown = [Name: ReplicaObject]

    let clock = ManualClock()
    let path: String
    private(set) var store: Store
    /// What makes a position valid, for each revision from 0. A restored store has other hashes from then on.
    private(set) var hashes: [String] = []
    private var hashCount: UInt64 = 0
    private var shown: [String: Shown] = [:]
    private var backup: (path: String, hashes: [String], refused: Set<String>)?
    private var refused: Set<String> = []
    /// The keys that were refused in a history that no longer exists.
    private(set) var lostRefusals: Set<String> = []
    /// Each committed idempotency key with its revision, in the present history.
    private(set) var committed: [String: UInt64] = [:]
    /// The keys of accepted transactions that changed nothing: the store keeps no record of them.
    private(set) var withoutEffect: Set<String> = []
    /// The keys that were committed in a history that no longer exists.
    private(set) var committedBefore: Set<String> = []

    static let classes = ["doc", "folder"]

    init(path: String) throws {
        self.path = path
        store = try Store.create(at: path + "/store", preset: .open, options: SimulatedService.options(clock))
        try commit([
            .defineClass(
                "folder",
                ClassSettings(objectACL: .required, creatorPrivileges: ["read", "update", "delete", "setPermissions"])),
            .defineClass(
                "doc",
                ClassSettings(
                    objectACL: .required, inherits: .everything,
                    creatorPrivileges: ["read", "update", "delete", "setPermissions"])),
            .defineClass("note", ClassSettings(objectACL: .required, creatorPrivileges: ["read", "update"])),
            .createRole("role:readers"),
        ])
    }

    private static func options(_ clock: ManualClock) -> StoreOptions {
        StoreOptions(clock: { clock.now }, expiryRecording: .withCommits, mapBytes: 1 << 26)
    }

    func close() throws { try store.close() }

    var head: UInt64 { UInt64(hashes.count - 1) }
    var position: String { position(head) }
    func position(_ revision: UInt64) -> String { "\(revision).\(hashes[Int(revision)])" }

    /// Whether a position belongs to the present history.
    func has(_ position: String) -> Bool {
        guard let revision = Revision(position: position)?.rawValue else { return false }
        return revision <= head && self.position(revision) == position
    }

    // MARK: Commits

    func commit(_ changes: [Change]) throws {
        _ = try store.commit(Transaction("user:root", changes))
        try noteCommits()
    }

    /// Commits the changes that the store accepts.
    func tryToCommit(_ changes: [Change]) throws {
        do { try commit(changes) } catch is Refusal { try noteCommits() }
    }

    func recordExpiries() throws {
        try store.advance(to: clock.now)
        try noteCommits()
    }

    /// Commits a transaction of a client, or returns the result of the same key.
    func send(_ changes: [ReplicaChange], key: String, as user: Name) throws -> ReplicaSendOutcome {
        let parsed = try changes.map { change in
            var reader = ObjectReader<MemberProblem>(change.json)
            return try Change(&reader)
        }
        do {
            let receipt = try store.commit(Transaction(user, parsed, origin: Origin(idempotencyKey: key)))
            try noteCommits()
            if let revision = receipt.revision { committed[key] = revision.rawValue } else { withoutEffect.insert(key) }
            return .committed(
                Revision((receipt.revision ?? receipt.head).rawValue), hash: receipt.revision.map { hashes[Int($0.rawValue)] })
        } catch let refusal as Refusal {
            try noteCommits()
            refused.insert(key)
            return .refused(TransactionRefusal(code: refusal.code.rawValue, message: refusal.message))
        }
    }

    private func noteCommits() throws {
        let head = try store.head.revision.rawValue
        while UInt64(hashes.count) <= head {
            hashCount += 1
            let digits = String(hashCount, radix: 16)
            hashes.append(String(repeating: "0", count: 16 - digits.count) + digits)
        }
    }

    // MARK: Backups

    func backUp() throws {
        let copy = path + "/backup"
        try? FileManager.default.removeItem(atPath: copy)
        try store.close()
        try FileManager.default.copyItem(atPath: path + "/store", toPath: copy)
        store = try Store.open(at: path + "/store", .writing, options: SimulatedService.options(clock))
        backup = (copy, hashes, refused)
    }

    /// Replaces the store by its backup. Returns false without a backup.
    func restore() throws -> Bool {
        guard let backup else { return false }
        try store.close()
        try FileManager.default.removeItem(atPath: path + "/store")
        try FileManager.default.copyItem(atPath: backup.path, toPath: path + "/store")
        store = try Store.open(at: path + "/store", .writing, options: SimulatedService.options(clock))
        hashes = backup.hashes
        lostRefusals.formUnion(refused.subtracting(backup.refused))
        refused = backup.refused
        committedBefore.formUnion(committed.keys)
        committed = committed.filter { $0.value <= head }
        return true
    }

    // MARK: The view of a user

    func shownNow(to user: Name) throws -> Shown { try shown(to: user, at: head) }

    /// Returns the user's view at a position, also if the history has lost the position.
    func shown(to user: Name, atPosition position: String) -> Shown? { shown["\(user) \(position)"] }

    /// Returns the user's view at a revision: read from a snapshot, object by object.
    func shown(to user: Name, at revision: UInt64) throws -> Shown {
        let key = "\(user) \(position(revision))"
        if let known = shown[key] { return known }
        var found: Shown = [:]
        let moment = Revision(revision)
        try store.read(at: .revision(moment)) { snapshot in
            for className in SimulatedService.classes {
                for name in try snapshot.objects(for: user, with: ["read"], class: className).map({ Name($0) }) {
                    var parent: Name?
                    if let place = try snapshot.objectID(name).flatMap({ try snapshot.reader.place(of: $0) }),
                        let above = place.parent
                    {
                        let aboveName = Name(try snapshot.reader.name(of: above))
                        if try snapshot.check(user, ["read"], on: aboveName).isAllowed { parent = aboveName }
                    }
                    found[name] = ReplicaObject(
                        name, value: try snapshot.value(of: name, as: user),
                        changed: Revision(try snapshot.lastChange(of: name)?.rawValue ?? 0), parent: parent,
                        privileges: PrivilegeEnds())
                }
            }
        }
        for name in found.keys { found[name]?.privileges = try privileges(of: user, on: name, at: moment) }
        shown[key] = found
        return found
    }

    func classPrivileges(of user: Name, at revision: UInt64) throws -> [Name: PrivilegeEnds] {
        var found: [Name: PrivilegeEnds] = [:]
        for name in SimulatedService.classes.map({ Name.class($0) }) {
            found[name] = try privileges(of: user, on: name, at: Revision(revision))
        }
        return found
    }

    /// Returns the privileges with their ends: asked again at each time when an entry ends.
    private func privileges(of user: Name, on name: Name, at revision: Revision) throws -> PrivilegeEnds {
        let (now, ends) = try store.read(at: .revision(revision)) { snapshot in
            var ends: Set<Instant> = []
            var next: Name? = name
            while let object = next {
                for entry in try snapshot.entries(on: object) { if let until = entry.until { ends.insert(until) } }
                let place = try snapshot.objectID(object).flatMap { try snapshot.reader.place(of: $0) }
                next = try place?.parent.map { Name(try snapshot.reader.name(of: $0)) }
            }
            return (try snapshot.privileges(of: user, on: name), ends.sorted())
        }
        var found: [String: Instant] = Dictionary(uniqueKeysWithValues: now.map { ($0, .forever) })
        for end in ends {
            let left = Set(
                try store.read(at: .revisionAt(revision, end)) { try $0.privileges(of: user, on: name) })
            for (privilege, known) in found where known == .forever && !left.contains(privilege) { found[privilege] = end }
        }
        return PrivilegeEnds(found.map { ($0.key, $0.value == .forever ? nil : $0.value) })
    }
}

/// A stream of the service to one client.
struct SimulatedStream {
    let user: Name
    /// A commit that the client was told of.
    private let commit: ReplicaCommit?
    private var phase: Phase

    private enum Phase {
        case opening(after: String?)
        /// Pages of the objects at revision F from an index.
        case filling(fill: UInt64, index: Int)
        /// The difference to the head follows.
        case difference(fill: UInt64)
        case current(UInt64)
        /// Parts that were computed and are not sent yet.
        indirect case sending([ReplicaStreamPart], then: Phase)
    }

    init(of user: Name, after position: String?, containing commit: ReplicaCommit?) {
        (self.user, self.commit, phase) = (user, commit, .opening(after: position))
    }

    static let pageSize = 2

    /// Returns the next part; nil if there is nothing to send.
    mutating func next(_ service: SimulatedService) throws -> ReplicaStreamPart? {
        switch phase {
        case .opening(let after): return try open(after, service)
        case .sending(var parts, let next):
            let part = parts.removeFirst()
            phase = parts.isEmpty ? next : .sending(parts, then: next)
            return part
        case .filling(let fill, let index):
            let all = try service.shown(to: user, at: fill).values.sorted { $0.name < $1.name }
            guard index < all.count else {
                phase = .difference(fill: fill)
                return try next(service)
            }
            let end = min(index + SimulatedStream.pageSize, all.count)
            // Only objects that are readable now, too.
            let readable = try service.shownNow(to: user)
            let page = all[index..<end].filter { readable[$0.name] != nil }
            phase = .filling(fill: fill, index: end)
            return .objects(page, removed: [], position: "fill/\(service.position(fill))/\(end)")
        case .difference(let fill):
            // Objects that a page left out belong to the difference, too.
            let (before, after) = (try service.shown(to: user, at: fill), try service.shownNow(to: user))
            let removed = before.keys.filter { after[$0] == nil }.sorted()
            let changed = after.values.sorted { $0.name < $1.name }
            return send(
                [.objects(changed, removed: removed, position: nil), try end(service)], then: .current(service.head))
        case .current(let told):
            guard service.head > told else { return nil }
            let (before, after) = (try service.shown(to: user, at: told), try service.shownNow(to: user))
            let classesChanged =
                try service.classPrivileges(of: user, at: told) != service.classPrivileges(of: user, at: service.head)
            phase = .current(service.head)
            if before == after, !classesChanged { return .position(service.position) }
            return send(try difference(before, after, told, service), then: .current(service.head))
        }
    }

    private mutating func send(_ parts: [ReplicaStreamPart], then next: Phase) -> ReplicaStreamPart {
        phase = parts.count > 1 ? .sending(Array(parts.dropFirst()), then: next) : next
        return parts[0]
    }

    private func difference(
        _ before: SimulatedService.Shown, _ after: SimulatedService.Shown, _ told: UInt64, _ service: SimulatedService
    ) throws -> [ReplicaStreamPart] {
        let removed = before.keys.filter { after[$0] == nil }.sorted()
        let changed = after.values.filter { before[$0.name] != $0 }.sorted { $0.name < $1.name }
        var parts: [ReplicaStreamPart] = [.begin(.changes(after: Revision(told)))]
        if !removed.isEmpty { parts.append(.objects([], removed: removed, position: nil)) }
        for object in changed { parts.append(.objects([object], removed: [], position: nil)) }
        return parts + [try end(service)]
    }

    private func end(_ service: SimulatedService) throws -> ReplicaStreamPart {
        .end(
            position: service.position, Revision(service.head), time: try service.store.head.time,
            classes: try service.classPrivileges(of: user, at: service.head))
    }

    private mutating func open(_ after: String?, _ service: SimulatedService) throws -> ReplicaStreamPart {
        if let commit, !service.has(commit.description) { return fill(.restored, service) }
        guard let after else { return fill(.fill, service) }
        if after.hasPrefix("fill/") {
            let parts = after.split(separator: "/")
            guard let revision = revision(String(parts[1]), service), let index = Int(parts[2]) else {
                return fill(.restored, service)
            }
            phase = .filling(fill: revision, index: index)
            return .begin(.resumedFill)
        }
        guard let revision = revision(after, service) else { return fill(.restored, service) }
        phase = .current(revision)
        return try next(service) ?? .position(service.position)
    }

    private mutating func fill(_ kind: ReplicaStep, _ service: SimulatedService) -> ReplicaStreamPart {
        phase = .filling(fill: service.head, index: 0)
        return .begin(kind)
    }

    /// Returns the revision of a position that belongs to the history.
    private func revision(_ position: String, _ service: SimulatedService) -> UInt64? {
        service.has(position) ? Revision(position: position)?.rawValue : nil
    }
}

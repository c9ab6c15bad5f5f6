internal import Primitives

/// The effect of the pending transactions on the confirmed state: the objects that differ, without the rest.
///
/// A transaction has either its whole effect or none: none if one of its changes cannot be made, because an object is missing or
/// already there. The service decides such a transaction later.
struct PendingView: Sendable {
    private var entries: [Name: Entry] = [:]
    private var marks: Set<Name> = []
    /// Whether a pending transaction deletes an object: confirmed objects below it are then gone, too.
    private var hasDeletions = false
    private let classes: Set<ExactText>

    private struct Entry {
        /// Nil for a deleted object.
        var object: ReplicaViewObject?
        /// Whether a pending transaction deleted the object of this name, and with it the confirmed objects below it.
        var wasDeleted = false
    }

    typealias Base = (Name) throws -> ReplicaObject?

    init(classes: [String]) { self.classes = Set(classes.map { ExactText($0) }) }

    func isPending(_ name: Name) -> Bool { marks.contains(name) }

    /// Every object that a pending transaction changes.
    var pendingNames: Set<Name> { marks }

    /// The objects that the pending transactions created or changed, of one class.
    func names(ofClass className: String) -> [Name] {
        entries.filter { $0.value.object != nil && ExactText($0.key.className) == ExactText(className) }.map(\.key)
    }

    /// Returns an object of the view; nil if it does not exist there.
    ///
    /// - Parameter base: returns an object of the confirmed state.
    func object(_ name: Name, base: Base) throws -> ReplicaViewObject? {
        try object(name, [:], base)
    }

    /// Applies a transaction on top of the others.
    mutating func apply(_ transaction: PendingTransaction, base: Base) throws {
        for change in transaction.changes { marks.insert(change.target) }
        var changes: [Name: Entry] = [:]
        for change in transaction.changes {
            guard try apply(change, to: &changes, base) else { return }
        }
        entries.merge(changes) { $1 }
        if changes.values.contains(where: \.wasDeleted) { hasDeletions = true }
    }

    /// Makes one change. Returns false if it cannot be made.
    private func apply(_ change: ReplicaChange, to changes: inout [Name: Entry], _ base: Base) throws -> Bool {
        let name = change.target
        switch change.effect {
        case .unknown: return true
        case _ where !holds(name): return true
        case .create(_, let parent, let value):
            guard try object(name, changes, base) == nil, try mayBeParent(parent, changes, base) else { return false }
            var entry = changes[name] ?? entries[name] ?? Entry()
            // A confirmed object of this name was deleted with one above it, and the objects below it too.
            if try base(name) != nil { entry.wasDeleted = true }
            entry.object = ReplicaViewObject(name, value: value, parent: parent, isPending: true)
            changes[name] = entry
            return true
        case .write(_, let value): return try update(name, &changes, base) { $0.value = value }
        case .merge(_, let patch): return try update(name, &changes, base) { $0.value = $0.value.merging(patch) }
        case .move(_, let parent):
            guard try mayBeParent(parent, changes, base), try !isBelow(parent, name, changes, base) else { return false }
            return try update(name, &changes, base) { $0.parent = parent }
        case .delete:
            guard try object(name, changes, base) != nil else { return false }
            let known = Set(entries.keys).union(changes.keys).union([name])
            for other in try known.filter({ try isBelow($0, name, changes, base) }) {
                changes[other] = Entry(object: nil, wasDeleted: true)
            }
            return true
        }
    }

    private func update(
        _ name: Name, _ changes: inout [Name: Entry], _ base: Base, _ body: (inout ReplicaViewObject) -> Void
    ) throws -> Bool {
        guard var object = try object(name, changes, base) else { return false }
        body(&object)
        changes[name, default: entries[name] ?? Entry()].object = object
        return true
    }

    /// Whether the replica has the objects of a name's class.
    private func holds(_ name: Name) -> Bool { classes.contains(ExactText(name.className)) }

    /// Whether an object can be below a parent: the parent exists, or the replica does not know.
    private func mayBeParent(_ parent: Name?, _ changes: [Name: Entry], _ base: Base) throws -> Bool {
        guard let parent, holds(parent) else { return true }
        return try object(parent, changes, base) != nil
    }

    /// Whether an object is another one, or below it.
    private func isBelow(_ name: Name?, _ root: Name, _ changes: [Name: Entry], _ base: Base) throws -> Bool {
        var next = name
        for _ in 0...Limits.depthOfParents {
            guard let name = next else { return false }
            if name == root { return true }
            next = try object(name, changes, base)?.parent
        }
        return false
    }

    private func object(_ name: Name, _ changes: [Name: Entry], _ base: Base) throws -> ReplicaViewObject? {
        if let entry = changes[name] ?? entries[name] {
            guard var object = entry.object else { return nil }
            object.isPending = marks.contains(name)
            return object
        }
        guard let object = try base(name), try !isBelowDeleted(object, changes, base) else { return nil }
        return ReplicaViewObject(object, isPending: marks.contains(name))
    }

    /// Whether a pending transaction deleted an object above a confirmed one.
    private func isBelowDeleted(_ object: ReplicaObject, _ changes: [Name: Entry], _ base: Base) throws -> Bool {
        guard hasDeletions || changes.values.contains(where: \.wasDeleted) else { return false }
        var next = object.parent
        for _ in 0...Limits.depthOfParents {
            guard let name = next else { return false }
            if let entry = changes[name] ?? entries[name] {
                if entry.wasDeleted { return true }
                next = entry.object?.parent
            } else {
                next = try base(name)?.parent
            }
        }
        return false
    }
}

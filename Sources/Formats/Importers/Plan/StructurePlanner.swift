internal import Events
internal import Muniment
internal import Permissions

/// Orders the changes of each batch, and adds the classes, roles and objects that they need.
///
/// The classes that it defines require entries on each object, and everyone gets the source's privileges on them and, in a store
/// that the source created, on the store: entries on the objects decide alone.
struct StructurePlanner {
    private let facts: SourceFacts
    private let present: PresentState
    private let brought: BroughtFacts
    /// What everyone gets on the store and on classes: all but `create`, which is decided there.
    private let privileges: [String]
    private var prepared: Set<Name> = []
    /// Objects that exist and move. They move at the time of the import: it may take access away.
    private var moves: [Change] = []
    private var isStoreReady = false
    private(set) var notes: Set<String> = []

    init(_ facts: SourceFacts, _ present: PresentState, _ brought: BroughtFacts) {
        (self.facts, self.present, self.brought) = (facts, present, brought)
        privileges = facts.privileges.filter { $0 != "create" }
    }

    /// Adds the steps of a batch to the plan.
    ///
    /// - Parameter isLast: whether the batch also creates everything that no earlier batch needed.
    mutating func add(_ batch: ImportBatch, at time: Instant?, isLast: Bool, to plan: inout ImportPlan) throws {
        var changes: [Change] = []
        for membership in batch.removed.sorted(by: { ($0.role, $0.member) < ($1.role, $1.member) }) {
            changes.append(.removeMember(membership.member, from: membership.role))
        }
        for (entry, names) in batch.revoked.sorted(by: { ($0.key.object, $0.key.subject) < ($1.key.object, $1.key.subject) }) {
            changes.append(.revoke(entry.subject, on: entry.object, names.sorted()))
        }
        changes += batch.deletedObjects.map { .deleteObject($0) } + batch.deletedRoles.map { .deleteRole($0) }
        let added = batch.added.sorted { ($0.role, $0.member) < ($1.role, $1.member) }
        let granted = batch.granted.sorted { left, right in
            (left.key.entry.object, left.key.entry.subject, left.key.until ?? .forever)
                < (right.key.entry.object, right.key.entry.subject, right.key.until ?? .forever)
        }
        var roles = Set(added.flatMap { [$0.role, $0.member] } + granted.map(\.key.entry.subject)).filter { $0.kind == .role }
        var objects = Set(granted.map(\.key.entry.object))
        if isLast {
            roles.formUnion(facts.roles)
            objects.formUnion(facts.objects.keys)
        }
        if !objects.isEmpty { try prepareStore(&changes) }
        for role in roles.sorted() where prepared.insert(role).inserted {
            if try !present.exists(role) { changes.append(.createRole(role)) }
        }
        for object in objects.sorted() { try prepare(object, &changes) }
        if isLast { changes += moves }
        changes += added.map { .addMember($0.member, to: $0.role) }
        changes += granted.map { .grant($0.key.entry.subject, on: $0.key.entry.object, $0.value.sorted(), until: $0.key.until) }
        for start in stride(from: 0, to: changes.count, by: Limits.changesPerTransaction) {
            let end = min(start + Limits.changesPerTransaction, changes.count)
            plan.steps.append(ImportPlan.Step(time: time, changes: Array(changes[start..<end])))
        }
    }

    /// Gives everyone the privileges on the store, if the source created the store.
    private mutating func prepareStore(_ changes: inout [Change]) throws {
        guard !isStoreReady else { return }
        isStoreReady = true
        if facts.privileges.contains("create"), !present.isOpen, try !missing(["create"], on: .store).isEmpty {
            notes.insert(
                "no effect: create is decided at the store and the classes, and an import does not let everyone create objects. Grant "
                    + "it there to those who may")
        }
        if privileges.isEmpty { return }
        // Without `update`, the store would be read-only: it would take away delete too.
        let isChanging = privileges.contains("delete") && !privileges.contains("update")
        let missing = try missing(privileges + (isChanging ? ["update"] : []), on: .store)
        if present.isOpen || missing.isEmpty { return }
        // In the store of others, an import does not open the store level.
        guard brought.isAlone else {
            notes.insert(
                "no effect yet: everyone lacks \(missing.joined(separator: ", ")) on the store, so grants of it give no access. Give "
                    + "it with `muniment grant everyone \(missing.joined(separator: ",")) on store`")
            return
        }
        try add(privileges, toClass: "store", &changes)
        changes.append(.grant(.everyone, on: .store, missing))
    }

    private func missing(_ privileges: [String], on object: Name) throws -> [String] {
        let held = try present.entry(of: .everyone, on: object)
        return privileges.filter { held[$0] == nil }
    }

    /// Creates an object with its parents and class, or moves it.
    private mutating func prepare(_ object: Name, _ changes: inout [Change]) throws {
        guard prepared.insert(object).inserted else { return }
        let parent = facts.objects[object] ?? nil
        if let parent { try prepare(parent, &changes) }
        try prepareClass(object.className, &changes)
        guard try present.exists(object) else { return changes.append(.createObject(object, parent: parent)) }
        let now = try present.parent(of: object)
        if now == parent { return }
        if brought.objects.contains(object) {
            moves.append(.moveObject(object, parent: parent))
        } else if let parent {
            notes.insert("kept: \(object) is in \(now.map(\.text) ?? "no object"), and the source has it in \(parent)")
        }
    }

    private mutating func prepareClass(_ className: String, _ changes: inout [Change]) throws {
        let name = Name.class(className)
        guard prepared.insert(name).inserted else { return }
        let custom = privileges.filter { !Privileges.builtInNames.contains($0) }
        // A class can only name privileges that exist; nobody has the others.
        let inherited = facts.inherited[className]?.intersection(facts.privileges)
        let inherits: ClassSettings.Inheritance = inherited.map { $0.isEmpty ? .nothing : .only($0.sorted()) } ?? .everything
        guard let options = try present.options(ofClass: className) else {
            changes.append(
                .defineClass(className, ClassSettings(objectACL: .required, inherits: inherits, privileges: custom)))
            if !present.isOpen, !privileges.isEmpty { changes.append(.grant(.everyone, on: name, privileges)) }
            return
        }
        let isOurs = brought.classes.contains(name)
        try add(privileges, toClass: className, &changes)
        let isAsWanted = inherited.map { !options.inheritsAll && $0 == options.inherits } ?? options.inheritsAll
        if !isAsWanted {
            if isOurs {
                changes.append(.changeClass(className, ClassSettings(inherits: inherits)))
            } else if facts.objects.contains(where: { $0.key.className == className && $0.value != nil }) {
                let wanted = inherited.map { $0.sorted().joined(separator: ", ") } ?? "everything"
                let used = options.inheritsAll ? Set(facts.privileges) : options.inherits.intersection(facts.privileges)
                guard inherited?.isSuperset(of: used) ?? true else {
                    throw Refusal(
                        .malformed,
                        "objects of the class `\(className)` inherit more in the store than in the source, where they inherit "
                            + "\(wanted.isEmpty ? "nothing" : wanted): give the source's type another class in `types` of the mapping"
                    )
                }
                notes.insert("differs: in the source, objects of the class \(className) inherit more than in the store: \(wanted)")
            }
        }
        if !options.hasObjectACL {
            notes.insert(
                "differs: the class \(className) has no entries on objects, so everyone with access to the class has it to them")
        }
        let missing = try missing(privileges, on: name)
        if present.isOpen || missing.isEmpty { return }
        let taken = brought.lost[BroughtFacts.Entry(subject: .everyone, object: name)] ?? []
        if isOurs, taken.isDisjoint(with: missing) {
            changes.append(.grant(.everyone, on: name, missing))
        } else {
            notes.insert(
                "no effect yet: everyone lacks \(missing.joined(separator: ", ")) on the class \(className), so grants of it give no "
                    + "access. Give it with `muniment grant everyone \(missing.joined(separator: ",")) on \(name.text.shellWord)`")
        }
    }

    /// Adds custom privileges to a class that exists.
    private func add(_ names: [String], toClass className: String, _ changes: inout [Change]) throws {
        let known = try present.customPrivileges(ofClass: className) ?? []
        let new = names.filter { !Privileges.builtInNames.contains($0) && !known.contains($0) }
        if !new.isEmpty { changes.append(.changeClass(className, ClassSettings(privileges: known + new))) }
    }
}

import Events
import Muniment
import Permissions

/// The expected deliveries to an observer, computed by a query at every revision in order.
struct NaiveObserver {
    let object: Name
    let caller: Name
    let path: JSONPath
    let since: Revision

    /// The author, the time and the created objects of a commit.
    struct CommitNotes {
        let time: Instant
        let actor: Name
        var created: Set<Name> = []
    }

    static func notes(of store: Store) throws -> [Revision: CommitNotes] {
        var notes: [Revision: CommitNotes] = [:]
        var names: [ObjectID: Name] = [:]
        try store.log(from: .genesis, to: store.head.revision) { described in
            var note = CommitNotes(time: described.commit.time, actor: Name(try described.name(described.commit.actor)))
            for case .objectCreated(let event) in described.commit.events {
                let name = try names[event.object.id] ?? Name(described.name(event.object.id))
                names[event.object.id] = name
                note.created.insert(name)
            }
            notes[described.commit.revision] = note
        }
        return notes
    }

    /// Returns all deliveries up to a revision, or all of them without a revision.
    func observed(in store: Store, _ notes: [Revision: CommitNotes], upTo head: Revision) throws -> Observed {
        var observed = Observed()
        var before = part(try store.read(at: .revision(since)) { try $0.value(of: object, as: caller) }, path.names[...])
        var revision = since
        while revision < head {
            revision = revision.next
            guard let note = notes[revision] else { throw Missing(revision: revision) }
            if try note.created.contains(object) || !store.read(at: .revision(revision), { try $0.exists(object) }) {
                observed.end = .objectDeleted(at: revision)
                return observed
            }
            let value: JSONValue
            do { value = try store.read(at: .revision(revision)) { try $0.value(of: object, as: caller) } } catch is Refusal {
                observed.end = .accessEnded(at: revision)
                return observed
            }
            let after = part(value, path.names[...])
            observed.changes += kinds(before, after).map {
                ObservedChange(revision: revision, time: note.time, actor: note.actor, kind: $0)
            }
            before = after
        }
        return observed
    }

    private struct Missing: Error { let revision: Revision }

    private func part(_ value: JSONValue, _ names: ArraySlice<String>) -> JSONValue? {
        guard let name = names.first else { return value }
        return members(value)[name].flatMap { part($0, names.dropFirst()) }
    }

    private func members(_ value: JSONValue?) -> JSONObject {
        var members: JSONObject = [:]
        if case .object(let object)? = value { members = object }
        if case .array(let elements)? = value { for (index, element) in elements.enumerated() { members["\(index)"] = element } }
        return members
    }

    private func kinds(_ before: JSONValue?, _ after: JSONValue?) -> [ObservedChange.Kind] {
        if before == after { return [] }
        let (old, new) = (members(before), members(after))
        let names = Set(old.keys).union(new.keys)
        let words = names.filter { Int($0) == nil }.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        var kinds: [ObservedChange.Kind] = []
        for name in names.compactMap({ Int($0) }).sorted().map(String.init) + words {
            if let value = new[name], old[name] == nil { kinds.append(.childAdded(name: name, value: value)) }
            if let value = old[name], new[name] == nil { kinds.append(.childRemoved(name: name, before: value)) }
            if let from = old[name], let to = new[name], from != to {
                kinds.append(.childChanged(name: name, before: from, after: to))
            }
        }
        kinds.append(.valueChanged(before: before, after: after))
        return kinds
    }
}

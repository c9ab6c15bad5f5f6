package import Events
package import Permissions
internal import Projections

/// The changes of the objects that a query finds (``Store/changes(of:as:since:)``).
///
/// They are found by the steps of a replica of the class: these have every object with a changed value, or with changed access of
/// the caller. Each is compared at the two revisions of the step.
package struct QueryChangeSequence: Sendable {
    let store: Store
    let query: Query
    let caller: Name
    let steps: ReplicaFeed
    /// Distinguishes the query and its caller from others.
    package let digest: [UInt8]

    package func makeAsyncIterator() -> Iterator { Iterator(self) }

    package struct Iterator: Sendable {
        /// A step with more objects than this is a reset.
        private static let objectLimit = 10_000

        private let sequence: QueryChangeSequence
        private var steps: ReplicaFeed.Iterator
        /// The first revision of the step; nil if the change must be a reset.
        private var from: Revision?
        /// The objects of the step.
        private var names: Set<Name> = []
        private var hasEnded = false

        init(_ sequence: QueryChangeSequence) {
            self.sequence = sequence
            steps = sequence.steps.makeAsyncIterator()
        }

        /// The position, for other tasks.
        package var position: FeedPosition { steps.position }

        /// Waits until ``look()`` may find changes.
        package mutating func wait(isolation actor: isolated (any Actor)? = #isolation) async {
            if !hasEnded { await steps.wait() }
        }

        /// Returns the next changes without waiting, possibly none. Returns nil after the task was cancelled, and after the end.
        package mutating func look() throws -> [QueryChange]? {
            guard !hasEnded, let parts = try steps.look() else { return nil }
            var changes: [QueryChange] = []
            for part in parts where !hasEnded {
                switch part {
                case .begin(.fill, position: _): (from, names) = (nil, [])
                case .begin(.changes(let after), position: _): (from, names) = (after, [])
                case .objects(let objects):
                    guard from != nil else { continue }
                    names.formUnion(objects.removed.lazy.map { Name($0) })
                    names.formUnion(objects.changed.lazy.map { Name($0.name) })
                    if names.count > Self.objectLimit { (from, names) = (nil, []) }
                case .end(let end):
                    let kind = try sequence.store.difference(
                        sequence.query, as: sequence.caller, among: names, from: from, to: end.revision)
                    guard let kind else { continue }
                    if case .ended = kind { hasEnded = true }
                    changes.append(QueryChange(revision: end.revision, time: end.time, kind: kind))
                }
            }
            return changes
        }
    }
}

/// A change of the objects that a query finds, from one revision to a later one.
package struct QueryChange: Hashable, Sendable {
    package let revision: Revision
    /// The time of the revision.
    package let time: Instant
    package let kind: Kind

    package enum Kind: Hashable, Sendable {
        /// Names of objects, sorted. The query finds the added ones now, the removed ones no longer, and the changed ones as before, but
        /// their value, parent or owner, or the access to them, has changed.
        case objects(added: [Name], changed: [Name], removed: [Name])
        /// The query must be run again, because too much has changed.
        case reset
        /// The query is refused at this revision. No change follows.
        case ended(Refusal)
    }
}

extension Store {
    /// Returns the changes of the objects that a query finds for a caller, as a sequence that waits for the next one.
    ///
    /// The changes lead from one revision to a later one, possibly over several commits. Their order and number on a page have no
    /// effect. A class that no longer names a property of the condition ends the sequence with the next change.
    ///
    /// Each change costs examining the objects that may have changed. A waiting sequence costs nothing for commits that do not affect
    /// the caller.
    ///
    /// - Parameters:
    ///   - query: the class and the condition.
    ///   - caller: a user or thing, known or not, or `anonymous`.
    ///   - revision: the last revision that the caller has processed.
    /// - Throws: `Refusal` if the query is refused at that revision, or if the caller cannot have a replica;
    ///   ``StoreError/noSuchRevision(_:head:)``.
    package func changes(of query: Query, as caller: Name, since revision: Revision) throws -> QueryChangeSequence {
        var first = Query(query.className, where: query.condition)
        _ = try self.query(first, as: caller, at: .revision(revision))
        first.limit = nil
        let steps = try steps(of: caller, class: query.className, after: revision)
        return QueryChangeSequence(
            store: self, query: first, caller: caller, steps: steps, digest: QueryCursor.digest(first, as: caller))
    }

    /// Returns the difference of a query between two revisions; nil for none.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - caller: its caller.
    ///   - names: the objects that may have changed.
    ///   - start: the first revision; nil for a reset.
    ///   - end: the second revision.
    fileprivate func difference(
        _ query: Query, as caller: Name, among names: Set<Name>, from start: Revision?, to end: Revision
    ) throws -> QueryChange.Kind? {
        let looked = look { (reader) throws -> QueryChange.Kind? in
            let objects = try names.compactMap { name in
                try reader.number(of: name).map { (id: ObjectID(rawValue: $0), name: name) }
            }
            // Every end before the time of a revision is recorded in an earlier revision, so no clock is needed.
            func found(at revision: Revision) throws -> Set<ObjectID> {
                reader.move(to: revision)
                let snapshot = Snapshot(reader: reader, instant: .distantPast, memory: queryMemory, log: log)
                guard let (classID, subjects) = try snapshot.mayRun(query, as: caller) else { return [] }
                return try reader.found(query, among: objects.map(\.id), in: classID, for: subjects, at: .distantPast)
            }
            let after: Set<ObjectID>
            do { after = try found(at: end) } catch let refusal as Refusal { return .ended(refusal) }
            guard let start else { return .reset }
            let before = try found(at: start)
            func named(_ found: Set<ObjectID>) -> [Name] { objects.filter { found.contains($0.id) }.map(\.name).sorted() }
            let kind = QueryChange.Kind.objects(
                added: named(after.subtracting(before)), changed: named(after.intersection(before)),
                removed: named(before.subtracting(after)))
            return kind == .objects(added: [], changed: [], removed: []) ? nil : kind
        }
        return try looked.get()
    }
}
